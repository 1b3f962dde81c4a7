"""First answers shipped with the package: complete, the same bits as here, shown while compiling."""

from __future__ import annotations

import shutil
import threading

import pytest

from sim import code_digest, plugins
from sim.effort import Effort
from sim.experiment import Experiment, compare
from sim.live import Pool, RunRequest
from sim.live.records import PLACE, Records, unit
from sim.sample_bytes import to_bytes
from sim.slots.scenario import SlotScenario
from tests.depth import every
from tests.first_answers import asked, visited, visits
from tests.sim.test_parallel import RECORDED, bits

pytestmark = pytest.mark.compiled
RECORDED_MB = 3.0
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


def test_what_a_lesson_asks_for_is_computed_again() -> None:
    assert_recorded(asked())


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
    from sim.live.preview import preview

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


def test_sources_change_with_code_and_not_with_words() -> None:
    plain = "def f(x):\n    return 2 * x\n"
    docstring = '    r"""Double\n    "it".\n    """\n'
    told = '"""Of f."""\n\n# as said\n' + plain.replace("    return", f"{docstring}    return")
    assert code_digest.essence(told) == plain
    assert code_digest.essence(plain.replace("2", "3")) != plain
    assert code_digest.essence('TEXT = """\n# kept apart\n"""\n').startswith('TEXT = """')
