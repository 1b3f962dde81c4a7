"""The work of a pair: which jobs come when, and how long each attempt of a task lasts.

An attempt sleeps for the work of its task, times the factor of its host, times luck of its own, which is
drawn from the seed and the names of the attempt: the same jobs have the same luck before and after a change,
and a copy has other luck than its original. Nothing here knows the lab.
"""

from __future__ import annotations

import hashlib
import math
import random
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import NormalDist

PLAN, ADVISED = (Path(__file__).with_name(name) for name in ("plan.toml", "advised.toml"))
#: What is run of every workload of Spark: what an adviser may choose.
COPIES = {
    "off": {"spark.speculation": "false"},
    **{
        f"{multiplier}/{quantile}": {
            "spark.speculation": "true",
            "spark.speculation.multiplier": multiplier,
            "spark.speculation.quantile": quantile,
        }
        for multiplier, quantile in (("1.5", "0.75"), ("3", "0.9"))
    },
}
#: What jobs before the measured ones are called; in closed loops the gap is the time to think.
WARM_UP = "warm-up"
#: Bytes that a task writes for the next stage for each second of its work, and at least.
BYTES, LEAST = 40_000, 4_000


def _normal(deviation: float) -> Callable[[float], float]:
    law = NormalDist(0, deviation)
    return lambda u: math.exp(law.inv_cdf(u))


#: Law -> luck at a quantile; the usual attempt has luck of about 1.
LAWS: dict[str, Callable[[float], float]] = {
    "none": lambda u: 1.0,
    "light": _normal(0.25),
    "lognormal": _normal(0.8),
    "exponential": lambda u: 0.3 - math.log1p(-u),
    "pareto": lambda u: min(15.0, 0.75 * (1 - u) ** (-1 / 1.4)),
    "bimodal": lambda u: 0.9 + 0.2 * u / 0.94 if u < 0.94 else 4 + 8 * (u - 0.94) / 0.06,
}


@dataclass(frozen=True)
class Stage:
    """Tasks of a stage.

    Parameters
    ----------
    work : list of float
        Seconds of each task on a usual host with usual luck.
    size : list of float
        What each task has to do over what the usual one has; a split task has several of the usual size.
    """

    work: list[float]
    size: list[float]


@dataclass(frozen=True)
class Job:
    """A job: its name, the seconds after which it comes (or its client thinks), its class and stages."""

    name: str
    gap: float
    kind: str
    stages: list[Stage]


@dataclass(frozen=True)
class Workload:
    """An application of the plan.

    Parameters
    ----------
    key : str
        Name in the plan.
    system : str
        Such as ``spark-4.3``.
    why : str
        Its cause of slow tasks, in words.
    hosts : list of float
        By what factor tasks take longer on each.
    slots : int
        Of each host.
    jobs : int
        How many are measured.
    gap : float
        Mean seconds between jobs.
    clients : int
        That submit a job when theirs has ended; 0: jobs come whatever others do.
    stages, tasks : list of int
        Least and most of a job, and of a stage.
    base : float
        Seconds that the usual task takes.
    law : str
        Of luck, one of `LAWS`.
    skew : str
        Which bytes show that one task of a stage has five times the work: ``read``, ``written`` or
        ``hidden`` (neither); empty: no task has.
    cold : float
        Seconds that the first task in a slot takes longer.
    fails : float
        Share of first attempts that fail halfway.
    spell : list of float
        Begin, end (seconds) and factor of the time in which the first host is slow.
    classes : bool
        Every third job is large, the others are small.
    settings : dict of str to str
        Of the system, before the change.
    changes : dict of str to dict
        What is changed -> settings of the system, or ``hosts`` and ``split`` in place of those above.
    fresh : bool
        Kept for the score of widened intervals: nothing is widened by it.
    seed : int
        Of all that is drawn.
    """

    key: str
    system: str
    why: str
    hosts: list[float] = field(default_factory=lambda: [1.0] * 4)
    slots: int = 3
    jobs: int = 22
    gap: float = 4.2
    clients: int = 0
    stages: list[int] = field(default_factory=lambda: [1, 2])
    tasks: list[int] = field(default_factory=lambda: [8, 24])
    base: float = 1.2
    law: str = "light"
    skew: str = ""
    cold: float = 0.0
    fails: float = 0.0
    spell: list[float] = field(default_factory=list)
    classes: bool = False
    split: int = 1
    settings: dict[str, str] = field(default_factory=dict)
    changes: dict[str, dict[str, object]] = field(default_factory=dict)
    fresh: bool = False
    seed: int = 1

    def schedule(self, repeat: int) -> list[Job]:
        """Return the jobs of a repetition, the same whatever is changed.

        Examples
        --------
        >>> one = Workload("some", "spark-4.3", "luck", jobs=2, skew="read", split=5)
        >>> {max(stage.size) for job in one.schedule(1) for stage in job.stages}
        {1.0}
        """
        chance = random.Random(f"{self.key} {self.seed} {repeat}")
        jobs = []
        for number in range(self.jobs):
            gap, large = chance.expovariate(1 / self.gap), self.classes and number % 3 == 0
            least, most = self.tasks
            if self.classes:  # small jobs have few tasks, large ones many
                least, most = (most, 2 * most) if large else (least, (least + most) // 2)
            stages = []
            for _ in range(chance.randint(*self.stages)):
                count, scale = chance.randint(least, most), math.exp(chance.gauss(0, 0.3))
                skewed = self.skew and chance.random() < 0.6
                work = self.base * scale
                sizes = [1.0] * count
                if skewed:  # what is split off comes last, so that all others keep their luck
                    sizes = [5.0 / self.split, *sizes[1:], *[5.0 / self.split] * (self.split - 1)]
                stages.append(Stage([work * size for size in sizes], sizes))
            jobs.append(Job(f"job {number}", gap, "large" if large else "small", stages))
        return jobs

    @property
    def mended(self) -> frozenset[str]:
        """The remedies of the lab that mend a cause of this workload."""
        causes = {
            "copy": self.law not in ("none", "light"),
            "host": max(self.hosts) > 1,
            "split": bool(self.skew),
            "warm": bool(self.cold),
        }
        return frozenset(key for key, there in causes.items() if there)

    @property
    def alternatives(self) -> dict[str, dict[str, object]]:
        """What is run beside it: its changes, copies as advisers may choose them, and what was advised."""
        copies = COPIES.items() if self.system.startswith("spark") else ()
        others: dict[str, dict[str, object]] = {
            name: {**told} for name, told in copies if not self._has(told)
        }
        advised = tomllib.loads(ADVISED.read_text("utf-8")) if ADVISED.exists() else {}
        return self.changes | others | ({"advised": advised[self.key]} if self.key in advised else {})

    def _has(self, told: dict[str, str]) -> bool:
        off = told == COPIES["off"] and "spark.speculation" not in self.settings
        return off or told.items() <= self.settings.items()

    def changed(self, name: str) -> Workload:
        """Return it with one of its alternatives, itself for ``before``."""
        if name == "before":
            return self
        told = dict(self.alternatives[name])
        own = {key: told.pop(key) for key in ("hosts", "split") if key in told}
        settings = self.settings | {key: str(value) for key, value in told.items()}
        return replace(self, settings=settings, **own)  # type: ignore[arg-type]

    def luck(self, repeat: int, job: str, stage: int, task: int, attempt: int) -> float:
        """Return the luck of an attempt.

        Examples
        --------
        >>> one = Workload("some", "spark-4.3", "luck", law="none")
        >>> one.luck(1, "job 1", 0, 3, 0)
        1.0
        """
        return LAWS[self.law](self._uniform("luck", repeat, job, stage, task, attempt))

    def failing(self, repeat: int, job: str, stage: int, task: int, attempt: int) -> bool:
        """Say whether an attempt fails halfway; only the first ones do."""
        return attempt == 0 and self._uniform("fails", repeat, job, stage, task, attempt) < self.fails

    def _uniform(self, *of: object) -> float:
        told = f"{self.key} {self.seed} {of}".encode()
        return (int.from_bytes(hashlib.blake2b(told, digest_size=7).digest()) + 0.5) / 2**56


@cache
def plan() -> dict[str, Workload]:
    """Return the workloads of the plan, by key."""
    read = tomllib.loads(PLAN.read_text("utf-8"))
    return {key: Workload(key=key, **values) for key, values in read.items()}
