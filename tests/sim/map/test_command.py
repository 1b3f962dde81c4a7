"""``python -m sim map``: a picture in letters, JSON, a table; what is refused is one line that names it."""

from __future__ import annotations

import csv
import json

import pytest

from sim.__main__ import main
from sim.map import command, shipped
from sim.map.picture import Picture
from tests.sim.map.made import plane

QUICK = (
    "map", "--set", "slots=20", "--set", "tasks_max=5", "--jobs", "60", "--x", "load=0.3,0.8", "--y",
    "beta=1.4,2.5", "--policy", "srpt+none", "--policy", "srpt+clone", "--replications", "4",
)  # fmt: skip


def test_a_map_is_told_in_letters_and_kept_as_json_and_as_a_table(capsys, tmp_path) -> None:
    table, told = tmp_path / "map.csv", tmp_path / "map.json"
    assert main([*QUICK, "--out", str(table)]) == 0
    shown = capsys.readouterr().out
    assert "straggle_tail up, load across; mean flowtime" in shown
    assert "A  srpt+none: best in" in shown
    assert main([*QUICK, "--json", str(told)]) == 0
    found = json.loads(told.read_text(), parse_constant=lambda word: pytest.fail(f"{word} in the JSON"))
    assert {"version", "commit", "seconds", "seed", "runs", "squares", "regrets", "boundaries"} <= set(found)
    assert [(one["x"], one["y"]) for one in found["squares"]] == [
        (0.3, 1.4), (0.8, 1.4), (0.3, 2.5), (0.8, 2.5)
    ]  # fmt: skip
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 8
    for row in rows:
        square = next(
            one for one in found["squares"]
            if (one["x"], one["y"]) == (float(row["load"]), float(row["straggle_tail"]))
        )  # fmt: skip
        assert float(row["value"]) == square["policies"][row["letter"]]["value"]
        assert row["policy"] == found["policies"][row["letter"]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--x", "load=0.9:0.1:4"], "x: 'load=0.9:0.1:4' is not accepted; give a low end below the high one"),
        (["--y", "lod=1,2"], "field: 'lod' is not known; did you mean 'load'?"),
        (["--criterion", "fast"], "criterion: 'fast' is not known"),
        (["--budget", "much"], "budget: 'much' is not accepted; give a number from 0 to 1000"),
        (["--precision", "0"], "precision: '0' is not accepted"),
        (["--replications", "1"], "replications: '1' is not accepted"),
        (["--record"], "record: only the default map is kept"),
        (["--policy", "srpt+none"], "policy: 'srpt+none' is given twice"),
        (["--out", "."], "out: '.' is not accepted; give the name of a file"),
    ],
)
def test_what_is_refused_is_named_in_one_line(capsys, options: list[str], said: str) -> None:
    quick = [word for word in QUICK if word not in ("--replications", "4") or "--replications" not in options]
    assert main([*quick, *options]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_the_default_map_is_kept_where_the_page_finds_it(monkeypatch, tmp_path) -> None:
    found = Picture(plane("load=0.3,0.8", "beta=1.4,2.5"), {}, 0, final=True)
    kept = json.loads(command.recorded(found, 1.5))
    assert kept["digest"] == shipped.digest()
    assert kept["seconds"] == 1.5
    assert kept["squares"] == []
