"""Claims of Xu and Lau, "Optimization for Speculative Execution of Multiple Jobs", called XL here."""

from __future__ import annotations

#: Weight of slot-time in the paper's resource.
GAMMA = 0.01
#: Setting of Figs. 2 and 3.
LIGHT = (
    "M = 3000, 6 jobs a unit of time, U{1..100} tasks, mean task times U(1, 4) with tail index (alpha) 2, "
    "gamma = 0.01, 1500 units; s, r and the length of a slot are not printed (0.2, 8 and 1 here)"
)
