"""The same seed gives the same bits, however a run is carried out.

That the size of an engine call moves no bit is asserted of every run that is held against the twin.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sim.engines.registry import preset
from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import Workload, generate
from tests.sim.slots.runs import digest, run_to_end
from tests.strategies import HOMES, PAIRS


def busy_run() -> tuple[SlotScenario, Workload]:
    """A run of a few hundred events in which every rule has something to decide."""
    scenario = preset("small").scenario.replace(jobs=20, observe="fraction:0.2")
    return scenario, generate(scenario, 3)


@pytest.mark.compiled
def test_threads_move_no_bit():
    scenario, workload = busy_run()
    alone = [digest(run_to_end(scenario, pair, workload)) for pair in PAIRS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: digest(run_to_end(scenario, pair, workload)), PAIRS))
    assert together == alone


def test_other_luck_moves_something():
    scenario, workload = busy_run()
    runs = [run_to_end(scenario.replace(seed=seed), "fair+late", workload) for seed in (1, 2)]
    assert digest(runs[0]) != digest(runs[1])
    again = [run_to_end(scenario, "fair+late", workload, replication=replication) for replication in (3, 4)]
    assert digest(again[0]) != digest(again[1])


def elsewhere(**environment: str) -> list[str]:
    """Digests of the busy run under every pair at home, from another process."""
    done = subprocess.run(
        [sys.executable, "-c", "from tests.sim.slots.test_bits import *; print(*all_digests())"],
        cwd=Path(__file__).parents[3],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def all_digests() -> list[str]:
    """Digests of the busy run under every pair at home."""
    scenario, workload = busy_run()
    return [digest(run_to_end(scenario, pair, workload)) for pair in HOMES]


@pytest.mark.slow  # the twins are agreed with to the bit by compiled code, and by Python without it
@pytest.mark.compiled
def test_compilation_moves_no_bit():
    assert elsewhere(NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore") == all_digests()


@pytest.mark.slow
@pytest.mark.compiled
def test_an_empty_cache_and_a_filled_one_move_no_bit(tmp_path):
    empty, filled = (elsewhere(NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert empty == filled == all_digests()
