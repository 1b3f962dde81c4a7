"""The system of AS Fig. 2, in words."""

from __future__ import annotations

#: To be filled in: the tail index of the task size.
SETTING = "20 nodes x 10, Zipf tasks (1 to 10), size tail (beta) {}, slowdown tail (alpha) 3, r = 2"
