"""Claims of Aktas and Soljanin, "Learning Effective Straggler Mitigation ...", called AS here."""

from __future__ import annotations

#: The system of the paper, to be filled in: the tail index of the task size.
SETTING = "20 nodes x 10, Zipf tasks (1 to 10), size tail (beta) {}, slowdown tail (alpha) 3, r = 2"
