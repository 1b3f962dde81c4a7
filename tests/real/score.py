"""``python -m tests.real.score``: what is promised and advised about real logs, beside what came.

Of each workload of `tests/real/pairs` the first log before the change is read as an operator would give it.
Promises of every alternative that was run are held to what the runs measured; advisers are judged by what
their advice changed. ``--record`` writes `docs/explanation/real.md`, ``--advise`` notes what the lab advises,
so that it can be run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.advice.several.after import compared
from sim.advice.whatif.answer import BUDGET, Answer
from sim.advice.whatif.certificate import FILE, Certificate, promising
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import system_of
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.model.fields import BadInput
from sim.version import __version__
from tests.real.pairs.__main__ import LOGS, REPEATS, packed
from tests.real.pairs.workload import ADVISED, WARM_UP, Workload, plan
from tests.sim.faces import flat
from tests.zoo.judge import JUDGED, SURE, USEFUL, Promise
from tests.zoo.truth import Change

RECORD = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "real.md"
ZOO = RECORD.with_name("zoo.md")
ROWS = Path(__file__).with_name("scored.json")
#: Change of a plan -> what What-if calls it; all others are settings of copies.
WAYS = {
    "out": "leaving out slow hosts",
    "healthy": "replacing slow hosts",
    "split": "splitting large tasks",
    "warm": "keeping slots warm",
}
#: Of an answer, as on the page.
REPLICATIONS = 100
#: Jobs of a block that is drawn as one, as jobs near each other wait for each other; draws of all blocks.
BLOCK, DRAWS = 5, 2000


@cache
def log(key: str, name: str, repeat: int = 1) -> History:
    """Return a log of a workload."""
    return read_history(packed(key, name, repeat))


def jobs(history: History) -> pd.DataFrame:
    """Return the time and the slot-time of each measured job, in order of submission."""
    found, stages, copies = (history.frame(one) for one in ("jobs", "stages", "copies"))
    spent = (copies["end"] - copies["launch"]).groupby(stages["job"].to_numpy()[copies["stage"]]).sum()
    found["slot_time"] = spent.reindex(found.index, fill_value=0.0)
    found["time"] = found["end"] - found["submit"]
    found["name"] = found["name"].str.rpartition("/")[2]  # of Dask: after the file of the job
    found = found[~found["name"].str.contains(WARM_UP)]
    return found.set_index("name").sort_values("submit")[["time", "slot_time"]]


FIGURES: dict[str, Callable[[pd.DataFrame], float]] = {
    "mean": lambda them: float(them["time"].mean()),
    "p95": lambda them: float(them["time"].quantile(0.95, interpolation="higher")),
    "slot_time": lambda them: float(them["slot_time"].sum()),
}


def measured(key: str, name: str) -> dict[str, Change]:
    """Return what a change has changed over the repetitions."""
    pairs = []
    for repeat in REPEATS:
        before, after = (jobs(log(key, one, repeat)) for one in ("before", name))
        assert set(before.index) == set(after.index), (key, name, repeat)
        pairs.append((before, after.loc[before.index]))
    return change_of(*(pd.concat([pair[side] for pair in pairs]) for side in (0, 1)))


def change_of(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, Change]:
    """Return the change of each figure of the same jobs, with the deviation of a block bootstrap.

    Source: Kuensch, Ann. Statist. 17 (1989): blocks that follow each other are drawn, not jobs.
    """
    blocks = [np.arange(at, min(at + BLOCK, len(before))) for at in range(0, len(before), BLOCK)]
    chance = np.random.default_rng(1)
    found = {}
    for figure, of in FIGURES.items():
        drawn = []
        for _ in range(DRAWS):
            rows = np.concatenate([blocks[one] for one in chance.integers(len(blocks), size=len(blocks))])
            drawn.append(of(after.iloc[rows]) / of(before.iloc[rows]))
        found[figure] = Change(of(after) / of(before) - 1, float(np.std(drawn, ddof=1)))
    return found


@dataclass(frozen=True)
class Kept:
    """A band that holds 90 % of single runs, as Before and after promises it, and what one run came to."""

    setting: str
    repeat: int
    figure: str
    low: float
    middle: float
    high: float
    came: float

    @property
    def covers(self) -> bool:
        """Whether it came so."""
        return self.low <= self.came <= self.high


@dataclass(frozen=True)
class Scored:
    """What was said about a workload.

    Parameters
    ----------
    key, system, why : str
        Of the workload.
    fresh : bool
        Whether nothing is widened by it.
    verdict : str
        Of the check of the model, or refused.
    copies : dict
        What other advisers say -> the alternative they mean, ``before`` where the log was recorded so.
    slow : float
        95 % quantile of durations over the median of their stage, by which a rule of thumb goes.
    named : str
        The remedy that comes first, such as ``copy``; '' for none.
    mended : list of str
        Remedies that mend a cause of the workload.
    advised : str
        The alternative that the lab advises, ``before`` for none.
    settings : dict
        What is advised, as settings of the system.
    trial : bool
        Whether it is to be tried first.
    sentence : str
        Why there is no model.
    promises : list of Promise
        Of all alternatives.
    bands : list of Kept
        Of the settings of copies that the logs name, in each repetition.
    truths : dict
        Alternative -> figure -> (change, standard error).
    """

    key: str
    system: str
    why: str
    fresh: bool
    verdict: str
    copies: dict[str, str]
    slow: float
    named: str
    mended: list[str]
    advised: str
    settings: dict[str, object]
    trial: bool
    sentence: str
    promises: list[Promise]
    bands: list[Kept]
    truths: dict[str, dict[str, tuple[float, float]]]

    @classmethod
    def of(cls, row: dict[str, Any]) -> Scored:
        """Return it from its values of JSON."""
        promises, bands = (
            [kind(**one) for one in row[name]] for kind, name in ((Promise, "promises"), (Kept, "bands"))
        )
        return cls(**row | {"promises": promises, "bands": bands})


def score(key: str, replications: int = REPLICATIONS) -> Scored:
    """Ask the lab about a workload, and compare."""
    workload, found, sentence = plan()[key], None, ""
    there = {
        name for name in workload.alternatives if all(packed(key, name, one).exists() for one in REPEATS)
    }
    truths = {name: measured(key, name) for name in workload.alternatives if name in there}
    try:
        found = asked(log(key, "before"), replications)
    except BadInput as error:
        sentence = str(error)
    promised = changes(found) if found else {}
    promises = [
        Promise(name, figure, effect.value, effect.low, effect.high, of.value, of.error, effect.sure)
        for name, figures in truths.items()
        for figure, of in figures.items()
        if (effect := promised.get(means(workload, name, found), {}).get(figure))
        and math.isfinite(effect.value)
    ]
    advised, settings = advice(workload, found)
    return Scored(
        key,
        workload.system,
        workload.why,
        workload.fresh,
        found.check.verdict if found else "refused",
        {one: copied(workload, one) for one in ("off", "1.5/0.75", "3/0.9")},
        slowness(log(key, "before")),
        named(found),
        sorted(workload.mended),
        advised,
        settings,
        bool(found and found.advice and found.advice.trial),
        sentence,
        promises,
        [*bands(key, truths)],
        {name: {figure: (of.value, of.error) for figure, of in one.items()} for name, one in truths.items()},
    )


def asked(history: History, replications: int) -> Answer:
    """Return what What-if says, as a page would."""
    warmed = history.frame("jobs")["name"].str.contains(WARM_UP).any()
    left = WARM_UP if warmed else ""
    question = Replay(fit(history, leave_out=left), leave_out=left)
    return answer(question, system_of(history), replications=replications, sweep=False, threads=1)


def changes(found: Answer) -> dict[str, dict[str, SettingEffect]]:
    """Return what each policy, and each remedy by what it does, is promised to change."""
    known = {text: dict(one.change) for text, one in found.options.items()}
    for one in found.remedies.judged if found.remedies else ():
        for does, change in {one.does: one.change, **one.others}.items():
            if change is not None:
                known[does] = dict(change)
    return known


def means(workload: Workload, name: str, found: Answer | None) -> str:
    """Return the policy, or what the remedy does, by which What-if knows an alternative; '' if by none."""
    told = workload.alternatives[name]
    for way, settings in remedies(workload).items():
        if settings == told:
            return WAYS[way]
    if name in WAYS:
        return WAYS[name]
    if found is None or found.system is None:
        return ""
    for text, option in found.options.items():
        if told.items() <= found.system.settings(option.policy).items():
            return text
    return ""


def remedies(workload: Workload) -> dict[str, dict[str, object]]:
    """Return what of a workload changes if a remedy is applied to its causes, by `WAYS`."""
    found: dict[str, dict[str, object]] = {}
    if max(workload.hosts) > 1:
        found["out"] = {"hosts": [factor for factor in workload.hosts if factor == 1]}
        found["healthy"] = {"hosts": [1.0] * len(workload.hosts)}
    if workload.skew:
        found["split"] = {"split": 5}
    return found


def advice(workload: Workload, found: Answer | None) -> tuple[str, dict[str, object]]:
    """Return which alternative the lab advises, and its settings; ``advised`` if it was not in the plan."""
    if found is None or not found.advises:
        return "before", {}
    remedy, advised = found.leading_remedy, found.advice
    what = remedy.does if remedy else advised.policy if advised else ""
    for name, settings in workload.alternatives.items():
        if means(workload, name, found) == what:
            return name, {**settings}
    if remedy is None and advised is not None:
        return "advised", {**advised.settings}
    way = next((way for way in remedies(workload) if WAYS[way] == what), "")
    return ("advised", remedies(workload)[way]) if way else (what, {})


def bands(key: str, names: Iterable[str]) -> Iterator[Kept]:
    """Yield what Before and after promises of each pair of runs under settings of copies."""
    for name in (name for name in names if plan()[key].system.startswith("spark") and name not in WAYS):
        for repeat in REPEATS:
            runs = [log(key, one, repeat) for one in ("before", name)]
            left = WARM_UP if any(WARM_UP in str(one) for one in runs[0].frame("jobs")["name"]) else ""
            found = compared(runs[:1], runs[1:], 200, leave_out=left).promise
            for figure, band in (found.bands if found else {}).items():
                if (of := figure.replace("-", "_")) in JUDGED:
                    yield Kept(name, repeat, of, band.low, band.middle, band.high, band.after)


def named(found: Answer | None) -> str:
    """Return which remedy comes first: by the remedies that surely pay, or copies that are to be tried."""
    if found is None or not found.advises:
        return ""
    return found.leading_remedy.remedy.key if found.leading_remedy else "copy"


def copied(workload: Workload, name: str) -> str:
    """Return the alternative that has copies so; ``before`` where that is what was recorded."""
    if not workload.system.startswith("spark"):
        fast = "fast" if "fast" in workload.alternatives else "before"
        return fast if name == "1.5/0.75" else "before"  # what ships with Flink copies no task of a second
    return name if name in workload.alternatives else "before"


def slowness(history: History) -> float:
    """Return the 95 % quantile of the durations of finished copies over the median of their stage."""
    copies = history.frame("copies")
    copies = copies[copies["complete"]]
    times = copies["end"] - copies["launch"]
    stages = times.groupby(copies["stage"])
    ratios = (times / stages.transform("median"))[stages.transform("size") >= 10]
    return float(ratios.quantile(0.95)) if len(ratios) else 1.0


#: Adviser -> the alternative that it advises for a workload.
ADVISERS: dict[str, Callable[[Scored], str]] = {
    "the lab": lambda one: one.advised,
    "never copies": lambda one: one.copies["off"],
    "always the defaults of Spark (4: 3 / 0.9; 3: 1.5 / 0.75)": lambda one: one.copies[
        "1.5/0.75" if one.system == "spark-3.5" else "3/0.9"
    ],
    "always 1.5 / 0.75": lambda one: one.copies["1.5/0.75"],
    "1.5 / 0.75 where the 95 % quantile is three medians or more, else none": lambda one: one.copies[
        "1.5/0.75" if one.slow >= 3 else "off"
    ],
}


def effect(one: Scored, name: str) -> dict[str, Change] | None:
    """Return what an alternative truly changes; None where it was not run."""
    if name == "before":
        return dict.fromkeys(FIGURES, Change(0.0, 0.0))
    return {figure: Change(*of) for figure, of in one.truths[name].items()} if name in one.truths else None


def harms(change: dict[str, Change]) -> bool:
    """Say whether jobs get longer, or slot-time more than the budget, beyond noise."""
    mean, cost = change["mean"], change["slot_time"]
    return mean.value - SURE * mean.error > 0 or cost.value - SURE * cost.error > BUDGET


def helps(change: dict[str, Change]) -> bool:
    """Say whether jobs get clearly shorter within the budget."""
    mean, cost = change["mean"], change["slot_time"]
    return (
        mean.value <= USEFUL
        and mean.value + SURE * mean.error < 0
        and cost.value <= BUDGET
        and not harms(change)
    )


def advisers(scored: Sequence[Scored]) -> str:
    """Return the table of advisers, in Markdown."""
    rows = [
        "| adviser | useful | harmful | changes nothing | mean change of the mean job time | of slot-time |"
    ]
    rows.append("|---|--:|--:|--:|--:|--:|")
    could = sum(any(helps(_effect(one, name)) for name in one.truths) for one in scored)
    for title, says in ADVISERS.items():
        effects = [found for one in scored if (found := effect(one, says(one)))]
        gains = [np.mean([found[figure].value for found in effects]) for figure in ("mean", "slot_time")]
        cells = (
            title,
            f"{sum(map(helps, effects))} of {could}",
            f"{sum(map(harms, effects))} of {len(effects)}",
            sum(says(one) == "before" for one in scored),
            *(f"{100 * gain:+.1f} %" for gain in gains),
        )
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def _effect(one: Scored, name: str) -> dict[str, Change]:
    found = effect(one, name)
    assert found is not None
    return found


def factor(promises: Iterable[Promise], share: float = 0.9) -> float:
    """Return by how much intervals are to be widened (split conformal): 1 where they hold often enough.

    The (n + 1) `share`-th smallest of n distances, each that of the truth from what was promised over that of
    the end of the interval on its side. Source: Vovk, Gammerman and Shafer, Algorithmic Learning in a Random
    World (2005), section 2.2; Lei et al., JASA 113 (2018).

    Examples
    --------
    >>> ten = [Promise("off", "mean", 0.0, -0.1, 0.1, true / 100, 0.0) for true in range(1, 16)]
    >>> factor(ten), factor(ten[:4])
    (1.5, inf)
    """
    far = sorted(map(distance, promises))
    rank = math.ceil((len(far) + 1) * share)
    return max(1.0, far[rank - 1]) if rank <= len(far) else math.inf


def distance(one: Promise) -> float:
    """Return how far the truth, as far as it is known, lies from the promise: 1 is the interval's end."""
    off = one.true - one.value
    end = one.high - one.value if off > 0 else one.value - one.low
    beyond = max(0.0, abs(off) - SURE * one.error)
    return round(beyond / end, 9) if end > 0 else math.inf if beyond else 0.0


def coverage(scored: Sequence[Scored]) -> str:
    """Return how often intervals held, in Markdown."""
    wide = factor(one for row in scored if not row.fresh for one in row.promises)
    rows = [
        "| figure | promises | held | held by the measured value | mean half-width | error of the runs | "
        f"fresh promises | held | held if widened by {wide:.2f} |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for figure in (*JUDGED, "all"):
        chosen = [(one, row.fresh) for row in scored for one in row.promises if figure in (one.figure, "all")]
        every, fresh = [one for one, _ in chosen], [one for one, new in chosen if new]
        cells = (
            figure,
            len(every),
            _share(one.covers for one in every),
            _share(one.low <= one.true <= one.high for one in every),
            f"{50 * np.mean([one.high - one.low for one in every]):.1f} points",
            f"{100 * np.mean([one.error for one in every]):.1f} points",
            len(fresh),
            _share(one.covers for one in fresh),
            _share(distance(one) <= wide for one in fresh),
        )
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def of_runs(scored: Sequence[Scored]) -> str:
    """Return how often single runs came into their band, in Markdown."""
    rows = ["| figure | runs | in the band that is to hold 90 % | fresh runs | in it | mean half-width |"]
    rows.append("|---|--:|--:|--:|--:|--:|")
    for figure in (*JUDGED, "all"):
        chosen = [(one, row.fresh) for row in scored for one in row.bands if figure in (one.figure, "all")]
        fresh = [one for one, new in chosen if new]
        wide = np.mean([(one.high - one.low) / one.middle for one, _ in chosen]) if chosen else 0.0
        cells = (
            figure,
            len(chosen),
            _share(one.covers for one, _ in chosen),
            len(fresh),
            _share(one.covers for one in fresh),
            f"{50 * wide:.0f} %",
        )
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def _share(held: Iterable[bool]) -> str:
    them = [*held]
    return f"{sum(them)} ({100 * sum(them) / max(1, len(them)):.0f} %)"


def missed(scored: Sequence[Scored]) -> str:
    """Return every promise that did not hold, in Markdown."""
    rows = ["| workload | change | figure | promised | measured | error |", "|---|---|---|--:|--:|--:|"]
    rows += [
        f"| {row.key} | {one.setting} | {one.figure} | {one.change.percent} | {100 * one.true:+.1f} % | "
        f"{100 * one.error:.1f} |"
        for row in scored
        for one in row.promises
        if not one.covers
    ]
    return "\n".join(rows)


def listed(scored: Sequence[Scored]) -> str:
    """Return what was advised of each workload, in Markdown."""
    rows = [
        "| workload | cause | model | the lab advises | mean job time | slot-time | best that was run |",
        "|---|---|---|---|--:|--:|---|",
    ]
    for one in scored:
        found = effect(one, one.advised)
        good = {name: _effect(one, name)["mean"].value for name in one.truths if helps(_effect(one, name))}
        best = min(good, key=good.__getitem__, default="")
        told = (
            one.advised if one.advised != "advised" else " ".join(f"{k}={v}" for k, v in one.settings.items())
        )
        cells = (
            f"{one.key} ({one.system})",
            one.why,
            one.verdict,
            f"{'try ' * one.trial}{'nothing' if told == 'before' else told}",
            *(_percent(found[figure]) if found else "not run" for figure in ("mean", "slot_time")),
            f"{best}, {100 * good[best]:+.1f} %" if best else "nothing helps",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _percent(change: Change) -> str:
    return f"{100 * change.value:+.1f} ± {100 * change.error:.1f} %"


PAGE = """# Real clusters before and after a change

Written by `python -m tests.real.score --record`; version {version}. {workloads} workloads on {systems} real
systems of this project's own ({names}), each with a planned cause of slow tasks, and
{changes} changes of one setting or remedy each. [The plan]({plan}) was written before the
first run, and no workload was taken out after it. Each was run twice, with the same jobs and the same luck of
first attempts before and after. The lab reads the first log before the change, as an operator would give it,
with {replications} replications; the runs say what each change did. `python -m tests.real.pairs` makes the
logs again.

What is true here is true of these clusters: tasks that sleep, four hosts of three slots, one or two minutes.

## Whether promises hold

- A *promise* is the 95 % interval of the change of mean, p95 or slot-time. It holds if what was measured lies
  inside, up to two standard errors of the measurement (a bootstrap over blocks of five jobs, {draws} draws).
- The interval would be *widened* by the factor that split conformal prediction asks for so that 90 % hold,
  from the workloads that are not fresh; the fresh ones say whether that is enough.

{coverage}

{factor}

Before and after promises a band that holds 90 % of single runs; of the settings that logs of Spark name:

{of_runs}

Every promise that did not hold:

{missed}

{reasons}

## Who advises best

- *Useful*: jobs take at least 3 % less time, beyond two standard errors, for at most 5 % more slot-time.
- *Harmful*: jobs take longer, or slot-time is more than 5 % higher, beyond two standard errors.

{advisers}

{causes}

## What was advised, and what it did

{listed}
"""
REASONS = Path(__file__).with_name("reasons.md")


def causes(scored: Sequence[Scored]) -> str:
    """Say how often the remedy that comes first mends a planned cause."""
    told = [one for one in scored if one.named]
    right = sum(one.named in one.mended for one in told)
    silent = sum(one.verdict in ("poor", "refused") for one in scored)
    return (
        f"The lab names a remedy for {len(told)} of {len(scored)} workloads; in {right} of them it mends a "
        f"planned cause. It cannot tell, as its model does not reproduce the log, in {silent}."
    )


def page(scored: Sequence[Scored]) -> str:
    """Return the page of `docs`."""
    calibrating = [one for row in scored if not row.fresh for one in row.promises]
    wide = factor(calibrating)
    told = f"Of {len(calibrating)} promises that are not fresh the factor is {wide:.2f}" + (
        ": intervals are wide enough as they are." if wide == 1 else "."
    )
    return PAGE.format(
        version=__version__,
        workloads=len(scored),
        systems=len({one.system.partition("-")[0] for one in scored}),
        names=", ".join(sorted({one.system for one in scored})),
        changes=sum(len(one.truths) for one in scored),
        plan="../../tests/real/pairs/plan.toml",
        replications=REPLICATIONS,
        draws=f"{DRAWS:,}",
        coverage=coverage(scored),
        factor=told,
        of_runs=of_runs(scored),
        missed=missed(scored),
        reasons=REASONS.read_text("utf-8").strip() if REASONS.exists() else "",
        advisers=advisers(scored),
        causes=causes(scored),
        listed=listed(scored),
    )


def certified(scored: Sequence[Scored]) -> Certificate:
    """Return what is said beside each advice."""
    promises = [one for row in scored for one in row.promises]
    fresh = [one for row in scored if row.fresh for one in row.promises]
    advised = [found for one in scored if one.advised != "before" and (found := effect(one, one.advised))]
    zoo = re.search(r"\*\*all\*\* \| (\d+) \| \d+ \| ([\d,]+) of ([\d,]+)", ZOO.read_text("utf-8"))
    assert zoo is not None
    worlds, worlds_held, worlds_promises = (int(one.replace(",", "")) for one in zoo.groups())
    return Certificate(
        version=__version__,
        sources=promising(),
        pairs=pairs_digest(),
        held=sum(one.covers for one in promises),
        promises=len(promises),
        changes=sum(len(one.truths) for one in scored),
        systems=len({one.system.partition("-")[0] for one in scored}),
        fresh_held=sum(one.covers for one in fresh),
        fresh=len(fresh),
        worlds_held=worlds_held,
        worlds_promises=worlds_promises,
        worlds=worlds,
        harmful=sum(map(harms, advised)),
        advised=len(advised),
        factor=factor(one for row in scored if not row.fresh for one in row.promises),
    )


def pairs_digest() -> str:
    """Return sixteen digits that change with the logs."""
    state = hashlib.sha256()
    for path in sorted(one for one in LOGS.rglob("*") if one.is_file()):
        state.update(path.relative_to(LOGS).as_posix().encode() + path.read_bytes())
    return state.hexdigest()[:16]


def noted(scored: Sequence[Scored]) -> str:
    """Return what is advised and has not been run, as TOML."""
    lines = ["# What the lab advises from the first log of each workload, where that was not in the plan."]
    for one in scored:
        if one.advised == "advised":
            lines += ["", f"[{one.key}]"]
            lines += [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in one.settings.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Score workloads on two processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.real.score", description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    for name, about in (
        ("advise", "note what is advised and was not run"),
        ("record", "write the record"),
        ("check", "compare with it"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=about)
    chosen = parser.parse_args()
    keys = [key for key in chosen.keys or plan() if packed(key, "before", REPEATS[-1]).exists()]
    with ProcessPoolExecutor(2) as pool:
        scored = [*pool.map(score, keys, [chosen.replications] * len(keys))]
    print(page(scored))
    if chosen.advise:
        ADVISED.write_text(noted(scored), "utf-8")
    if chosen.record:
        ROWS.write_text(json.dumps([asdict(one) for one in scored]) + "\n", "utf-8")
        RECORD.write_text(page(scored), "utf-8")
        FILE.write_text(json.dumps(asdict(certified(scored)), indent=1) + "\n", "utf-8")
    if chosen.check and (other := differing(scored)):
        sys.exit(f"the record says something else of {', '.join(other)}: --record counts again")


def recorded() -> list[Scored]:
    """Return what the record is made of."""
    return [Scored.of(row) for row in json.loads(ROWS.read_text("utf-8"))]


def differing(scored: Iterable[Scored]) -> list[str]:
    """Return the workloads of which other promises or another advice were recorded."""
    known = {one.key: one for one in recorded()}
    return [one.key for one in scored if not alike(asdict(one), asdict(known[one.key]))]


def alike(one: Any, other: Any) -> bool:
    """Say whether two values of JSON are the same, numbers up to 1 %: processors round differently.

    Examples
    --------
    >>> alike({"a": [1.0, "x"]}, {"a": [1.001, "x"]}), alike({"a": [1.0]}, {"a": [1.0, 2.0]}), alike("x", "y")
    (True, False, False)
    """
    ours, theirs = dict(flat(one)), dict(flat(other))
    return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=0.01, abs_tol=0.001)
    return bool(one == other)


if __name__ == "__main__":
    main()
