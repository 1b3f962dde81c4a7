"""What every door says of a log to do first is the first finding of its diagnosis, in the same words."""

from __future__ import annotations

import ast
import html
import json
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import sim
from pages.logs.beforeafter.question import Step
from pages.logs.beforeafter.words import notices
from sim.advice.diagnosis import Diagnosis, diagnose
from sim.advice.diagnosis import report as of_trace
from sim.advice.fleet import report as of_fleet
from sim.advice.fleet.discovery import Log
from sim.advice.fleet.first_look import look
from sim.advice.fleet.places import MOST_BYTES
from sim.advice.several import report
from sim.advice.several.after import compared, judge, read_condition
from sim.advice.several.change import changes
from sim.advice.several.report import Both
from sim.advice.several.sides import sides_of
from sim.advice.whatif.library import said_of
from sim.advice.whatif.steps import first_of
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.samples import nightly, slurm, spark
from sim.logs.source import Upload
from sim.shell.mcp.tools import answer
from tests.depth import every
from tests.pages.visits import drop, take, visit
from tests.sim.logs.test_findings import jobs, lasted, slow

ROOT = Path(__file__).resolve().parents[2]


def _skewed() -> bytes:
    frame = slow(jobs(1))
    return frame.assign(input_bytes=1e5 * lasted(frame)).to_csv(index=False).encode()


def _lucky() -> bytes:
    return slow(jobs(4)).assign(name="nightly", input_bytes=1e6).to_csv(index=False).encode()


def _slow_host() -> bytes:
    frame = jobs(5)
    frame.loc[frame["host"] == "h2", "end_s"] += lasted(frame)
    return frame.to_csv(index=False).encode()


#: Logs of known causes: the samples, and small ones made here; of the last nothing is to be mended.
LOGS: dict[str, Callable[[], Upload]] = {
    "copies": lambda: spark(speculation=True),
    "no copies": lambda: spark(speculation=False),
    "slurm": slurm,
    "nightly": lambda: nightly(1),
    "skew": lambda: Upload("skew.csv", _skewed()),
    "luck": lambda: Upload("luck.csv", _lucky()),
    "slow host": lambda: Upload("host.csv", _slow_host()),
    "even": lambda: Upload("even.csv", jobs(9, noise=0.002).to_csv(index=False).encode()),
}


@cache
def found(name: str) -> Diagnosis:
    """Return the diagnosis of a log."""
    return diagnose(read_history(LOGS[name]()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a folder for each log."""
    there = tmp_path_factory.mktemp("doors")
    for name, make in LOGS.items():
        (there / name).mkdir()
        (there / name / make().name).write_bytes(make().data)
    return there


def trace(path: Path) -> list[str]:
    said = diagnose(read_history(path))
    return [of_trace.as_text(said), of_trace.as_html(said), of_trace.as_json(said)["sentence"]]


def page(path: Path) -> list[str]:
    return [drop(visit("diagnose"), (path.name, path.read_bytes())).header[0].value]


def whatif(path: Path) -> list[str]:
    history = read_history(path)
    played = first_of(history, "", copies=True) or diagnose(history).cost
    return [played, said_of(history, "")]  # the second where a log is too small for a model


def fleet(path: Path) -> list[str]:
    one = look(Log(path.name, (str(path),), path.stat().st_size), None, MOST_BYTES)
    told = of_fleet.as_json([one])
    summed = [told["findings"][0]["action"], of_fleet.sentence([one])] if one.findings else []
    return [of_fleet.as_text([one]), of_fleet.as_csv([one]), told["logs"][0]["first"], *summed]


def fleet_page(path: Path) -> list[str]:
    file = path.name, path.read_bytes()
    app = take(drop(visit("fleet", compute="0"), file), "fleet", file)
    return [app.dataframe[0].value["first"][0]]


def beside(path: Path) -> dict[str, tuple[History, History]]:
    """Return a log as the run before, and as the run after, of another log that says something else."""
    one, other = (read_history(LOGS[name]()) for name in (path.parent.name, "slow host"))
    other = read_history(nightly(2)) if one.digest == other.digest else other
    return {"before": (one, other), "after": (other, one)}


def after(path: Path) -> list[str]:
    said = []
    for side, (early, late) in beside(path).items():
        one = compared([early], [late])
        shown = Step(Both(early, late, one, None, "one run"), False)
        said += [report.after_text(one), report.after_json(one)["first"][side], " ".join(notices(shown))]
    return said


def gate(path: Path) -> list[str]:
    said = []
    for side, (early, late) in beside(path).items():
        change = changes([early], [late])
        sides = sides_of(early, late, change.last_rows)
        one = judge(change, [read_condition("mean > +10%")], sides)
        said += [report.gate_text(one), report.gate_markdown(one), report.gate_json(one)["first"][side]]
    return said


def mcp(path: Path) -> list[str]:
    said = answer("diagnose", {"file": [str(path)]}, ".", None)
    return [said.text, json.loads(said.values)["sentence"]]


def python(path: Path) -> list[str]:
    said = sim.diagnose(path)
    return [said.sentence, *(said.table.action[:1] if said.findings else [])]


#: Doors through which somebody asks about a log, and what each says.
DOORS = (trace, page, whatif, fleet, fleet_page, after, gate, mcp, python)
#: Modules that diagnose a log, and the doors of each.
DIAGNOSING = {
    "sim/advice/diagnosis/library.py": {trace, mcp, python},
    "pages/logs/diagnose/layout.py": {page},
    "sim/advice/whatif/steps.py": {whatif},
    "sim/advice/whatif/library.py": {whatif},
    "sim/advice/fleet/first_look.py": {fleet, fleet_page},
    "sim/advice/several/sides.py": {after, gate},
    "pages/lessons/two_logs.py": set(),  # a lesson shows causes of two logs of ours, and nothing to do
}


def plain(text: str) -> str:
    """Return a text without what HTML and Markdown escape, with one space between words."""
    return " ".join(html.unescape(text).replace("\\", "").replace("`", "").split())


def untold(door: Callable[[Path], list[str]], folder: Path, name: str) -> list[str]:
    """Return what a door says without what the diagnosis says to do first."""
    (path,) = (folder / name).iterdir()
    ranked = found(name).findings
    first = ranked[0].action if ranked else found(name).answer
    return [text for text in door(path) if plain(first) not in plain(text)]


#: Each door and each log, most of them twice.
ASKED = every(5, product(DOORS, LOGS))


@pytest.mark.parametrize(("door", "name"), ASKED)
def test_each_door_says_what_the_diagnosis_says_first(door, folder: Path, name: str) -> None:
    assert untold(door, folder, name) == []


def test_the_logs_say_different_things_of_which_some_are_known() -> None:
    keys = {name: [one.key for one in found(name).findings] for name in LOGS}
    first = {name: listed[:1] for name, listed in keys.items()}
    assert (first["skew"], first["luck"], first["slow host"]) == (["work"], ["luck"], ["machine"])
    assert first["even"] == []
    assert len({found(name).answer for name in LOGS}) == len(LOGS)


def test_a_door_with_words_of_its_own_would_be_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagnosis, "answer", property(lambda one: f"Mend {one.findings[0].title}."))
    assert len(untold(fleet, folder, "slow host")) == 2  # its sums are made of findings
    assert len(untold(after, folder, "slow host")) == 6


def test_every_module_that_diagnoses_has_its_doors() -> None:
    names = {"diagnose", "read_and_diagnose"}
    calling = {
        path.relative_to(ROOT).as_posix()
        for package in ("sim", "pages")
        for path in (ROOT / package).rglob("*.py")
        if path.name == "library.py" or path.parent.name != "diagnosis" or package == "pages"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "sim.advice.diagnosis"
        if names & {one.name for one in node.names}
    }
    assert calling == DIAGNOSING.keys()
    assert set().union(*DIAGNOSING.values()) == set(DOORS)
