"""A process ends with the one that started it, however that one ends and whatever this one is doing."""

from __future__ import annotations

import os
import threading
import time

#: Seconds between two looks at the parent.
LOOK_S = 0.2


def end_with(parent: int) -> None:
    """End this process soon after `parent`, which has started it, has gone.

    The system's own way (Linux: ``PR_SET_PDEATHSIG``) ends it with the *thread* that started it, and a closed
    pipe is noticed only by a process that reads. What is being written is left as by a kill; files of the
    compiler are put in their place whole. Windows does not tell: there a process ends when it has answered.

    Parameters
    ----------
    parent : int
        Number of the process: a parent that has gone already is noticed, too.
    """
    if os.name != "nt":
        threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(1)
