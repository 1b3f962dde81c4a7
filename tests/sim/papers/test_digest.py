"""A digest is of what a claim computes, with every definition it reaches: not of names, files and words."""

from __future__ import annotations

import ast
from functools import partial

import pytest

from sim.engines.registry import PRESETS
from sim.papers import CLAIMS
from sim.papers import digest as module
from sim.papers.digest import _names, digest, resolved
from sim.papers.pictures import PICTURES
from tests.sim.papers.test_claims import made

ONE = '''
"""Words."""
import numpy as np
from sim.papers.b import helper
A, B = 2, 3
def compute(quick: bool) -> float:
    """Words."""
    from sim.engines.slots.run import SlotRun
    return helper(A) + sum(a for a in [quick]) + len("fair")
def other(quick):
    return compute(quick) + B
'''
OTHER = "SCALE: int = 7\ndef helper(x):\n    return SCALE * x if x < 9 else helper(x - 1)\n"


@pytest.fixture
def told(monkeypatch):
    """Return what gives the digest of a function of two sources, one a module of the claims each."""

    def of(one=ONE, other=OTHER, name="compute", where="a"):
        sources = {"sim.papers.a": one, "sim.papers.b": other}
        monkeypatch.setattr(module, "_tree", lambda name: ast.parse(sources[name]))
        for kept in (resolved, _names):
            kept.cache_clear()
        return resolved(f"sim.papers.{where}", name)

    yield of
    monkeypatch.undo()
    for kept in (resolved, _names):
        kept.cache_clear()


SAME = {
    "a name": (ONE.replace("A", "LEAST").replace("compute", "mean"), OTHER, "mean"),
    "a name of a helper": (ONE.replace("helper", "scaled"), OTHER.replace("helper", "scaled"), "compute"),
    "a name for another file's": (
        ONE.replace("import helper", "import helper as h").replace("helper(A)", "h(A)"),
        OTHER,
        "compute",
    ),
    "words": (ONE.replace("Words.", "Better words."), f"# why\n{OTHER}", "compute"),
    "an annotation": (ONE.replace("quick: bool) -> float", "quick: object)"), OTHER, "compute"),
    "what another computes": (ONE.replace("+ B", "- B").replace("= 2, 3", "= 2, 4"), OTHER, "compute"),
    "where an import stands": (
        "from sim.engines.slots.run import SlotRun"
        + ONE.replace("    from sim.engines.slots.run import SlotRun\n", ""),
        OTHER,
        "compute",
    ),
    "a file": (ONE.replace("from sim.papers.b import helper", OTHER), "", "compute"),
}
OTHERWISE = {
    "a number": (ONE.replace("2, 3", "1, 3"), OTHER),
    "the function": (ONE.replace("+ sum", "- sum"), OTHER),
    "a helper": (ONE, OTHER.replace("* x", "+ x")),
    "a number of a helper": (ONE, OTHER.replace("7", "8")),
    "a text": (ONE.replace("fair", "fairer"), OTHER),
}


@pytest.mark.parametrize(("one", "other", "name"), SAME.values(), ids=SAME)
def test_what_computes_the_same_has_the_same_digest(told, one, other, name):
    assert (one, other) != (ONE, OTHER)
    assert told(one, other, name) == told()


@pytest.mark.parametrize(("one", "other"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_computes_otherwise_has_another_digest(told, one, other):
    assert told(one, other) != told()


def test_two_things_of_one_name_are_refused(told):
    with pytest.raises(ValueError, match="helper is the name of several things"):
        told(f"{ONE}\ndef late():\n    from sim.papers.c import helper\n")


def test_a_preset_counts_by_its_scenario(told, monkeypatch):
    names = (ONE.replace('"fair"', '"small"'), OTHER)
    before = told(*names)
    monkeypatch.setitem(PRESETS, "small", PRESETS["light"])
    assert told(*names) != before


@pytest.mark.parametrize("of", [*CLAIMS.values(), *PICTURES.values()], ids=[*CLAIMS, *PICTURES])
def test_what_computes_a_claim_or_draws_a_picture_is_a_function_that_is_found(of):
    compute = of.compute if hasattr(of, "compute") else of.draw
    function = compute.func if isinstance(compute, partial) else compute
    assert resolved(function.__module__, function.__qualname__) != function.__qualname__


def test_what_a_function_is_given_counts():
    first, *others = (digest(made(compute=partial(resolved, *given))) for given in ((1,), (2,), ("small",)))
    assert first not in others
    assert len(set(others)) == 2
