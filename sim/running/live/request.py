"""A request for runs: an experiment, and how well its answer is to be known."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import orjson

from sim.engines.plugins import sources
from sim.logs import Trace
from sim.model.cached import cached_property
from sim.model.policy import Policy
from sim.model.result import Comparison, Sample
from sim.model.scenario import Scenario
from sim.model.workload import Jobs
from sim.running import code_digest
from sim.running.execution import USUAL, Effort
from sim.running.experiment import Experiment, expected_tasks
from sim.running.sample_store import from_bytes, to_bytes

# A request in progress, and its results so far.

#: How well an answer on a screen is to be known, unless it is said otherwise.
SHOWN = Effort(replications=USUAL, precision=2)


@dataclass(frozen=True)
class RunRequest:
    """A request: an experiment, and the precision of its final answer.

    Parameters
    ----------
    experiment : Experiment
    effort : Effort, optional
        Whose replications and precision count: the shared workers do it.
    log : int
        Copies to remember of the first replication, for a Gantt chart.
    """

    experiment: Experiment
    effort: Effort = SHOWN
    log: int = 0

    @cached_property
    def key(self) -> str:
        """Text that is equal for requests that need the same runs.

        Scenarios print exactly, a trace is known by its digest; the baseline needs no run of its own.
        """
        trace = self.experiment.trace.digest if self.experiment.trace else ""
        policies = self.experiment.texts
        scenario = _spelled(self.experiment.scenario)
        effort = self.effort
        return f"{scenario} {(policies, trace, effort.most, effort.precision, self.log)!r}"


@lru_cache(maxsize=200)  # a class asks for the same one a hundred times
def _spelled(scenario: Scenario) -> str:
    return repr(scenario)


def nameless(request: RunRequest) -> RunRequest:
    """Return a request for others to share, errors included: the name of a file is its owner's."""
    trace = request.experiment.trace
    if trace is None:
        return request
    return replace(request, experiment=replace(request.experiment, trace=replace(trace, source="the file")))


#: Seconds a run goes on without a follower: a page that reruns comes back within them.
GRACE = 0.5


@dataclass(frozen=True)
class Snapshot:
    """The results of a request so far.

    Attributes
    ----------
    comparison : Comparison
        Of the replications that are done.
    preview : bool
        True if it is of fewer jobs than requested, to be replaced.
    done, most : int
        Replications done, and the most that will be.
    final : bool
        True if no better answer follows.
    beforehand : bool
        True if nothing of it was computed here (`sim.running.live.request`).
    """

    comparison: Comparison
    preview: bool
    done: int
    most: int
    final: bool
    beforehand: bool = False


class ActiveRun:
    """The runs of a request: replications in order, for all its followers."""

    def __init__(self, request: RunRequest, urgency: int, before: RunRequest | None = None) -> None:
        self.request = request
        self.urgency = urgency  # of its first replication; smaller goes first
        self.before = before  # its preview
        self.policies = request.experiment.policies
        self.samples: dict[int, dict[int, Sample]] = {}
        self.jobs: dict[int, Jobs] = {}
        self.parked: list[tuple[int, int]] = []
        self.started = 0
        self.complete = 0  # replications that are done, counted from the first without a gap
        self.finished = False
        self.beforehand = False  # its first replication was computed beforehand
        self.followers = 0
        self.left = 0.0
        self.error: Exception | None = None
        self.bytes = 0  # of the samples
        self.deaths = 0  # of threads that worked for it
        self.lock = threading.Lock()

    @property
    def wanted(self) -> bool:
        """Whether a session follows it, or did until very recently."""
        return self.followers > 0 or time.monotonic() - self.left < GRACE

    def compared(self, count: int) -> Comparison:
        """Compare the first `count` replications."""
        order = range(len(self.policies))
        return self.request.experiment.compared([[self.samples[r][i] for i in order] for r in range(count)])

    def snapshot(self, preview: bool, asked: Experiment) -> Snapshot:
        """Return the results so far, under the names that the request uses."""
        count = self.complete
        return Snapshot(
            asked.named(self.compared(count)),
            preview,
            count,
            self.request.effort.most,
            self.finished and not preview,
            self.beforehand and count == 1,
        )


# How much of an experiment is run: a small part for a first answer, and no more than a server can do.

#: Tasks (summed over the policies) a first answer may take: about 0.1 s on a slow core. With 2.5 times as
#: many fifty visitors with values of their own waited 2.2 s (p95) instead of 1.6.
FIRST = 120_000
#: Tasks (summed over the policies) of a replication that is waited for: a longer one has a preview.
SHORT = 300_000
#: Tasks (summed over the policies) one replication may take on a server; longer runs are cut.
LONGEST = 6_000_000
#: By how much previews shrink when this many first answers are waiting.
CROWDS = ((40, 3), (16, 2))


def shrink(crowd: int) -> int:
    """By how much first answers are made smaller when this many are waiting.

    Examples
    --------
    >>> shrink(0), shrink(16), shrink(100)
    (1, 2, 3)
    """
    return next((factor for size, factor in CROWDS if crowd >= size), 1)


def preview(request: RunRequest, crowd: int = 0) -> RunRequest:
    """Return the request for a first answer of about `FIRST` tasks."""
    share = FIRST / shrink(crowd) / expected_tasks(request.experiment)
    once = replace(request.effort, replications=1)
    return replace(request, experiment=shortened(request.experiment, share), effort=once, log=0)


def fitted(experiment: Experiment) -> tuple[Experiment, str]:
    """Cut an experiment to what the server runs, and say so.

    Returns
    -------
    tuple
        The experiment, and a sentence that says what was cut; empty if nothing was.
    """
    tasks = expected_tasks(experiment)
    if tasks <= LONGEST:
        return experiment, ""
    cut = shortened(experiment, LONGEST / tasks)
    return cut, (
        f"One replication would take about {tasks / 1e6:,.0f} million tasks over all policies, and this "
        f"server runs {LONGEST / 1e6:,.0f} million: the first {cut.scenario.jobs:,} jobs of "
        f"{experiment.scenario.jobs:,} are simulated. The command line has no such limit."
    )


def shortened(experiment: Experiment, share: float) -> Experiment:
    """Return the experiment with this share of its jobs, the first ones, at least 20."""
    if share >= 1:
        return experiment
    if experiment.trace is None:
        jobs = min(experiment.scenario.jobs, max(20, int(share * experiment.scenario.jobs)))
        return replace(experiment, scenario=experiment.scenario.replace(jobs=jobs))
    trace = experiment.trace
    jobs = min(trace.arrival.size, max(20, int(share * trace.arrival.size)))
    start = Trace(
        trace.arrival[:jobs],
        trace.tasks[:jobs],
        None if trace.size is None else trace.size[:jobs],
        trace.names[:jobs],
        trace.source,
        f"{trace.digest} first {jobs}",
        trace.notes,
    )
    return replace(experiment, scenario=experiment.scenario.replace(jobs=jobs), trace=start)


# First answers that were computed beforehand and are shown while an engine is compiled.
#
# On a fresh machine the first chart would wait for a compiler. So the first replication of what the links
# and presets of the pages ask for comes with the package: a ZIP of samples, with the version that made them
# and a digest of its sources. The same code gives the same bits on any machine, so a live run goes on from
# there. Records of other sources are not used. ``python -m tests.first_answers --record`` makes the file,
# and the tests compute it again.

_LOG = logging.getLogger(__name__)

#: The file, and its entry that says what made the others.
PLACE, ABOUT = Path(__file__).with_name("first_answers.zip"), "about.json"


class Records:
    """Samples by what they are of.

    Parameters
    ----------
    place : Path, optional
        A file that is missing, damaged or made by other sources holds nothing.
    """

    def __init__(self, place: Path = PLACE) -> None:
        self._place = place

    def has(self, request: RunRequest) -> bool:
        """Tell whether the first replication of a request is there, without reading it."""
        asked = request.experiment
        if asked.trace or sources(asked.policies):
            return False
        return self.names.issuperset(unit(request, policy) for policy in asked.policies)

    def first(self, request: RunRequest) -> dict[int, Sample] | None:
        """Return the first replication of a request by the place of its policies; None if it is not there."""
        if not self.has(request):
            return None
        names = [unit(request, policy) for policy in request.experiment.policies]
        held = self.held(names)
        return {place: held[name] for place, name in enumerate(names)} if held.keys() >= set(names) else None

    def held(self, names: Iterable[str]) -> dict[str, Sample]:
        """Return the samples that are there of these units; none if the file is damaged."""
        wanted = self.names.intersection(names)
        if not wanted:
            return {}
        try:
            with zipfile.ZipFile(self._place) as file:
                return {name: from_bytes(file.read(name)) for name in wanted}
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            _LOG.warning("%s is damaged (%s) and not used", self._place.name, error)
            return {}

    def read(self, name: str) -> bytes | None:
        """Return what else is there by this name; None if it is not, or the file is damaged."""
        if name not in self.names:
            return None
        try:
            with zipfile.ZipFile(self._place) as file:
                return file.read(name)
        except (OSError, zlib.error, zipfile.BadZipFile) as error:
            _LOG.warning("%s is damaged (%s) and not used", self._place.name, error)
            return None

    def about(self) -> Mapping[str, str]:
        """Return what made the records, by name; nothing where there are none."""
        try:
            with zipfile.ZipFile(self._place) as file:
                told = orjson.loads(file.read(ABOUT))
        except (OSError, KeyError, ValueError, zlib.error, zipfile.BadZipFile):
            return {}
        return told if isinstance(told, dict) else {}

    @cached_property
    def names(self) -> frozenset[str]:
        """What is held; nothing if other sources made it."""
        if self.about().get("sources") != code_digest.sources():
            return frozenset()
        with zipfile.ZipFile(self._place) as file:
            return frozenset(file.namelist())

    def write(
        self, samples: Mapping[str, Sample], others: Mapping[str, bytes] | None = None, **about: str
    ) -> None:
        """Write samples by unit, and others; dates are left out, so that equal samples make an equal file."""
        told = json.dumps({"sources": code_digest.sources()} | about, indent=1).encode()
        found = {name: to_bytes(one) for name, one in samples.items()}
        with zipfile.ZipFile(self._place, "w", zipfile.ZIP_STORED) as file:
            for name, data in [(ABOUT, told), *sorted(found.items())]:
                file.writestr(zipfile.ZipInfo(name), data)
            for name, data in sorted((others or {}).items()):
                file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)


def unit(request: RunRequest, policy: Policy) -> str:
    """Return the cache key of a policy's first replication: all that decides its result."""
    key = repr((request.experiment.scenario, policy.text, request.log))
    return hashlib.sha256(key.encode()).hexdigest()[:20]
