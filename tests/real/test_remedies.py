"""On a real Spark the remedy of a known cause is named, and gains what is promised when it is applied.

Each case takes some seven minutes, hardly any of them of processor.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sim.advice.whatif.answer import Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK
from sim.logs.formats import read_history
from sim.logs.history import History
from tests.real.causes import WARM_UP, Cause

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="needs Java and pip install pyspark"),
]
#: Probability that a promise that holds is found broken, in each case.
FALSE_ALARM = 1e-3
#: A slow worker; a partition of five times the rows in every second query; six in a hundred attempts slow.
CAUSES = {
    "host": Cause(workers=[1.0, 1.0, 1.0, 3.0]),
    "split": Cause(large=5),
    "copy": Cause(stragglers=0.06),
}


def times(history: History) -> np.ndarray:
    """Return the time of the jobs of each query: those of adaptive execution are several."""
    jobs = history.frame("jobs")
    jobs = jobs[jobs["name"] != WARM_UP]
    found = (jobs["end"] - jobs["submit"]).groupby(jobs["name"]).sum()
    return found.sort_index().to_numpy(float)


def change(after: np.ndarray, before: np.ndarray) -> tuple[float, float]:
    """Return the change of the mean time of the same queries, and its standard error."""
    ratio = after.mean() / before.mean()
    error = (after - ratio * before).std(ddof=1) / before.mean() / np.sqrt(before.size)
    return float(ratio - 1), float(error)


def promised(found: Answer, key: str) -> tuple[Cause, SettingEffect]:
    """Return the application with the advice applied, and what it is to change."""
    cause = CAUSES[key]
    assert found.advice is not None
    if key == "copy":
        applied = replace(cause, settings=dict(found.advice.settings))
        return applied, found.options[found.advice.policy].change["mean"]
    first = found.leading_remedy
    assert first is not None
    assert first.change is not None
    if key == "split":
        return replace(cause, settings=dict(first.paste.settings)), first.change["mean"]
    usual = [factor for factor in cause.workers if factor == 1]
    slow = {f"127.0.0.{number}" for number, factor in enumerate(cause.workers, start=2) if factor > 1}
    assert set(re.findall(r"127\.0\.0\.\d+", first.paste.told)) == slow
    workers = usual if first.does.startswith("leaving out") else [1.0] * len(cause.workers)
    return replace(cause, workers=workers), first.change["mean"]


@pytest.mark.parametrize("key", CAUSES)
def test_the_right_remedy_is_named_and_gains_what_is_promised(key: str, tmp_path: Path) -> None:
    history = read_history(CAUSES[key].run(tmp_path / "before"))
    found = answer(
        Replay(fit(history, leave_out=WARM_UP), leave_out=WARM_UP), SPARK, replications=100, sweep=False
    )
    leads = found.leading_remedy
    assert found.copies if leads is None else leads.remedy.key == key, found.remedies
    cause, effect = promised(found, key)
    before, after = times(history), times(read_history(cause.run(tmp_path / "after")))
    assert before.size == after.size == cause.queries
    real, error = change(after, before)
    print(f"{key}: promised {effect}, real {real:.3f} with standard error {error:.3f}")
    wide = float(stats.t.isf(FALSE_ALARM / 2, before.size - 1))
    assert effect.low - wide * error <= real <= effect.high + wide * error
    assert real < 0
