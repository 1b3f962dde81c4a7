"""Shared set-up of the tests of pages."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib import import_module

import pytest
from streamlit.components.v2 import manifest_scanner

from sim.advice.whatif import pieces, steps
from sim.advice.whatif.systems import options_of
from sim.running.byte_cache import ByteCache
from sim.running.execution import Effort


@pytest.fixture(autouse=True, scope="session")
def installed_packages_are_searched_once() -> Iterator[None]:
    """Let all runs of pages in a process share Streamlit's search for components in installed packages.

    A server searches when it starts; an `AppTest` is a server each time, and a search takes 0.2 s of a core.
    """
    search = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", search)
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
    monkeypatch.setattr(steps, "reach", lambda *asked: None)
    monkeypatch.setattr(pieces, "options_of", lambda *asked: options_of(*asked)[:3])
