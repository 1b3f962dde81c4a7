"""Engines become ready: compiled in processes that may die, with progress reports."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sim.engines.registry import ENGINES
from sim.model.policy import Policy
from sim.running import compiled
from sim.running.compiled import PARTS, Engines
from sim.running.execution import Effort
from sim.running.live import Pool, RunRequest
from sim.running.processes.worker import Ended
from tests.conftest import JIT_IS_OFF, ROOT
from tests.sim.test_live import SMALL, snapshots


class Processes:
    """Processes that compile as they are told to."""

    def __init__(self, *fates: str) -> None:
        self.fates = list(fates)
        self.begun: list[str] = []
        self.go_on, self.go_further = threading.Event(), threading.Event()
        self.go_on.set()
        self.go_further.set()

    def __call__(self, limits: object) -> Processes:
        return self

    def call(self, function: object, key: str, progress: Callable[[int], None]) -> None:
        self.begun.append(key)
        assert self.go_on.wait(20)
        progress(PARTS)
        assert self.go_further.wait(20)
        fate = self.fates.pop(0) if self.fates else ""
        if fate:
            raise Ended(fate)

    def close(self) -> None:
        pass


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    made = Processes()
    monkeypatch.setattr(compiled, "Worker", made)
    monkeypatch.setattr(compiled, "is_compiled", lambda key: False)
    monkeypatch.setattr(compiled, "compile_engine", lambda key: None)  # what this process would load
    return made


needs_compiler = pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")


@needs_compiler
def test_an_engine_is_compiled_once_for_all_who_ask(processes: Processes) -> None:
    engines, called = Engines(), threading.Semaphore(0)
    processes.go_on.clear()
    assert not any(engines.ready("slots", called.release) for _ in range(5))
    share, told = engines.progress("slots")
    assert share == 0
    assert told.startswith("Compiling this engine once on this machine: 0 s so far.")
    processes.go_on.set()
    for _ in range(5):
        assert called.acquire(timeout=20)
    assert engines.ready("slots")
    assert engines.progress("slots") == (1.0, "")
    engines.wait()
    assert sorted(processes.begun) == sorted(ENGINES)


@needs_compiler
def test_a_policy_is_ready_once_its_rules_are_compiled_and_then_the_other_engines_are_begun(
    processes: Processes,
) -> None:
    first, *_, last = compiled.experiment("slots").policies
    engines, called = Engines(), threading.Semaphore(0)
    processes.go_further.clear()
    assert not engines.ready("slots", called.release, first)
    assert called.acquire(timeout=20)
    assert engines.ready("slots", policy=first)
    assert not engines.ready("slots", policy=last)
    assert not engines.ready("slots")
    processes.go_further.set()
    engines.wait()
    assert engines.ready("slots", policy=last)
    assert sorted(processes.begun) == sorted(ENGINES)


@needs_compiler
def test_an_engine_that_is_compiled_is_ready_before_all_its_rules_are_loaded(processes, monkeypatch) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(compiled, "is_compiled", lambda key: True)
    monkeypatch.setattr(compiled, "compile_engine", loaded.append)
    engines = Engines()
    engines.wait()
    assert engines.ready("slots")
    assert loaded == []
    engines.load()
    assert loaded == list(ENGINES)


def test_an_engine_that_cannot_be_loaded_does_not_keep_the_others_from_it(processes, monkeypatch) -> None:
    tried: list[str] = []

    def broken(key: str) -> None:
        tried.append(key)
        raise OSError("a broken cache")

    monkeypatch.setattr(compiled, "is_compiled", lambda key: True)
    monkeypatch.setattr(compiled, "compile_engine", broken)
    Engines().load()
    assert tried == list(ENGINES)


@needs_compiler
def test_a_process_that_dies_is_started_again_a_few_times(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes.fates = ["died", "memory"]
    engines = Engines()
    engines.wait()
    assert len(processes.begun) == len(ENGINES) + 2
    processes.begun.clear()
    processes.fates = ["died"] * 99
    done: list[str] = []
    monkeypatch.setattr(compiled, "compile_engine", done.append)
    engines = Engines()
    engines.wait()
    assert sorted(done) == sorted(ENGINES)  # this process does it
    assert sorted(processes.begun) == sorted([*ENGINES] * compiled.ATTEMPTS)


def test_an_engine_that_is_in_the_cache_needs_no_process(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "is_compiled", lambda key: True)
    Engines().wait()
    assert processes.begun == []


def test_who_asks_for_a_run_is_answered_even_if_the_engine_cannot_be_loaded(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(key: str) -> None:
        raise OSError("a broken cache")

    monkeypatch.setattr(compiled, "compile_engine", broken)
    pool = Pool(threads=1, ready=Engines().ready)
    assert snapshots(pool, RunRequest(SMALL, Effort(replications=2)))[-1].final


def test_runs_wait_for_their_engine_and_not_for_another() -> None:
    waiting: dict[str, list[Callable[[], None]]] = {}
    ready = {"gang"}

    def is_ready(key: str, then: Callable[[], None], policy: Policy) -> bool:
        if key not in ready:
            waiting.setdefault(key, []).append(then)
        return key in ready

    from sim.engines.gang.scenario import GangScenario
    from sim.running.experiment import Experiment

    pool = Pool(threads=1, ready=is_ready)
    slots = pool.follow(RunRequest(SMALL, Effort(replications=2)), patience=0.01)
    assert next(slots) is None
    gang = RunRequest(Experiment.of_texts(GangScenario(jobs=20), ("none",)), Effort(replications=2))
    assert snapshots(pool, gang)[-1].final
    assert all(next(slots) is None for _ in range(10))
    assert len(waiting["slots"]) == len(SMALL.policies)  # however many pieces of each wait
    ready.add("slots")
    for go_on in waiting["slots"]:
        go_on()
    assert [one for one in slots if one][-1].final


IMPORTS = """
from numba.core import event

class Compiled(event.Listener):
    def on_start(self, one): pass
    def on_end(self, one): print("compiled", one.data["dispatcher"])

event.register("numba:compile", Compiled())
from importlib import import_module
from sim.running.compiled import ENGINES, experiment
for engine in ENGINES:
    experiment(engine)
for page in ("coding", "compare", "decentralised"):
    import_module(f"pages.{page}.layout")
import_module("pages.formulas.detection.controls"), import_module("pages.formulas.cloning.controls")
print("imported")
"""


@needs_compiler
def test_to_import_engines_and_read_policies_compiles_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["imported"]


def test_the_steps_of_an_engine_run_every_rule_and_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(compiled.told("gang"))
    count = len(compiled.experiment("gang").policies)
    assert len(lines) == count + 1
    assert lines[0].startswith(f"gang: 1 of {count} policies")
    if not JIT_IS_OFF:
        assert compiled.is_compiled("gang")
