"""``python -m tests.real.score``: what is promised and advised about real logs, beside what came.

Of each workload of `tests/real/pairs` the first log before the change is read as an operator would give it.
Promises of every alternative that was run are held to what the runs measured; advisers are judged by what
their advice changed. ``--record`` writes `docs/explanation/real.md`, ``--advise`` notes what the lab advises,
so that it can be run.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from sim.advice.whatif.answer import BUDGET, Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import system_of
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.model.fields import BadInput
from tests.real.pairs.__main__ import REPEATS, packed
from tests.real.pairs.workload import WARM_UP, Workload, plan
from tests.zoo.judge import JUDGED, SURE, USEFUL, Promise
from tests.zoo.truth import Change

RECORD = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "real.md"
#: Change of a plan -> what What-if calls it; all others are settings of copies.
WAYS = {
    "out": "leaving out slow hosts",
    "healthy": "replacing slow hosts",
    "split": "splitting large tasks",
    "warm": "keeping slots warm",
}
#: Jobs of a block that is drawn as one, as jobs near each other wait for each other; draws of all blocks.
BLOCK, DRAWS = 5, 2000


@cache
def log(key: str, run: str) -> History:
    """Return a log of a workload."""
    return read_history(packed(key, run))


def jobs(history: History) -> pd.DataFrame:
    """Return the time and the slot-time of each measured job, in order of submission."""
    found, stages, copies = (history.frame(one) for one in ("jobs", "stages", "copies"))
    spent = (copies["end"] - copies["launch"]).groupby(stages["job"].to_numpy()[copies["stage"]]).sum()
    found["slot_time"] = spent.reindex(found.index, fill_value=0.0)
    found["time"] = found["end"] - found["submit"]
    found = found[~found["name"].str.contains(WARM_UP)]
    return found.set_index("name").sort_values("submit")[["time", "slot_time"]]


FIGURES: dict[str, Callable[[pd.DataFrame], float]] = {
    "mean": lambda them: float(them["time"].mean()),
    "p95": lambda them: float(them["time"].quantile(0.95, interpolation="higher")),
    "slot_time": lambda them: float(them["slot_time"].sum()),
}


def measured(key: str, name: str) -> dict[str, Change]:
    """Return what a change has changed over the repetitions, with the deviation of a block bootstrap."""
    pairs = []
    for repeat in REPEATS:
        before, after = (jobs(log(key, f"{one}-{repeat}")) for one in ("before", name))
        assert set(before.index) == set(after.index), (key, name, repeat)
        pairs.append((before, after.loc[before.index]))
    sides = [pd.concat([pair[side] for pair in pairs]) for side in (0, 1)]
    blocks = [np.arange(at, min(at + BLOCK, len(sides[0]))) for at in range(0, len(sides[0]), BLOCK)]
    chance = np.random.default_rng(1)
    found = {}
    for figure, of in FIGURES.items():
        drawn = []
        for _ in range(DRAWS):
            rows = np.concatenate([blocks[one] for one in chance.integers(len(blocks), size=len(blocks))])
            drawn.append(of(sides[1].iloc[rows]) / of(sides[0].iloc[rows]))
        found[figure] = Change(of(sides[1]) / of(sides[0]) - 1, float(np.std(drawn, ddof=1)))
    return found


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
    truths : dict
        Alternative -> figure -> (change, standard error).
    """

    key: str
    system: str
    why: str
    fresh: bool
    verdict: str
    advised: str
    settings: dict[str, object]
    trial: bool
    sentence: str
    promises: list[Promise]
    truths: dict[str, dict[str, tuple[float, float]]]


def score(key: str, replications: int = 100) -> Scored:
    """Ask the lab about a workload, and compare."""
    workload, found, sentence = plan()[key], None, ""
    there = {
        name
        for name in workload.alternatives
        if all(packed(key, f"{name}-{one}").exists() for one in REPEATS)
    }
    truths = {name: measured(key, name) for name in workload.alternatives if name in there}
    try:
        found = asked(log(key, "before-1"), replications)
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
        advised,
        settings,
        bool(found and found.advice and found.advice.trial),
        sentence,
        promises,
        {name: {figure: (of.value, of.error) for figure, of in one.items()} for name, one in truths.items()},
    )


def asked(history: History, replications: int) -> Answer:
    """Return what What-if says, as a page would."""
    question = Replay(fit(history, leave_out=WARM_UP), leave_out=WARM_UP)
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
    if name in WAYS:
        return WAYS[name]
    if found is None or found.system is None:
        return ""
    wanted = workload.alternatives[name].items()
    for text, option in found.options.items():
        if wanted <= found.system.settings(option.policy).items():
            return text
    return ""


def advice(workload: Workload, found: Answer | None) -> tuple[str, dict[str, object]]:
    """Return which alternative the lab advises, and its settings; ``advised`` if it has not been run."""
    if found is None or not found.advises:
        return "before", {}
    remedy, advised = found.leading_remedy, found.advice
    what = remedy.does if remedy else advised.policy if advised else ""
    for name in workload.alternatives:
        if means(workload, name, found) == what:
            return name, {**workload.alternatives[name]}
    if remedy is None and advised is not None:
        return "advised", {**advised.settings}
    if remedy is not None and remedy.does == WAYS["split"] and workload.skew:
        return "advised", {"split": 5}
    return what, {}
