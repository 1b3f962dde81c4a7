"""Shared set-up of the tests of pages."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

from sim.advice.whatif import pieces, steps
from sim.advice.whatif.systems import options_of
from sim.running.byte_cache import ByteCache
from sim.running.execution import Effort


@pytest.fixture(autouse=True, scope="session")
def a_server_starts_once() -> Iterator[None]:
    """Let all runs of pages in a process share what a server does once, and an `AppTest` at each run.

    The search for components in installed packages takes 0.2 s of a core, to compile a page 5 ms of some 30.
    """
    search = functools.cache(manifest_scanner.scan_component_manifests)
    compiling = ScriptCache.get_bytecode
    known: dict[tuple[str, int], Any] = {}

    def compiled(cache: ScriptCache, path: str) -> Any:
        version = path, os.stat(path).st_mtime_ns
        if version not in known:
            known[version] = compiling(cache, path)
        return known[version]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", search)
        patch.setattr(ScriptCache, "get_bytecode", compiled)
        yield


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages simulate two short replications: what is tested is the page."""
    import_module("pages.coding.layout")  # which takes the usual loads of its question when it is imported
    own = ByteCache(2**26, "played")  # what is played here is not what other tests look at
    monkeypatch.setattr("pages.shared.live.playing.kept", lambda: own)
    two = Effort(replications=2)
    monkeypatch.setattr("pages.formulas.simulation.EFFORT", Effort(replications=2, precision=3))
    monkeypatch.setattr("pages.formulas.cloning.controls.JOBS", 300)
    monkeypatch.setattr("pages.formulas.detection.controls.JOBS", 60)
    monkeypatch.setattr("pages.coding.question.EFFORT", two)
    monkeypatch.setattr("pages.coding.question.LANDMARKS", (0.9,))
    monkeypatch.setattr("pages.decentralised.question.EFFORT", two)
    monkeypatch.setattr("pages.decentralised.question.POINT", two)
    monkeypatch.setattr(
        "pages.logs.beforeafter.question.with_replays", lambda change, *both, player, leave_out: change
    )
    monkeypatch.setattr("sim.advice.fleet.first_look.REPLICATIONS", 20)
    monkeypatch.setattr(steps, "reach", lambda *asked: None)
    monkeypatch.setattr(pieces, "options_of", lambda *asked: options_of(*asked)[:3])
