"""``python -m sim map``: a picture in letters, JSON, a table; a refusal is one line that names the option."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from sim.map import shipped
from sim.map.picture import Picture
from sim.map.shipped import Look
from sim.running import code_digest
from sim.shell import map
from sim.shell.verbs import main
from tests.sim.map.made import plane
from tests.sim.test_sample_store import rows

QUICK = (
    *("map", "--set", "slots=20", "--set", "tasks_max=5", "--jobs", "60"),
    *("--x", "load=0.3,0.8", "--y", "beta=1.4,2.5"),
    *("--policy", "srpt+none", "--policy", "srpt+clone", "--replications", "4"),
)


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
        (0.3, 1.4),
        (0.8, 1.4),
        (0.3, 2.5),
        (0.8, 2.5),
    ]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 8
    for row in rows:
        square = next(
            one
            for one in found["squares"]
            if (one["x"], one["y"]) == (float(row["load"]), float(row["straggle_tail"]))
        )
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
    kept = json.loads(map.recorded(found, 1.5))
    assert kept["digest"] == shipped.digest()
    assert kept["seconds"] == 1.5
    assert kept["squares"] == []


def told(text: str) -> dict[str, Any]:
    """Return a map without how long it took."""
    return json.loads(text) | {"seconds": 0}


def test_a_map_goes_on_after_a_kill_and_changes_no_digit(capsys, tmp_path, monkeypatch) -> None:
    kept = tmp_path / "kept"
    slow = [*QUICK, "--jobs", "2000", "--json", "-"]
    assert main(slow) == 0
    whole = capsys.readouterr().out
    running = subprocess.Popen(
        [sys.executable, "-m", "sim", *slow, f"--keep={kept}"], stdout=subprocess.DEVNULL
    )
    for _ in range(1200):
        time.sleep(0.02)
        assert running.poll() is None, "it was to be killed"
        if rows(kept) >= 3:
            break
    running.send_signal(signal.SIGKILL)
    running.wait()
    there = rows(kept)
    made: list[int] = []
    run = Look.run
    monkeypatch.setattr(Look, "run", lambda *given, **named: made.append(1) or run(*given, **named))
    assert main([*slow, f"--keep={kept}"]) == 0
    assert told(capsys.readouterr().out) == told(whole)
    assert len(made) == json.loads(whole)["runs"] - there
    made.clear()
    assert main([*slow, f"--keep={kept}", "--criterion=median", "--replications=2"]) == 0  # of the same runs
    assert not made


def test_a_folder_of_another_map_or_of_other_code_is_refused(capsys, tmp_path, monkeypatch) -> None:
    kept = f"--keep={tmp_path / 'kept'}"
    assert main([*QUICK, kept, "--replications=2"]) == 0
    capsys.readouterr()
    for options, said in (
        (["--x=load=0.3,0.7"], "of another experiment: x is load=0.3,0.8 there, load=0.3,0.7 here"),
        (["--seed=7"], "of another experiment: seed is 1 there, 7 here"),
    ):
        assert main([*QUICK, kept, *options]) == 2
        assert said in one_line(capsys)
    monkeypatch.setattr(code_digest, "digest", lambda: "0123456789abcdef")
    assert main([*QUICK, kept]) == 2
    assert "it is made by other code" in one_line(capsys)


def one_line(capsys) -> str:
    """Return what has been said of an error."""
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    return said.err
