"""A fleet of which each log tells something else."""

from __future__ import annotations

from sim.advice.fleet.first_look import NOTHING, TRIAL, UNTOLD, Advised, Look
from sim.advice.whatif.price import Executor

#: A sure remedy, a trial, another sure one, one that cannot be told, none, one without an advice, one that
#: tells nothing, one that is not read, and a file that is no log.
LOOKS = [
    Look(
        *("a", "A", "spark", 2, 20, 10.0, 3.0, 5.0, Executor(4.0, 2.0, 8.0, 0.5)),
        advised=Advised("split", "split", "Cut it.", -0.2, -0.4, -0.1, 0.5, 0.25, 0.75),
    ),
    Look(
        *("b", "B", "spark", 3, 30, 40.0, 7.0, 11.0, Executor(6.0, 4.0), "memory"),
        advised=Advised(TRIAL, "try", "Try it.", -0.3, -0.5, 0.1, -0.5, -0.75, 0.25),
    ),
    Look(
        *("c", "C", "flink", 5, 50, 20.0, 5.0, 13.0, None, "executors"),
        advised=Advised("host", "replace", "Mend it.", -0.25, -0.35, -0.05, 2.0, 1.0, 4.0),
    ),
    Look("u", "U", "spark", 7, 70, 8.0, 4.0, 17.0, advised=Advised(UNTOLD, "cannot be told", "Poor.")),
    Look("n", "N", "spark", 11, 110, 16.0, 6.0, 19.0, advised=Advised(NOTHING, "nothing", "Nothing.")),
    Look("w", "W", "slurm", 13, 130, 32.0, 1.0, 23.0),
    Look("t", "T", "spark", 17, 170, reason="It has no times."),
    Look("d", "D", reason="It is cut off."),
    Look("e", "E", no_log=True),
]
