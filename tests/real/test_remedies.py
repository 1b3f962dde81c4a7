"""On a real Spark the remedy of a known cause is named, and gains what is promised when it is applied."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sim.traces.formats import read_history
from sim.whatif.answer import Answer, answer
from sim.whatif.model import fit
from sim.whatif.remedies.judged import Judged
from sim.whatif.runs import Question
from sim.whatif.systems import SPARK
from tests.real.causes import JOBS, Cause

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="needs Java and pip install pyspark"),
]
#: Standard errors of the real change by which it may be outside of what is promised: one in a thousand.
WIDE = 3.3
#: Slow worker; one partition of five times the records in every second job; six in a hundred attempts slow.
SLOW = Cause(workers=[1.0, 1.0, 1.0, 2.0])
LARGE = Cause(large=5)
LUCK = Cause(stragglers=0.06)


def answered(cause: Cause, folder: Path) -> tuple[Answer, np.ndarray]:
    """Run an application; return what is said of its log, and its job times."""
    cause.run(sys.executable, folder)
    (log,) = (folder / "logs").iterdir()
    found = answer(Question(fit(read_history(log))), SPARK, replications=100, sweep=False)
    return found, np.array(json.loads((folder / "times.json").read_text()))


def change(after: np.ndarray, before: np.ndarray) -> tuple[float, float]:
    """Return the change of the mean job time, and its standard error: the same jobs at the same times."""
    ratio = after.mean() / before.mean()
    error = (after - ratio * before).std(ddof=1) / before.mean() / np.sqrt(JOBS)
    return float(ratio - 1), float(error)


def judged(found: Answer, key: str) -> Judged:
    assert found.remedies is not None
    return next(one for one in found.remedies.judged if one.remedy.key == key)


def applied(first: Judged, found: Answer) -> Cause:
    """Return the application with the remedy that was named applied."""
    if first.remedy.key == "host":
        return replace(SLOW, workers=SLOW.workers[:3] if "leaving" in first.does else [1.0] * 4)
    if first.remedy.key == "split":
        return replace(LARGE, pieces=LARGE.large)
    assert found.advice is not None
    return replace(LUCK, settings=dict(found.advice.settings))


@pytest.mark.parametrize(("cause", "key"), [(SLOW, "host"), (LARGE, "split"), (LUCK, "copy")])
def test_the_right_remedy_is_named_and_gains_what_is_promised(cause: Cause, key: str, tmp_path: Path) -> None:
    found, before = answered(cause, tmp_path / "before")
    first = judged(found, key)
    assert found.remedies is not None
    assert found.remedies.first is first or (
        key == "copy" and found.advice is not None and found.advice.trial
    )
    _, after = answered(applied(first, found), tmp_path / "after")
    gained, error = change(after, before)
    assert first.change is not None
    promised = first.change["mean"]
    assert promised.low - WIDE * error <= gained <= promised.high + WIDE * error
    assert gained < 0
