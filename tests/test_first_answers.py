"""First answers shipped with the package: complete, the same bits as here, shown while compiling."""

from __future__ import annotations

import json
import pickle
import shutil
import threading
import zipfile
from dataclasses import replace
from unittest.mock import MagicMock

import pytest

from pages.logs.fleet import question as fleet_answer
from pages.logs.fleet import question as fleet_question
from pages.logs.question import SAMPLE, SAMPLES
from pages.logs.whatif import question as whatif_question
from pages.shared.app.turns import Placeholders
from pages.shared.live import playing
from pages.shared.live.playing import name_of
from sim.advice.whatif.check import POOR
from sim.advice.whatif.pieces import play_all
from sim.advice.whatif.steps import Step
from sim.engines import plugins
from sim.engines.slots.scenario import SlotScenario
from sim.map import shipped
from sim.map.picture import SIMULATED
from sim.map.shipped import beforehand, from_json, played_here, recorded
from sim.map.survey import Survey, Unit
from sim.running import code_digest
from sim.running.byte_cache import ByteCache
from sim.running.execution import Effort
from sim.running.experiment import Experiment, compare
from sim.running.live import Pool, RunRequest
from sim.running.live.request import PLACE, Records, unit
from sim.running.sample_store import to_bytes
from tests.depth import every
from tests.first_answers import Noting, Playing, asked, planes, remedy, visited, visits
from tests.sim.test_parallel import RECORDED, bits

pytestmark = pytest.mark.compiled
RECORDED_MB = 3.2
SCENARIO = SlotScenario(slots=20, load=0.8, jobs=60, tasks_max=10)
EXPERIMENT = Experiment.of_texts(SCENARIO, ("fair+late", "hopper"))
ONCE, THRICE = Effort(replications=1), Effort(replications=3)
REQUEST = RunRequest(EXPERIMENT, THRICE)
VISITS = {" ".join((page, *query.values())): (page, query) for page, query in visits()}


@pytest.fixture(autouse=True)
def rules_of_the_package() -> None:
    """Coding draws a curve for each rule; a test before may have loaded some of one's own."""
    plugins.forget()


def test_they_are_of_these_sources_and_small() -> None:
    about = Records().about()
    assert about["sources"] == code_digest.sources(), "run python -m tests.first_answers --record"
    assert about.keys() == {"sources", "version", "commit", "count"}
    assert PLACE.stat().st_size <= RECORDED_MB * 1e6


def assert_recorded(found: dict) -> None:
    """Assert that each of these is recorded, to the bit."""
    held = Records().held(found)
    assert held.keys() == found.keys()
    for name, sample in found.items():
        assert to_bytes(held[name]) == to_bytes(sample), name


@pytest.mark.parametrize("visit", every(4, VISITS))
def test_what_a_page_asks_for_at_each_start_is_computed_again(visit) -> None:
    assert_recorded(visited(*VISITS[visit]))


def test_what_is_asked_for_is_the_same_where_the_whole_run_comes_before_its_preview(monkeypatch) -> None:
    """So it is now and then on two busy cores, when nobody looks in between."""
    scenario = SlotScenario(jobs=8000)
    request = RunRequest(Experiment.of_texts(scenario, ("srpt+none", "fair+none")), ONCE)

    def noted() -> dict:
        pool = Noting()
        assert any(snapshot is not None for snapshot in pool.follow(request))
        return pool.noted

    usual, follow = noted(), Pool.follow
    monkeypatch.setattr(
        Pool,
        "follow",
        lambda self, *args, **more: (
            one for one in follow(self, *args, **more) if one is None or not one.preview
        ),
    )
    late = noted()
    assert late.keys() == usual.keys()
    assert all(to_bytes(late[name]) == to_bytes(usual[name]) for name in usual)
    assert next(iter(usual.values())).jobs < scenario.jobs, "previews"


def test_what_a_lesson_asks_for_is_computed_again() -> None:
    assert_recorded(asked())


@pytest.mark.parametrize("name", every(2, planes()))
def test_a_map_of_a_preset_is_there_and_a_cell_of_it_is_computed_again(name) -> None:
    plane = planes()[name]
    found = beforehand(plane, Records())
    assert found is not None, "run python -m tests.first_answers --record"
    assert found.final
    assert found.squares.keys() == set(plane.cells)
    known = {cell: one.standing for cell, one in found.squares.items() if one.known == SIMULATED}
    assert recorded(found) == recorded(from_json(plane, json.loads(recorded(found)[1])))
    cell = min(known, key=lambda one: sum(known[one].replications))
    survey = Survey(plane)
    survey.wanted[cell] = list(known[cell].replications)
    every_policy = tuple(range(len(plane.experiment.policies)))
    units = [Unit(cell, number, every_policy) for number in range(max(known[cell].replications))]
    survey.samples.update(played_here(plane, units))
    assert survey.standing(cell) == known[cell]


def test_a_map_of_other_rules_or_another_question_is_not_shown(tmp_path, monkeypatch) -> None:
    plane, *_ = planes().values()
    assert beforehand(plane, Records()) is not None
    assert beforehand(plane, Records(tmp_path / "none.zip")) is None
    assert beforehand(replace(plane, precision=1.5), Records()) is None
    monkeypatch.setattr(shipped, "MODULES", shipped.MODULES[1:])
    assert beforehand(plane, Records()) is None


class Compiling(Exception):
    """The engine is not there yet."""


def waits(*_: object, **__: object) -> None:
    raise Compiling


@pytest.mark.parametrize("name", every(2, SAMPLES))
def test_what_if_answers_about_a_sample_while_the_engine_is_compiled(name, monkeypatch) -> None:
    """The check, all settings and all remedies, as they are played here; what follows needs the engine."""
    asked, said, kept = Playing(name).asked, MagicMock(), ByteCache(playing.KEPT_BYTES)
    monkeypatch.setattr(playing, "kept", lambda: kept)
    monkeypatch.setattr(playing, "players", waits)
    seen: list[Step] = []
    with pytest.raises(Compiling):
        seen.extend(whatif_question.follow(asked, Placeholders(said)))
    assert seen, "run python -m tests.first_answers --record"
    shown = seen[-1]
    assert shown.count == asked.inquiry.rounds[0]
    assert shown.answer.remedies is not None or shown.check.verdict == POOR
    inquiry, player = asked.inquiry, Playing(name)
    pieces = next(inquiry.batches(inquiry.pieces(shown.count, player), player))
    data = Records().read(name_of((*asked.key, tuple(pieces)), asked.log.files()))
    again = play_all(asked.question, [(inquiry.policy(piece), piece) for piece in pieces])
    assert repr(pickle.loads(data)) == repr(again)


def test_fleet_advises_on_its_sample_while_the_engine_is_compiled(monkeypatch) -> None:
    """All remedies, one of which is computed here again."""
    kept, fleet = ByteCache(playing.KEPT_BYTES), fleet_question.named(SAMPLE)
    monkeypatch.setattr(playing, "kept", lambda: kept)
    monkeypatch.setattr(playing, "players", waits)
    *_, last = fleet_answer.follow(fleet, len(fleet.places), Placeholders(MagicMock()))
    assert all(one.advised is not None for one in last.looks), "run python -m tests.first_answers --record"
    place, shown = fleet.places[0], last.looks[0]
    assert pickle.loads(remedy(fleet, place)[1]) == shown.advised


@pytest.fixture
def records(tmp_path) -> Records:
    """Records of the first replication of `REQUEST`."""
    found = compare(EXPERIMENT, ONCE)
    samples = [result.samples[0] for result in found.policies.values()]
    made = Records(tmp_path / "records.zip")
    made.write(dict(zip((unit(REQUEST, one) for one in REQUEST.experiment.policies), samples, strict=True)))
    return Records(tmp_path / "records.zip")


def test_a_first_answer_is_there_while_the_engine_is_compiled_and_a_live_run_goes_on_from_it(records) -> None:
    waiting, compiled = [], threading.Event()

    def ready(key, then, policy) -> bool:
        waiting.append(then)
        return compiled.is_set()

    follower = Pool(threads=1, ready=ready, records=records).follow(REQUEST)
    first = next(follower)
    assert (first.done, first.beforehand, first.final) == (1, True, False)
    assert follower.send(0.2) is None  # nothing more until then
    compiled.set()
    for then in waiting:
        then()
    *_, last = [snapshot for snapshot in follower if snapshot is not None]
    assert (last.done, last.beforehand, last.final) == (3, False, True)
    assert bits(last.comparison) == bits(compare(EXPERIMENT, THRICE))


def test_a_long_replication_has_its_preview(monkeypatch, tmp_path) -> None:
    """Also in a crowd, for which a shorter one would be computed."""
    from sim.running.live.request import preview

    long = RunRequest(Experiment.of_texts(SCENARIO.replace(jobs=100_000), ("fair+late", "hopper")), log=7)
    before = preview(long)
    found = compare(before.experiment, ONCE)
    samples = [result.samples[0] for result in found.policies.values()]
    made = Records(tmp_path / "records.zip")
    made.write(dict(zip((unit(before, one) for one in before.experiment.policies), samples, strict=True)))
    pool = Pool(threads=1, ready=lambda *_: False, records=Records(tmp_path / "records.zip"))
    monkeypatch.setattr(Pool, "crowd", 50)
    first = next(pool.follow(long))
    assert first.preview
    assert first.beforehand
    assert bits(first.comparison) == bits(found)


def test_others_are_not_taken_for_them(records, tmp_path, monkeypatch, caplog) -> None:
    assert records.first(REQUEST)
    other = Experiment.of_texts(SCENARIO.replace(seed=2), ("fair+late", "hopper"))
    assert records.first(RunRequest(other)) is None
    assert records.first(RunRequest(REQUEST.experiment, log=9)) is None
    assert records.first(RunRequest(RECORDED)) is None
    assert Records(tmp_path / "none.zip").first(REQUEST) is None
    data = PLACE.read_bytes()
    (tmp_path / "cut.zip").write_bytes(data[: len(data) // 2])
    assert Records(tmp_path / "cut.zip").first(REQUEST) is None
    place = tmp_path / "records.zip"
    shutil.copy(place, tmp_path / "flipped.zip")
    content = bytearray(place.read_bytes())
    content[len(content) // 3] ^= 0xFF
    (tmp_path / "flipped.zip").write_bytes(content)
    assert Records(tmp_path / "flipped.zip").first(REQUEST) is None
    assert "is damaged" in caplog.text
    monkeypatch.setattr(code_digest, "sources", lambda: "other")
    assert Records(place).first(REQUEST) is None


@pytest.mark.parametrize("about", [b"[]", b"5", b"NaN", b"[" * 200_000, b'{"sources": {}}', b"\xff", None])
def test_a_file_that_says_odd_things_of_itself_holds_nothing(tmp_path, about) -> None:
    with zipfile.ZipFile(tmp_path / "records.zip", "w") as file:
        if about is not None:
            file.writestr("about.json", about)
    assert Records(tmp_path / "records.zip").first(REQUEST) is None


def test_sources_change_with_code_and_not_with_words() -> None:
    plain = "def f(x):\n    return 2 * x\n"
    docstring = '    r"""Double\n    "it".\n    """\n'
    told = '"""Of f."""\n\n# as said\n' + plain.replace("    return", f"{docstring}    return")
    assert code_digest.essence(told) == plain
    assert code_digest.essence(plain.replace("2", "3")) != plain
    assert code_digest.essence('TEXT = """\n# kept apart\n"""\n').startswith('TEXT = """')


def test_records_stay_when_a_file_is_moved_divided_or_merged(tmp_path) -> None:
    (tmp_path / "a.py").write_text("import numpy\n\nX = 1\n\n\n@one\ndef f(x):\n    return 2 * x\n")
    (tmp_path / "b.py").write_text(
        '"""Of g."""\n\nfrom a import (\n    f,\n)\n\n\ndef g(x):\n    import a\n\n    return f(x)\n'
    )
    before = code_digest.of_definitions(tmp_path.glob("*.py"))
    merged = tmp_path / "deeper" / "c.py"
    merged.parent.mkdir()
    merged.write_text(
        '"""All."""\n\ndef g(x):\n    return f(x)\n\n\n@one\ndef f(x):\n    return 2 * x\n\n\nX = 1\n'
    )
    assert code_digest.of_definitions([merged]) == before
    for old, new in (("2 * x", "3 * x"), ("@one\n", "@two\n"), ("X = 1", "X = 2"), ("X = 1\n", "")):
        assert merged.read_text().count(old) == 1
        (tmp_path / "changed.py").write_text(merged.read_text().replace(old, new))
        assert code_digest.of_definitions([tmp_path / "changed.py"]) != before


def test_no_line_of_a_source_is_left_out_of_its_definitions() -> None:
    """What is computed by a line that is in no definition would change unseen."""
    for path in (path for room in code_digest.ROOMS for path in (code_digest.ROOT / room).rglob("*.py")):
        rest = code_digest.essence(path.read_text("utf-8"))
        assert "".join(code_digest._DEFINITION.findall(rest)) == rest, path
