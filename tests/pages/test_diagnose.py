"""The page Diagnose without a browser: samples, files, histories of the server, and privacy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.logs.beforeafter.question import PAIRS
from pages.logs.controls import SHOWN_BY, titles
from pages.logs.diagnose.controls import DEFAULT
from pages.logs.question import SAMPLES, fleets, offered
from pages.shared.app import uploads
from pages.shared.words.foreign import literal
from sim.advice.diagnosis import diagnose, read_and_diagnose
from sim.logs.formats import read_history
from sim.logs.formats.table import template
from sim.logs.samples import slurm, spark
from sim.logs.source import VARIABLE, Upload
from tests.foreign import AWAY, HOSTILE
from tests.pages.visits import drop, everything, visit
from tests.sim.logs.logs import lines, named_by, small


def sentence(app: AppTest) -> str:
    return app.header[0].value


def bad_numbers(text: str) -> list[str]:
    return re.findall(r".{20}\b(?:nan|NaN|None|inf|Infinity)\b.{20}", text)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_diagnosed_before_anybody_uploads(name: str) -> None:
    app = visit("diagnose", log=name)
    assert not app.exception
    assert not app.error
    found = diagnose(read_history(SAMPLES[name].make()))
    assert sentence(app) == literal(found.first or found.cost)
    assert not re.search(r"\byour (own )?jobs\b", everything(app))
    assert len(app.metric) == 2 + min(len(found.findings), 3)
    assert len(app.get("plotly_chart")) >= 6
    assert app.caption[0].value.startswith("**A sample**")
    assert SAMPLES[name].truth in app.caption[0].proto.help
    assert not bad_numbers(everything(app))
    assert all(re.search(r"\d", chart.proto.alt) for chart in app.get("plotly_chart"))


@pytest.mark.parametrize("name", ["/etc/passwd", "server/../secret", "server/week", "nothing"])
def test_a_link_opens_nothing_that_is_not_offered(name: str) -> None:
    app = visit("diagnose", log=name)
    assert [f"log: '{name}' is not accepted; give one of" in one.value for one in app.warning] == [True]
    assert sentence(app) == sentence(visit("diagnose", log=DEFAULT))


def test_a_file_is_diagnosed_and_taking_it_away_brings_the_sample_back() -> None:
    app = visit("diagnose")
    before = sentence(app)
    drop(app, ("mine.zstd", spark(speculation=True).data))
    assert not app.exception
    assert sentence(app) == literal(read_and_diagnose(spark(speculation=True)).first)
    assert any("mine.zstd" in one.value.replace("\\", "") for one in app.caption)
    assert "ample" not in sentence(app)
    assert "A sample" not in everything(app)
    warned = "Leaving “Your logs” or loading it again loses the file: then drop it again."
    assert warned in [one.value for one in app.caption]
    app.file_uploader[0].set_value(None).run()
    assert sentence(app) == before
    assert warned not in [one.value for one in app.caption]


def test_a_link_made_with_a_file_says_which_it_needs() -> None:
    app = drop(visit("diagnose"), ("mine.zstd", spark(speculation=True).data))
    link = app.query_params["file"]
    other = visit("diagnose", file=link[0] if isinstance(link, list) else link)
    assert ["this link needs" in one.value and "mine.zstd" in one.value for one in other.error] == [True]
    assert "gone after a reload" in other.error[0].value
    assert "drop it again" in other.error[0].value
    assert not other.header
    other.button(key="diagnose:without").click().run()
    assert sentence(other) == sentence(visit("diagnose"))
    assert "file" not in other.query_params


def test_two_sessions_with_the_same_bytes_see_their_own_names_only() -> None:
    data = lines(small())
    one, other = visit("diagnose"), visit("diagnose")
    drop(one, ("salaries-of-ann", data))
    drop(other, ("budget-of-bob", data))
    one.run()
    for mine, theirs in ((one, "budget-of-bob"), (other, "salaries-of-ann")):
        assert theirs not in everything(mine)
        assert theirs not in str(mine.session_state)
    assert "salaries-of-ann" in everything(one)
    assert "budget-of-bob" in everything(other)
    third = visit("diagnose")
    assert "salaries" not in everything(third)


def test_parts_of_a_log_are_read_together_whatever_their_order() -> None:
    events = lines(small()).splitlines(keepends=True)
    parts = [("events_1_app", b"".join(events[:6])), ("events_2_app", b"".join(events[6:]))]
    app = drop(visit("diagnose"), *reversed(parts))
    assert not app.error
    said = f"{len(read_history_of(small()).copies)} copies"
    assert any(said in one.proto.help for one in app.caption)


def read_history_of(events: list[Any]) -> Any:
    from tests.sim.logs.logs import read

    return read(events)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("notes.txt", b"dear diary\n", "notes.txt, line 1: 'dear diary"),
        ("empty", b"", "the file is empty"),
        ("model.pkl", b"\x80\x04\x95abc", "a Python pickle, which is never opened"),
        ("lacking.csv", b"job_id,task_id,start_s\na,0,1\n", "end_s: missing among the columns"),
    ],
)
def test_a_bad_file_is_named_with_line_and_reason_and_the_page_stays(
    name: str, data: bytes, said: str
) -> None:
    app = drop(visit("diagnose"), (name, data))
    assert not app.exception
    assert [said in one.value.replace("\\", "").replace("`", "") for one in app.error] == [True]
    assert app.file_uploader
    assert not app.header


def test_what_was_left_out_is_counted_on_the_screen() -> None:
    log = lines(small())
    app = drop(visit("diagnose"), ("broken", b'{"Event":"SparkListenerTaskEnd", broken\n' + log[:-20]))
    assert not app.error
    notes = next(block.value for block in app.markdown if block.value.startswith("**What was odd"))
    assert "lines that are no event: left out (1" in notes.replace("\\", "")
    assert "the last line is cut off" in notes


@pytest.mark.parametrize(
    "data",
    [
        b"job_id,submit,tasks\na,0,3\n",
        b"job_id,task_id,start_s,end_s\na,0,0,1\n",
        b"job_id,task_id,start_s,end_s\na,0,0,\n",
        b"0.5 1 0 0\n",
        template().encode(),
    ],
)
def test_a_log_with_next_to_nothing_says_what_it_cannot_tell(data: bytes) -> None:
    app = drop(visit("diagnose"), ("little", data))
    assert not app.exception
    assert not app.error
    assert app.header
    assert not bad_numbers(everything(app))


def test_names_of_a_log_are_shown_letter_by_letter() -> None:
    """Every hostile text as the name of a job, a group, a host and a file."""
    texts = [text.encode(errors="replace").decode() for text in HOSTILE.values()]
    app = drop(visit("diagnose"), *((f"{text}.log", lines(named_by(texts))) for text in texts[:2]))
    assert not app.exception
    assert not app.error
    for block in [*app.markdown, *app.caption]:
        assert AWAY not in re.sub(r"(`+).+?\1", "", block.value), block.value
        assert not re.search(r"(?<!\\)<|(?<!\\)\$", re.sub(r"(`+).+?\1", "", block.value)), block.value
    for chart in app.get("plotly_chart"):
        assert not re.search("<(?!/?(br|b|sub|extra)>)", chart.proto.spec)


def test_histories_of_the_servers_owner_are_offered_by_name(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "week 12").write_bytes(spark(speculation=True).data)
    (tmp_path / "out").symlink_to("/etc/hostname")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    app = visit("diagnose")
    box = app.selectbox(key="diagnose.log")
    assert "This server: week 12" in box.options
    mine = sum(len(titles(name)) for name in SHOWN_BY)  # the pairs and fleets of other tabs are there, too
    assert len(box.options) == mine == len(SAMPLES) + 1 + len(PAIRS) + len(fleets())
    box.set_value("server/week 12").run()
    assert not app.exception
    assert sentence(app) == literal(read_and_diagnose(spark(speculation=True)).first)
    assert str(tmp_path) not in everything(app)
    (tmp_path / "week 12").unlink()
    app.run()
    assert ["not offered by this server any more" in one.value for one in app.error] == [True]


def test_a_large_history_of_the_owner_does_not_hold_up_small_files(tmp_path: Path, monkeypatch: Any) -> None:
    large = slurm(arrays=40).data
    monkeypatch.setattr(uploads, "LARGE", len(large) - 1)
    (tmp_path / "year").write_bytes(large)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert offered("server/year").size == len(large)
    small_files = [0]
    for readers in (uploads._readers().look, uploads._readers().small):
        monkeypatch.setattr(readers, "joined", lambda *_, **__: small_files.append(1))
    app = visit("diagnose", log="server/year")
    assert not app.error, app.error
    assert not app.exception
    assert sentence(app) == literal(read_and_diagnose(Upload("year", large)).first)
    assert small_files == [0]


def test_a_stage_or_a_job_is_chosen_and_its_bars_are_drawn() -> None:
    app = visit("diagnose", log="spark-copies")
    gantt = app.get("plotly_chart")[-1].proto
    app.segmented_control[0].set_value("job").run()
    other = app.get("plotly_chart")[-1].proto
    assert other.spec != gantt.spec
    box = app.selectbox[-1]
    box.set_value(box.options[3] if box.options[3] in box.options else None)
    assert "second copies" in other.alt
    assert not app.exception


def test_all_that_was_found_can_be_taken_away() -> None:
    labels = [button.label for button in visit("diagnose").get("download_button")]
    assert labels == [
        "CSV template",
        "Jobs (CSV)",
        "Stages (CSV)",
        "Hosts (CSV)",
        "Pairs (CSV)",
        "Everything (JSON)",
        "History (Parquet)",
        "Charts (HTML)",
    ]
