r"""Split large tasks: its ceiling is that all tasks of a stage have equal work.

A setting can cut by what tasks read: bytes, or records where bytes do not differ. A task that reads more than
`FACTOR` times the median of its stage is cut into as many equal pieces as medians it holds, rounded up, so
that a piece reads about what the usual task reads. Work grows with the power `growth` of what is read, which
the fit has from small and large tasks of the log: a piece of `k` takes the :math:`k^{-growth}` part of the
whole. Where small tasks take longer than in proportion, because each has its overhead, that power is below 1
and the pieces together take longer than the whole. Work that stands in no count stays in one piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sim.advice.whatif.model import Model
from sim.advice.whatif.remedies.variant import Remedy, SettingLines, Unequal, Variant, read_of
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import Conditions
from sim.logs.formats import knows_of
from sim.logs.formats.spark_files import UNTOLD
from sim.model.cached import once_for_each
from sim.telling.words import counted, short
from theory.quoting import shortened

#: Times the median of the stage from which a task is cut.
FACTOR = 2.0
#: Pieces of a task at most, and of all tasks as a multiple of them.
MOST, IN_ALL = 100, 3


def pieces(read: np.ndarray) -> np.ndarray:
    """Return into how many pieces tasks are cut that read so much, a logarithm, over the median.

    Examples
    --------
    >>> pieces(np.log([1.0, 1.9, 2.5, 5.0])).tolist()
    [1, 1, 3, 5]
    >>> pieces(np.log([1.0] * 5 + [90.0] * 5)).tolist()  # larger ones where there would be too many
    [1, 1, 1, 1, 1, 3, 3, 3, 3, 3]
    """
    times, size = np.minimum(np.exp(read), MOST), 1.0
    while True:
        cut = np.where(times > max(FACTOR, size), np.ceil(times / size - 1e-9), 1).astype(int)
        if cut.sum() <= IN_ALL * cut.size:
            return cut
        size *= 2


def cut(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Cut large tasks; a first piece keeps the luck of its task, the others draw their own."""
    unequal = Unequal.of(question, replication)
    times = pieces(unequal.read)
    if times.max() == 1:
        return given
    share = times ** -np.clip(unequal.growth, 0.0, 1.0)
    begins = np.cumsum(times) - times
    more = np.ones(times.sum(), bool)
    more[begins] = False
    luck, power = np.repeat(given.luck, times, axis=1), np.repeat(given.power, times)
    random = np.random.default_rng([question.seed, replication, 59])
    luck[:, more] = given.law.luck(random.random((len(luck), int(more.sum()))), power[more])
    return replace(
        given,
        tasks=np.add.reduceat(times, given.first),
        work=np.repeat(given.work * share, times),
        beside=np.repeat(given.beside * share, times, axis=1),
        luck=luck,
        power=power,
    )


def equal(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Give all tasks of a stage the mean of its work, but for what a cold slot adds."""
    cold = np.exp(Unequal.of(question, replication).cold.sum(axis=1))
    mean = np.add.reduceat(given.work / cold, given.first) / given.tasks
    return replace(given, work=mean[given.stage] * cold)


@dataclass(frozen=True)
class Skew:
    """What is unequal in a history, as far as counts show.

    Parameters
    ----------
    cut, stages : int
        Tasks that are cut, and stages they are in.
    name : str
        Of the stage that has most to cut.
    times : float
        What its largest task reads over the median.
    counted : str
        bytes or records: in what they differ.
    median : dict of str to float
        Bytes of the usual task of the stages that are cut, those that read input, those that read shuffles,
        and those of which the file does not tell: the smallest of each; without an entry where there is none
        or bytes do not differ.
    """

    cut: int
    stages: int
    name: str
    times: float
    counted: str
    median: Mapping[str, float]


@once_for_each
def skew(model: Model) -> Skew | None:
    """Return what is unequal in a history; None where no task is cut."""
    read, stage = read_of(model), np.repeat(np.arange(model.tasks.size), model.tasks)
    times = pieces(read)
    if times.max() == 1:
        return None
    extra = np.bincount(stage, (times > 1) * np.expm1(read) * model.work * np.exp(-read), model.tasks.size)
    worst = int(np.argmax(extra))
    history = model.history
    table = history.frame("stages")
    copies = history.frame("copies")
    usual = copies[copies["copy"] == 0].groupby("stage")["bytes"].agg(["median", "max"])
    median: dict[str, float] = {}
    by_bytes = False
    for place in np.unique(stage[times > 1]):
        row = int(model.stages[place])
        middle, most = usual.loc[row] if row in usual.index else (0.0, 0.0)
        if middle > 0 and most > FACTOR * middle:
            by_bytes |= place == worst
            reads = "shuffle" if len(table["parents"][row]) else table["reads"][row] or "input"
            median[reads] = min(median.get(reads, np.inf), float(middle))
    return Skew(
        int((times > 1).sum()),
        int(np.unique(stage[times > 1]).size),
        shortened(str(table["name"][int(model.stages[worst])])),
        float(np.exp(read[stage == worst].max())),
        "bytes" if by_bytes else "records",
        median,
    )


def always_slow(model: Model) -> float:
    """Return how much longer the slowest task takes in every run; 0 where tasks that recur differ by luck."""
    hidden = model.evidence.tasks.hidden_work()
    if not hidden.size or hidden.max() < np.log(FACTOR) or hidden.var() < model.evidence.luck.var():
        return 0.0
    return float(np.exp(hidden.max()))


def _by_writing(model: Model) -> float:
    """Return how much longer the longest task is by what it writes."""
    written = model.evidence.tasks.counted_work()[:, 2:].sum(axis=1)
    return float(np.exp(written.max(initial=0.0)))


def _untold(question: Replay) -> str:
    columns = question.model.evidence.tasks.columns
    if longer := always_slow(question.model):
        return (
            f"some tasks are slow in every run of their stage, up to {longer:.1f} times as long, and the log "
            "does not count what they read: how far they can be split is not known"
        )
    if not np.abs(columns.x).max(initial=0.0) > 0:
        if not columns.counted:
            why = knows_of(question.model.history.format).untold("read")
            return f"whether tasks are unequal is hidden in luck: {why}"
        return "all tasks of a stage read as much"
    if pieces(read_of(question.model)).max(initial=1) == 1:
        if (times := _by_writing(question.model)) > FACTOR:
            return (
                f"what tasks write makes some {short(times, 2)} times as long, and no setting cuts by that: "
                "spread their keys by hand (salt them), or join after filtering"
            )
        return f"no task reads more than {FACTOR:g} times the median of its stage"
    return ""


def described(question: Replay) -> str:
    """Say which task is how much larger, and how many are cut."""
    found = skew(question.model)
    if found is None:
        return ""
    named = f" ({found.name})" if found.name else ""
    return (
        f"one task{named} holds {found.times:.2g} times the {found.counted} of the usual one; "
        f"{counted(found.cut, 'task')} of {counted(found.stages, 'stage')} would be cut"
    )


def _mb(size: float) -> str:
    """Return bytes as a setting has them.

    Examples
    --------
    >>> _mb(64e6), _mb(1000.0)
    ('64000000b', '1000b')
    """
    return f"{max(1, round(size))}b"


def _paste(question: Replay, system: str, way: Variant) -> SettingLines:
    found = skew(question.model)
    median = found.median if found else {}
    if system == "spark":
        return _spark(median)
    if system == "hadoop" and "input" in median:
        size = str(round(median["input"]))
        return SettingLines(
            "Maps: cut input finer. Reduces: more of them, or a partitioner that spreads the large keys.",
            "mapred-site.xml",
            {"mapreduce.input.fileinputformat.split.maxsize": size},
        )
    if system == "tez" and "input" in median:
        size = str(round(median["input"]))
        return SettingLines("Cut input finer.", "tez-site.xml", {"tez.grouping.max-size": size})
    if system == "flink":
        return SettingLines(
            "SQL joins in batch (since Flink 2.0): paste the line. Else rebalance before the slow operator.",
            "config.yaml",  # 2.0 reads no flink-conf.yaml
            {"table.optimizer.skewed-join-optimization.strategy": "auto"},
        )
    if system == "slurm":
        return SettingLines("Give each item of the array less to do: more, smaller items.")
    return SettingLines("Cut the input into more, smaller parts, or spread large keys over several tasks.")


def _spark(median: Mapping[str, float]) -> SettingLines:
    """Return what cuts in Spark: files by size, shuffles by adaptive execution, all else by hand."""
    settings = {}
    if "input" in median:
        settings["spark.sql.files.maxPartitionBytes"] = _mb(median["input"])
    if "shuffle" in median:
        settings |= {
            "spark.sql.adaptive.enabled": "true",
            "spark.sql.adaptive.skewJoin.enabled": "true",
            "spark.sql.adaptive.skewJoin.skewedPartitionFactor": f"{FACTOR:g}",
            # Spark compares each side of a join alone. A side that makes the task twice as large exceeds the
            # usual task by itself; the factor leaves sides whole that are not skewed.
            "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": _mb(median["shuffle"]),
            "spark.sql.adaptive.advisoryPartitionSizeInBytes": _mb(median["shuffle"]),
        }
    by_hand = "repartition() by a finer key, or more spark.sql.shuffle.partitions, in all other code"
    if UNTOLD in median:
        kept = "This file, kept by an earlier release, does not tell whether files or shuffles are read"
        return SettingLines(f"{kept}: give the log itself. Else {by_hand}.")
    if not settings:
        return SettingLines(f"Bytes do not differ, so no setting sees it: {by_hand}.")
    return SettingLines(
        f"The lines cut files and skewed joins of Spark SQL; {by_hand}.", "spark-defaults.conf", settings
    )


def _limit(question: Replay, system: str, way: Variant) -> str:
    if system == "spark":
        return "Adaptive execution cuts partitions of joins only, by bytes: not one key of a groupBy."
    return "What one key or one record needs cannot be cut."


SPLIT = Remedy(
    "split",
    "Split large tasks",
    "all tasks of a stage have equal work",
    Variant("split ceiling", "equal tasks", conditions=equal),
    (Variant("split", "splitting large tasks", conditions=cut),),
    _untold,
    _paste,
    _limit,
)
