"""The map that is shipped: its provenance, and that the code of today computes the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.map import shipped as kept
from sim.map.plane import CRITERIA, LETTERS
from sim.map.shipped import as_json, compute, default, digest, from_json, mark, shipped
from sim.running.experiment import compare

#: The file itself, read by no module of ours.
FILE: dict[str, Any] = json.loads((Path(sim.__file__).parent / "map" / "shipped.json").read_text())
CHANGELOG = (Path(__file__).resolve().parents[3] / "CHANGELOG.md").read_text()


def test_what_made_it_is_known_and_it_is_not_stale() -> None:
    assert FILE["digest"] == digest(), "make it anew: python -m sim map --record"
    assert set(FILE) == {"version", "commit", "command", "seconds", "digest", "map", "squares"}
    assert FILE["version"] in CHANGELOG  # the release that made it; the digest says whether it is stale
    assert len(FILE["commit"]) >= 7
    assert "dirty" not in FILE["commit"]
    assert FILE["seconds"] > 0
    told = FILE["map"]
    assert (told["seed"], told["final"]) == (default().experiment.scenario.seed, True)
    assert told["cells"] == told["simulated"] == len(FILE["squares"]) == 120
    runs = [one["replications"] for square in FILE["squares"] for one in square["policies"].values()]
    assert told["runs"] == sum(runs)


def test_a_file_that_something_else_made_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "kept", lambda: FILE | {"digest": "0" * 16})
    assert shipped.__wrapped__() is None
    monkeypatch.setattr(kept, "MODULES", kept.MODULES[1:])
    assert digest() != FILE["digest"]


@pytest.mark.compiled
@pytest.mark.parametrize("cell", [(0, 0), (3, 4)])
def test_a_cell_is_what_compare_finds_today(cell: tuple[int, int]) -> None:
    plane = default(full=True)
    square = FILE["squares"][cell[1] * len(plane.x.values) + cell[0]]
    assert (square["x"], square["y"]) == (plane.x.values[cell[0]], plane.y.values[cell[1]])
    experiment = plane.at(cell)
    assert square["jobs"] == experiment.scenario.jobs
    for i, text in enumerate(experiment.texts):
        told = square["policies"][LETTERS[i]]
        if told["replications"] > 4:
            continue  # a few runs of each are enough: the others are tried with -m slow
        found = compare(experiment, replications=told["replications"], threads=2).policies[text]
        estimate = CRITERIA["mean"].estimate(found)
        assert [told[name] for name in ("value", "low", "high")] == pytest.approx(
            [estimate.value, estimate.low, estimate.high], rel=1e-9
        )


def test_it_is_read_as_it_was_written() -> None:
    found = from_json(default(full=True), FILE["map"] | {"squares": FILE["squares"]})
    again = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert again["squares"] == FILE["squares"]
    assert again["regrets"] == FILE["map"]["regrets"]
    assert again == FILE["map"] | {"squares": FILE["squares"]}


@pytest.mark.slow
def test_the_adaptive_map_has_the_same_letters_with_a_third_of_the_runs() -> None:
    """Where a full grid would run all policies of a cell as often as the one that needs most."""
    whole = shipped()
    assert whole is not None
    few = compute(default(), threads=2)
    assert [mark(one) for one in few.squares.values()] == [mark(one) for one in whole.squares.values()]
    assert max(abs(one.gain - whole.squares[cell].gain) for cell, one in few.squares.items()) < 0.03
    grid = sum(
        max(one.standing.replications) * len(one.standing.replications) for one in whole.squares.values()
    )
    assert 3 * few.runs <= grid
