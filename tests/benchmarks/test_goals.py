"""The benchmarks notice a slower engine; with ``-m speed`` they ask whether ours is slower."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import latencies
from tests.benchmarks.goals import Rate, conclude, tolerated
from tests.browser.server import ROOT


def test_a_rate_below_the_tolerance_ends_the_benchmark_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    share = tolerated(["--tolerance", "0.8"])
    assert conclude([Rate("a", 0.0801, 0.1), Rate("b", 0.01)], share) == 0
    assert capsys.readouterr().out == ""
    assert conclude([Rate("a", 0.0801, 0.1), Rate("c", 0.0799, 0.1, 0.2)], share) == 1
    assert capsys.readouterr().out == "c: 0.0799 of the yardstick is 0.80 of 0.1000, below 0.8\n"
    assert conclude([Rate("a", 0.0, 0.1)], tolerated(["--tolerance", "0"])) == 0


def test_a_wait_beyond_the_allowance_ends_the_benchmark_with_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latencies, "_late", [])
    latencies.told("slider", [0.2] * 18 + [0.701, 0.701], 350)  # its 95th percentile is 701 ms
    latencies.told("without a goal", [9.0])
    assert "p95    701 ms  (goal p95 350, 2.00 of it)" in capsys.readouterr().out
    assert latencies.conclude(2.01) == 0
    assert latencies.conclude(2.0) == 1
    assert capsys.readouterr().out == "beyond its goal by more than 2 times: slider\n"


#: Each benchmark that has goals, with what it may miss them by.
LINES = (
    *(f"{engine} --tolerance 0.7" for engine in ("engine", "probes", "gang")),
    *(f"{other} --allowance 1.5" for other in ("cold", "fresh", "map", "page", "room", "traces", "uploads")),
    "scaling processes --allowance 1.2",
    "ratio",
)


@pytest.mark.compiled
@pytest.mark.speed
@pytest.mark.parametrize("line", LINES)
def test_nothing_has_become_slower(line: str) -> None:
    name, *options = line.split()
    whole = [sys.executable, "-m", f"tests.benchmarks.{name}", *options]
    done = subprocess.run(whole, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_benchmark_that_has_goals_is_among_them() -> None:
    """But those of a whole site, which need nginx, and of half an hour."""
    goals = re.compile(r"import .*\bconclude\b|return bool\(wrong\)")
    having = {path.stem for path in Path(__file__).parent.glob("*.py") if goals.search(path.read_text())}
    assert having - {"test_goals"} == {line.split()[0] for line in LINES} | {"class_of_200", "soak"}
