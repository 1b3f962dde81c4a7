"""The records of the slot engine beside those of all engines (`sim.kernel.records`)."""

from __future__ import annotations

import numpy as np

#: Jobs with the same number of remaining tasks (Hopper); `place` is where `order` lists the level, and
#: level 0 counts the levels listed.
LEVEL = np.dtype(
    [("place", "i4"), ("jobs", "i4"), ("unstarted", "i4"), ("head", "i4"), ("tail", "i4"), ("unused", "i4")]
)

#: What a stage waits for, where jobs are stages (`sim.engines.slots.stages`).
LINK = np.dtype(
    [
        ("gap", "f8"),  # between the end of its last parent and its own start
        ("waits", "i4"),  # parents that have not ended
        ("first", "i4"),  # of its children in the list of all
        ("children", "i4"),
        ("unused", "i4"),
    ]
)

#: A task whose input is a block (`sim.engines.slots.places`).
TASK = np.dtype(
    [
        ("turn", "i4"),  # its place in the order in which the tasks of its job start
        ("head", "i4"),  # first replica of the list with this number, -1 if it is empty
    ]
)

#: A replica of a block: the machine it is on (-1: nothing is read), and the next one in its list.
REPLICA = np.dtype([("machine", "i4"), ("next", "i4")])
