"""The result of a comparison of policies: per-job tables, intervals, and their provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from sim.engines.engine import Engine
from sim.engines.registry import engine_of
from sim.model import statistics
from sim.model.cached import cached_property
from sim.model.counted_jobs import CLASSES, CountedJobs, class_of
from sim.model.fields import BadInput, unknown
from sim.model.outcome import Ending, Outcome, first_counted, interval_is_reliable
from sim.model.policy import Policy
from sim.model.scenario import Scenario
from sim.model.statistics import Estimate, difference, half_widths, log_ratio, relative, shares, student
from sim.telling.words import printed
from theory.quoting import quoted

if TYPE_CHECKING:
    import pandas as pd

Found = TypeVar("Found")
#: Quantiles that are reported of each measure, beside its mean.
SHARES = {"p50": 0.50, "p80": 0.80, "p90": 0.90, "p95": 0.95, "p99": 0.99}
MEASURES = {"flowtime": tuple(SHARES), "slowdown": tuple(SHARES), "resource": ("p80",)}
#: Statistics of the flowtime that are kept of each class of jobs.
OF_CLASSES = ("mean", "p50", "p95")
#: Heading of a column of a summary -> measure and statistic.
SUMMARY = {
    "mean flowtime ({})": ("flowtime", "mean"),
    "median flowtime ({})": ("flowtime", "p50"),
    "p95 of the flowtime ({})": ("flowtime", "p95"),
    "slot-time per job (slot·{})": ("resource", "mean"),
    "busy slots (share)": ("utilisation", ""),
}
#: Measures whose distribution is kept, under every engine.
CURVES = ("flowtime", "resource")
#: Fewer counted jobs than this have no distribution worth a curve: they are kept one by one.
FEW = 5
#: A queue grows when its mean rises from the second to the fourth quarter of the arrivals by more than
#: this share of the tasks that arrive in half the run, while the slots are as busy as the engine gets them.
GROWTH = 0.02

#: Shares at which the distribution curves are read: evenly, then closer and closer to 1.
LEVELS = np.concatenate([np.arange(1, 100) / 100, 1 - np.logspace(-2.1, -5, 30)])


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Flowtimes of the counted jobs of one size class in one replication (None: censored or no job)."""

    jobs: int
    mean: float | None
    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One replication of one policy, read for statistics: what is kept of it.

    Attributes
    ----------
    values : dict
        (measure, statistic) -> value over the counted jobs, None where it is censored away.
    curves : dict of str to ndarray, shape (len(LEVELS),)
        Measure -> its quantiles at `LEVELS`; NaN where fewer jobs than needed, or censored away.
    classes : tuple of SizeClass
        One for each of `CLASSES`.
    series : ndarray, shape (points, 4)
        Busy slots, slots with extra copies, waiting tasks and jobs in the system, over the arrivals.
    holding : ndarray
        How many jobs held how many slots per remaining task (`sim.engines.slots.run.HOLDING`), where counted.
    jobs, counted, unfinished, tasks_arrived, tasks : int
        Jobs arrived, in the statistics, not finished; tasks that arrived, tasks completed.
    span : float
        Time of the last arrival.
    saturated : float
        Share of the slots that is busy when no more fit (`sim.engines.registry.Engine`).
    seconds : float
        Wall time inside the engine.
    log : recarray
        Copies of the run, if they were asked for.
    single : dict of str to ndarray
        Measure -> its values in the counted jobs that are done, where fewer than `FEW` are counted.
    unreliable : frozenset
        (measure, statistic) whose interval would not keep its promise (`sim.model.outcome`).
    unreliable_differences : frozenset
        The same of differences from another policy, and of ratios to it.
    """

    values: dict[tuple[str, str], float | None]
    curves: dict[str, np.ndarray]
    classes: tuple[SizeClass, ...]
    series: np.ndarray
    holding: np.ndarray
    jobs: int
    counted: int
    unfinished: int
    tasks_arrived: int
    tasks: int
    span: float
    saturated: float
    seconds: float
    log: np.recarray
    single: dict[str, np.ndarray] = field(default_factory=dict)
    unreliable: frozenset[tuple[str, str]] = frozenset()
    unreliable_differences: frozenset[tuple[str, str]] = frozenset()


def sample(scenario: Scenario, outcome: Outcome, ideal: np.ndarray) -> Sample:
    """Read one outcome for statistics, leaving the warm-up out.

    Parameters
    ----------
    scenario : Scenario
        What was simulated.
    outcome : Outcome
        What the engine left.
    ideal : ndarray, shape (jobs,)
        Flowtime of each job alone on an idle healthy cluster, as the engine understands it.
    """
    return read(scenario, counted(scenario, outcome, ideal), outcome)


def counted(scenario: Scenario, outcome: Outcome, ideal: np.ndarray) -> CountedJobs:
    """Read the jobs that count from the outcome of a run, leaving the warm-up out.

    Parameters
    ----------
    scenario, outcome, ideal
        As of `sample`.
    """
    chosen = slice(first_counted(scenario, outcome.arrival.size), None)
    unknown = np.isinf(outcome.finish[chosen])
    flowtime = np.minimum(outcome.finish, outcome.end)[chosen] - outcome.arrival[chosen]
    columns = {
        "flowtime": flowtime,
        "slowdown": flowtime / ideal[chosen],
        "resource": outcome.resource[chosen].copy(),
    }
    censored = dict.fromkeys(columns, unknown)
    for measure in engine_of(scenario).columns:
        column = outcome.columns[measure.key][chosen]
        censored[measure.key] = np.isinf(column)
        waited = outcome.end - outcome.arrival[chosen]
        columns[measure.key] = np.where(censored[measure.key], waited, column)
    return CountedJobs(
        columns=columns,
        censored=censored,
        classes=lambda: class_of(outcome.tasks[chosen]),
        copies=int(outcome.copies[chosen].sum()),
        extra=int(outcome.extra[chosen].sum()),
        time=float(outcome.resource[chosen].sum()),
        extra_time=float(outcome.extra_time[chosen].sum()),
        jobs=outcome.arrival.size,
        unfinished=int(np.isinf(outcome.finish).sum()),
        tasks=int(outcome.tasks.sum()),
    )


def read(scenario: Scenario, jobs: CountedJobs, ending: Ending) -> Sample:
    """Compute the statistics of one run. `jobs.columns` is empty afterwards.

    Parameters
    ----------
    scenario : Scenario
        What was simulated.
    jobs : CountedJobs
        The jobs that count.
    ending : Ending
        What else the engine left.
    """
    engine, count = engine_of(scenario), jobs.count
    drawn, wanted = (*CURVES, *engine.curves), reported(scenario)
    few = drawn if count < FEW else ()
    single = {name: jobs.columns[name][~jobs.censored[name]] for name in few}
    found: dict[str, dict[tuple[str, str], float | None]] = {}
    curves, classes = dict.fromkeys(drawn, np.empty(0)), tuple[SizeClass, ...]()
    for key in sorted(
        jobs.columns, key=lambda key: key == "flowtime"
    ):  # last, since a class of jobs is a part of it
        column, censored = jobs.columns.pop(key), jobs.censored[key]
        if key == "flowtime":
            classes = tuple(_classes(jobs.classes(), column, censored))
        found[key] = _statistics(key, column, censored, wanted[key])
        if key in curves:
            curves[key] = _curve(column, censored)
    values = _shares(jobs, ending)
    values |= {(measure.key, ""): ending.scalars[measure.key] for measure in engine.scalars}
    for key in wanted:
        values |= found[key]
    copied = jobs.extra > 0
    return Sample(
        values=values,
        curves=curves,
        classes=classes,
        series=ending.series,
        holding=ending.holding,
        jobs=jobs.jobs,
        counted=count,
        unfinished=jobs.unfinished,
        tasks_arrived=jobs.tasks,
        tasks=ending.tasks_done,
        span=ending.last_arrival,
        saturated=engine.saturated,
        seconds=ending.seconds,
        log=ending.log.copy(),  # a view would keep all memory of the run
        single=single,
        unreliable=_unreliable(scenario, values, copied=copied),
        unreliable_differences=_unreliable(scenario, values, copied=copied, paired=True),
    )


def _unreliable(
    scenario: Scenario, values: Iterable[tuple[str, str]], *, copied: bool, paired: bool = False
) -> frozenset[tuple[str, str]]:
    """Return the statistics of measures that have no reliable interval."""
    return frozenset(
        one
        for one in values
        if one[1] and not interval_is_reliable(scenario, *one, copied=copied, paired=paired)
    )


def reported(scenario: Scenario) -> dict[str, tuple[str, ...]]:
    """Return measure -> quantiles reported beside its mean, for the columns of the scenario's engine.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> list(reported(SlotScenario()))
    ['flowtime', 'slowdown', 'resource']
    """
    return MEASURES | {measure.key: measure.statistics for measure in engine_of(scenario).columns}


def _statistics(
    key: str, column: np.ndarray, censored: np.ndarray, wanted: tuple[str, ...]
) -> dict[tuple[str, str], float | None]:
    """Mean and quantiles of one measure, whose column is put in another order."""
    mean = statistics.mean(column, censored)
    shares = statistics.quantiles(column, censored, [SHARES[name] for name in wanted], in_place=True)
    return {(key, "mean"): mean} | {(key, name): one for name, one in zip(wanted, shares, strict=True)}


def _shares(jobs: CountedJobs, ending: Ending) -> dict[tuple[str, str], float | None]:
    """Ratios over the counted jobs, and the utilisation of the run."""
    return {
        ("speculative_copies_share", ""): float(jobs.extra / max(jobs.copies, 1)),
        ("speculative_time_share", ""): float(jobs.extra_time / jobs.time) if jobs.time else 0.0,
        ("utilisation", ""): ending.utilisation,
    }


def _curve(column: np.ndarray, censored: np.ndarray) -> np.ndarray:
    """Quantiles at `LEVELS`, as far as the number of jobs can tell them; the column changes its order."""
    known = 1 - 1 / max(column.size, 1) >= LEVELS
    found = np.full(LEVELS.size, np.nan)
    told = statistics.quantiles(column, censored, list(LEVELS[known]), in_place=True)
    found[known] = [np.nan if x is None else x for x in told]
    return found


def _classes(places: np.ndarray, flowtime: np.ndarray, censored: np.ndarray) -> Iterator[SizeClass]:
    for place in range(len(CLASSES)):
        chosen = places == place
        column, unknown = flowtime[chosen], censored[chosen]
        mean = statistics.mean(column, unknown)
        median, high = statistics.quantiles(column, unknown, (0.5, 0.95), in_place=True)
        yield SizeClass(int(chosen.sum()), mean, median, high)


@dataclass(frozen=True)
class PolicyResult:
    """All replications of one policy, in order.

    Parameters
    ----------
    name : str
        The policy's canonical text, or what a page or the shell calls it (`Comparison.called`).
    samples : tuple of Sample
        One a replication.
    policy : Policy, optional
        Without any rule where nobody asks for them.
    """

    name: str
    samples: tuple[Sample, ...]
    policy: Policy = Policy()  # noqa: RUF009  (it is frozen)

    @property
    def code(self) -> str:
        """Canonical text of the policy, if it is called otherwise here; else empty."""
        return "" if self.policy.text == self.name else self.policy.text

    def values(self, measure: str, statistic: str = "") -> list[float | None]:
        """Value of each replication.

        Parameters
        ----------
        measure, statistic : str
            As of `estimate`.

        Raises
        ------
        BadInput
            If it is not reported, with what is.
        """
        try:
            return [sample.values[measure, statistic] for sample in self.samples]
        except KeyError:
            raise self._unknown(measure, statistic) from None

    def _unknown(self, measure: str, statistic: str) -> BadInput:
        """Return what is wrong with a measure, or with a statistic of it, and what is accepted."""
        known: dict[str, list[str]] = {}
        for one, of in self.samples[0].values:
            known.setdefault(one, []).append(of)
        if measure not in known:
            return unknown("measure", measure, list(known))
        if known[measure] == [""]:
            return BadInput(f"statistic: {quoted(statistic)} is not accepted; {measure} has none, give none")
        return unknown("statistic", statistic, known[measure])

    def estimate(self, measure: str, statistic: str = "") -> Estimate:
        """Mean over replications with its interval.

        Parameters
        ----------
        measure : str
            'flowtime', 'slowdown', 'resource' (with a `statistic`), 'utilisation',
            'speculative_copies_share', 'speculative_time_share', or what the engine adds.
        statistic : str
            'mean', 'p50', ...; 'resource' has 'mean' and 'p80'.
        """
        return student(self.values(measure, statistic), reliable=self.knows(measure, statistic))

    def knows(self, measure: str, statistic: str = "") -> bool:
        """Whether the laws have the moments that an interval of this statistic needs."""
        return not any((measure, statistic) in sample.unreliable for sample in self.samples)

    @property
    def jobs(self) -> int:
        """Jobs that arrived, over all replications."""
        return sum(sample.jobs for sample in self.samples)

    @property
    def counted(self) -> int:
        """Jobs in the statistics, unfinished ones included."""
        return sum(sample.counted for sample in self.samples)

    @property
    def unfinished(self) -> int:
        """Jobs that arrived and were not done when their run ended, warm-up included."""
        return sum(sample.unfinished for sample in self.samples)

    @property
    def tasks(self) -> int:
        """Tasks completed, over all replications."""
        return sum(sample.tasks for sample in self.samples)

    @property
    def seconds(self) -> float:
        """Wall seconds inside the engine, over all replications."""
        return sum(sample.seconds for sample in self.samples)

    @cached_property
    def series(self) -> np.ndarray:
        """Mean over replications of busy slots, slots with extra copies, waiting tasks, jobs; by time."""
        return np.mean([sample.series for sample in self.samples], axis=0)

    def curve(self, measure: str) -> tuple[np.ndarray, np.ndarray]:
        """Quantiles at `LEVELS` of a measure whose distribution is kept: mean over replications, half width.

        The half width is NaN with one replication, and where an interval would not keep its promise
        (`sim.model.outcome`): what lies above the median is judged as the 95th percentile is.

        Raises
        ------
        BadInput
            If the distribution of the measure is not kept, with those that are.
        """
        kept = list(self.samples[0].curves)
        if measure not in kept:
            raise BadInput(
                f"measure: no distribution is kept of {quoted(measure)}; give one of {', '.join(kept)}"
            )
        curves = np.array([sample.curves[measure] for sample in self.samples])
        if len(curves) == 1:
            return curves[0], np.full(LEVELS.size, np.nan)
        known = np.where(LEVELS > 0.5, self.knows(measure, "p95"), self.knows(measure, "p50"))
        return curves.mean(axis=0), np.where(known, half_widths(curves), np.nan)

    def single(self, measure: str) -> np.ndarray | None:
        """Values of the jobs of all replications, one by one; None where they are enough for a curve."""
        if any(sample.counted >= FEW for sample in self.samples):
            return None
        return np.concatenate([sample.single[measure] for sample in self.samples])

    def tells(self, share: float) -> bool:
        """Whether a replication has jobs enough for this quantile to differ from the slowest job.

        Examples
        --------
        >>> PolicyResult("fair", ()).tells(0.95)
        True
        """
        return all(sample.counted * (1 - share) > 1 - 1e-9 for sample in self.samples)

    def by_class(self, statistic: str) -> list[Estimate]:
        """Return 'mean', 'p50' or 'p95' of the flowtime in each of `CLASSES`, where there are such jobs."""
        if statistic not in OF_CLASSES:
            raise unknown("statistic", statistic, list(OF_CLASSES))
        columns = zip(*(sample.classes for sample in self.samples), strict=True)
        reliable = self.knows("flowtime", statistic)
        return [
            student([getattr(one, statistic) for one in column if one.jobs], reliable=reliable)
            for column in columns
        ]

    def unstable(self, slots: int) -> bool:
        """Tell whether the queue grew through the run.

        The arrivals are cut into quarters. The queue is said to grow when the mean number of waiting
        tasks rises from the second to the third to the fourth quarter, by more than `GROWTH` of the
        tasks that arrive in half the run, while the slots of the last quarter are as busy as the
        engine gets them (`sim.engines.registry.Engine.saturated`). All replications are averaged first.
        """
        busy, _, waiting, _ = np.array([quarter.mean(axis=0) for quarter in np.array_split(self.series, 4)]).T
        arriving = np.mean([sample.tasks_arrived for sample in self.samples]) / 2
        grows = waiting[1] < waiting[2] < waiting[3] and waiting[3] - waiting[1] > GROWTH * arriving
        return bool(grows and busy[3] > self.samples[0].saturated * slots)


class ByPolicy(dict[str, Found]):
    """Policy -> what was found; a policy that is not there is refused with those that are.

    Examples
    --------
    >>> ByPolicy({"fair+late": PolicyResult("fair+late", ())})["fair+lat"]
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: policy: 'fair+lat' is not known; did you mean 'fair+late'? known are fair+late
    """

    def __missing__(self, name: str) -> Found:
        raise unknown("policy", name, list(self))


@dataclass(frozen=True)
class Comparison:
    """Policies compared under one scenario, on the same jobs with the same luck.

    Parameters
    ----------
    scenario : Scenario
        What was simulated.
    policies : dict of str to PolicyResult
        By the policy's canonical text, or what it is called here, in the order of the experiment.
    baseline : str
        The policy the others are compared with.
    source : str
        Name of the workload file, empty if the jobs were drawn.
    """

    scenario: Scenario
    policies: dict[str, PolicyResult]
    baseline: str
    source: str = ""
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "policies", ByPolicy(self.policies))

    def _repr_html_(self) -> str:
        """Return the comparison as a notebook shows it."""
        return str(self.summary().to_html(index=False))

    @property
    def replications(self) -> int:
        """Replications of every policy."""
        return len(next(iter(self.policies.values())).samples)

    @property
    def engine(self) -> Engine:
        """The engine of the scenario."""
        return engine_of(self.scenario)

    @property
    def reference(self) -> str | None:
        """The policy whose flowtime the engine measures the others' by, if it is compared here."""
        rule = self.engine.reference
        first = {name: next(iter(one.policy.rules.values()), None) for name, one in self.policies.items()}
        return next((name for name, chosen in first.items() if chosen and chosen.key == rule), None)

    def called(self, names: Sequence[str]) -> Self:
        """Return the comparison with its policies called by other names, given in their order."""
        if len(names) != len(self.policies):
            raise BadInput(
                f"names: {len(names)} are given; give one for each of {len(self.policies)} policies"
            )
        new = dict(zip(self.policies, names, strict=True))
        results = {new[old]: replace(result, name=new[old]) for old, result in self.policies.items()}
        return replace(self, policies=results, baseline=new[self.baseline])

    def in_words(self) -> Comparison:
        """Return the comparison with its policies called by the names that people say, as on the pages."""
        return self.called([one.policy.name for one in self.policies.values()])

    def to_frame(self, *, each: bool = False) -> pd.DataFrame:
        """Return what was found as a table: a row for each policy, measure and statistic.

        Its columns are `policy`, `measure`, `statistic` (empty where a measure is one number), `value` with
        `low` and `high`, the 95 % interval; `difference` from the baseline with `difference_low` and
        `difference_high`, and `change`, the same as a share of the baseline, with `change_low` and
        `change_high`: both are paired; `reliable` (whether an interval keeps its promise) and `unstable`
        (whether the policy's queue grew). NaN is unknown.

        Parameters
        ----------
        each : bool, optional
            Whether every replication has its rows instead: then `replication` and `value` are told.
        """
        import pandas as pd

        if each:
            rows = [
                (name, replication, *key, value)
                for name, result in self.policies.items()
                for replication, sample in enumerate(result.samples)
                for key, value in sample.values.items()
            ]
            table = pd.DataFrame(rows, columns=["policy", "replication", "measure", "statistic", "value"])
            return table.astype({"value": float})
        return pd.DataFrame(
            [
                {"policy": name, "measure": key[0], "statistic": key[1]}
                | _columns("", result.estimate(*key))
                | _columns("difference", self.difference(name, *key))
                | _columns("change", self.share(name, *key))
                | {"reliable": result.knows(*key), "unstable": result.unstable(self.scenario.slots)}
                for name, result in self.policies.items()
                for key in result.samples[0].values
            ]
        )

    def summary(self) -> pd.DataFrame:
        """Return the most of it to be read: a row for each policy, numbers with their intervals as text."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"policy": name + (" (unstable)" if result.unstable(self.scenario.slots) else "")}
                | {
                    heading.format(self.scenario.time_unit): printed(result.estimate(*key))
                    for heading, key in SUMMARY.items()
                }
                for name, result in self.policies.items()
            ]
        )

    def distribution(self, measure: str = "flowtime") -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return how a measure is spread over the jobs: shares of the jobs, and what so many are within.

        Parameters
        ----------
        measure : str, optional
            'flowtime', 'resource' or what else the engine keeps.

        Returns
        -------
        tuple of (ndarray, dict of str to ndarray)
            `LEVELS`, and for each policy its quantiles there, means over the replications; NaN where the
            jobs are too few to tell.
        """
        return LEVELS, {name: result.curve(measure)[0] for name, result in self.policies.items()}

    def with_all_intervals(self) -> Comparison:
        """Return the comparison with Student's interval of every statistic, whether or not it is reliable."""
        results = {
            name: replace(
                one,
                samples=tuple(
                    replace(each, unreliable=frozenset(), unreliable_differences=frozenset())
                    for each in one.samples
                ),
            )
            for name, one in self.policies.items()
        }
        return replace(self, policies=results)

    def knows(self, policy: str, reference: str, measure: str, statistic: str = "") -> bool:
        """Whether the interval of what lies between two policies is reliable: if both of theirs are."""
        samples = (*self.policies[policy].samples, *self.policies[reference].samples)
        return not any((measure, statistic) in sample.unreliable_differences for sample in samples)

    def ratio(self, policy: str, measure: str, statistic: str) -> Estimate:
        """Ratio policy / reference: 1 + the paired share by which it lies above the reference.

        Without a value where there is no reference, or a value is censored away.
        """
        self.policies[policy].values(measure, statistic)  # refused by name, if they are not there
        if self.reference is None:
            return Estimate(None)
        above = self._of(relative, policy, self.reference, measure, statistic)
        value, low, high = (None if one is None else 1 + one for one in (above.value, above.low, above.high))
        return Estimate(value, low, high, reliable=above.reliable)

    def difference(self, policy: str, measure: str, statistic: str) -> Estimate:
        """Paired difference policy - baseline, in the unit of the measure."""
        return self._of(difference, policy, self.baseline, measure, statistic)

    def share(self, policy: str, measure: str, statistic: str) -> Estimate:
        """Paired difference policy - baseline as a share of the baseline: the change that is shown."""
        return self._of(relative, policy, self.baseline, measure, statistic)

    def _of(
        self, between: Callable[..., Estimate], policy: str, reference: str, measure: str, statistic: str
    ) -> Estimate:
        """Return what lies between two policies."""
        ours, its = (self.policies[name].values(measure, statistic) for name in (policy, reference))
        return between(ours, its, reliable=self.knows(policy, reference, measure, statistic))


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    """Return an estimate as three columns of a table."""
    found = {name or "value": estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {key.lstrip("_"): float("nan") if value is None else value for key, value in found.items()}


# Differences between two policies of a comparison, replication by replication, on the same jobs and luck.


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How a number differs between two policies.

    Attributes
    ----------
    value, reference : float
        The number under the policy, and under the one it is held against.
    difference : Estimate
        In the unit of the number, paired: its interval is over the differences in each replication.
    share : Estimate
        As a share of the reference, paired (`sim.model.statistics.relative`): what is shown, and what
        decides.
    """

    value: float
    reference: float
    difference: Estimate
    share: Estimate

    @property
    def sign(self) -> int:
        """-1 or 1 where the interval of the share excludes 0, else 0: nothing can be told.

        Where the reference is 0 there is no share: the interval of the difference decides.
        """
        return self.difference.sign if self.share.value is None else self.share.sign

    @property
    def same(self) -> bool:
        """Whether the two did the same in every replication."""
        nothing = self.difference.value == 0 and self.value == self.reference
        return nothing and (self.difference.half == 0 or not self.difference.reliable)

    @property
    def relative(self) -> float:
        """The difference as a share of the reference; 0 where that is 0."""
        return self.share.value or 0.0


def change(
    comparison: Comparison, policy: str, reference: str, measure: str, statistic: str = ""
) -> PairedDifference | None:
    """Return how a statistic under `policy` differs from `reference`; None where it is censored away.

    Parameters
    ----------
    comparison : Comparison
    policy, reference : str
        Two of its policies.
    measure, statistic : str
        As in `sim.model.result.PolicyResult.estimate`.
    """
    one, other = comparison.policies[policy], comparison.policies[reference]
    reliable = comparison.knows(policy, reference, measure, statistic)
    return _paired(one.values(measure, statistic), other.values(measure, statistic), reliable)


def class_change(
    comparison: Comparison, policy: str, reference: str, place: int, statistic: str = "mean"
) -> PairedDifference | None:
    """Return the same for the flowtime of the jobs of one size class, by its place in `CLASSES`."""
    one, other = (comparison.policies[name].samples for name in (policy, reference))
    pairs = [(a.classes[place], b.classes[place]) for a, b in zip(one, other, strict=True)]
    some = [(getattr(a, statistic), getattr(b, statistic)) for a, b in pairs if a.jobs]
    reliable = comparison.knows(policy, reference, "flowtime", statistic)
    return _paired([a for a, _ in some], [b for _, b in some], reliable)


def _paired(
    values: Sequence[float | None], references: Sequence[float | None], reliable: bool
) -> PairedDifference | None:
    value, reference = student(values).value, student(references).value
    if value is None or reference is None:
        return None
    return PairedDifference(
        value,
        reference,
        difference(values, references, reliable=reliable),
        relative(values, references, reliable=reliable),
    )


#: A policy, and the one that it is held against.
Pair = tuple[str, str]


def log_ratios(
    comparison: Comparison, pairs: Sequence[Pair], measure: str, statistic: str
) -> list[float] | None:
    """Return the mean over pairs of log(policy / reference), a term for each replication; None if not known.

    Each is `sim.model.statistics.log_ratio`, so that the mean of the terms is about the means of the
    replications.
    """
    columns = [[comparison.policies[name].values(measure, statistic) for name in pair] for pair in pairs]
    if any(value is None for pair in columns for one in pair for value in one):
        return None
    known = [[[value or 0.0 for value in one] for one in pair] for pair in columns]
    if not all(any(one) for pair in known for one in pair):
        return None
    rows = zip(*(log_ratio(ours, its) for ours, its in known), strict=True)
    return [sum(row) / len(pairs) for row in rows]


def effect(comparison: Comparison, pairs: Sequence[Pair], measure: str, statistic: str) -> Estimate:
    r"""Return by what share a measure differs, on average over pairs of policies that differ by one thing.

    .. math:: \exp\Bigl(\tfrac1k \sum_{(a, b)} \log \frac{\bar x_a}{\bar x_b}\Bigr) - 1

    The mean is geometric, so that the reverse question has the reverse answer: half as much, twice as much.
    With one pair it is the share of its `PairedDifference`; the interval is Student's over `log_ratios`.
    """
    reliable = all(comparison.knows(*pair, measure, statistic) for pair in pairs)
    terms = log_ratios(comparison, pairs, measure, statistic)
    return Estimate(None, reliable=reliable) if terms is None else shares(student(terms, reliable=reliable))
