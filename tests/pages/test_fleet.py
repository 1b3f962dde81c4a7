"""The page Fleet without a browser: samples, files, what the owner of a server names, and privacy."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.logs.fleet import question
from pages.shared.live import playing
from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.replay import lost
from sim.advice.fleet import history_server, places
from sim.advice.fleet.first_look import Advised
from sim.logs import samples, source
from sim.logs.formats import read_history, slurm
from sim.logs.history import History
from sim.running.byte_cache import ByteCache
from sim.running.parallel import Player
from tests.foreign import HOSTILE
from tests.pages.visits import drop, visit
from tests.sim.fleet.served import listed, serving
from tests.sim.fleet.test_looking import a_log
from tests.sim.logs import logs

ADVICE = Advised("split", "Split large tasks", "Splitting pays.", -0.25, -0.5, -0.125, 0.5, 0.25, 1.0)


def sentence(app: AppTest) -> str:
    return next(one.value for one in app.markdown if " cost most: " in one.value)


def table(app: AppTest) -> Any:
    return app.dataframe[0].value


def test_the_samples_are_shown_before_anybody_uploads() -> None:
    app = visit("fleet", compute="0")
    assert not app.exception
    assert not app.error
    found = [read_history(samples.fleet(name)) for name in samples.FLEET]
    rows = table(app)
    cost = sorted((lost(one).seconds / 3600 for one in found), reverse=True)
    assert rows["lost (h)"].tolist() == pytest.approx(cost)
    assert rows["jobs"].sum() == sum(one.jobs.num_rows for one in found)
    assert rows["application"].sort_values().tolist() == sorted(samples.FLEET)
    assert sentence(app).startswith("**A sample** · fraud-scores: Try second copies")
    assert set(rows["first"]) == {diagnose(one).answer for one in found}
    assert "remedy" not in rows
    told = " ".join(one.value for one in app.markdown)
    assert all(f"{name}: {truth}" in told for name, truth in samples.FLEET.items())
    assert len(app.metric) == 4
    assert len(app.get("plotly_chart")) == 2


def test_filters_and_order_are_in_the_link() -> None:
    most_lost, most_jobs = samples.slurm(arrays=2), samples.fleet("stock-levels")
    files = logs.zipped({"z.txt": most_lost.data, "stock": most_jobs.data})
    app = drop(visit("fleet", compute="0", format="slurm"), ("many.zip", files))
    assert table(app)["format"].tolist() == [slurm.TITLE]
    for sort, order in (("lost", [2, 30]), ("jobs", [30, 2]), ("name", [30, 2])):
        app = drop(visit("fleet", compute="0", sort=sort), ("many.zip", files))
        assert table(app)["jobs"].tolist() == order
    app = visit("fleet", compute="0", rows="unread")
    assert not app.dataframe
    assert "No log of this fleet is left" in app.info[0].value
    assert app.query_params["rows"] == "unread"
    app = visit("fleet", compute="0", price="2")
    paid = table(app)
    assert paid["lost slot-time (money)"].tolist() == pytest.approx(
        [2 * one for one in paid["lost slot-time (h)"]]
    )


def test_a_zip_of_logs_is_looked_at_and_a_broken_one_is_a_row() -> None:
    hostile = next(iter(HOSTILE.values()))
    files = {
        "a/app-9": a_log(9),
        "a/app-2": a_log(2, hostile),
        "broken": a_log(3)[:200],
        "x.txt": b"none",
        "y": b"none",
    }
    app = drop(visit("fleet", compute="0"), ("many.zip", logs.zipped(files)))
    assert not app.exception
    assert table(app)["lost (h)"].tolist()[:2] == pytest.approx([8 / 3600, 1 / 3600])
    assert table(app)["format"].tolist() == ["Spark event log"] * 2 + ["not read"]
    notices = " ".join(one.value for one in app.markdown)
    assert "1 log could not be read" in notices
    assert "2 files are no logs: " in notices
    assert app.selectbox(key="fleet.fleet").disabled


def test_what_comes_first_is_computed_for_as_many_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def first(history: History, player: Player) -> Advised:
        asked.append(history.digest)
        return ADVICE

    monkeypatch.setattr(question, "advised", first)
    monkeypatch.setattr(playing, "made_of", lambda key, files: None)
    monkeypatch.setattr(playing, "kept", lambda: ByteCache(2**20))
    app = visit("fleet", compute="2")
    assert not app.exception
    assert len(asked) == len(set(asked)) == 2
    monkeypatch.setattr(playing, "kept", lambda: ByteCache(2**20))
    asked.clear()
    assert not visit("fleet").exception
    assert len(asked) == 3  # unless another number is asked for
    rows = table(app)
    assert rows["remedy"].tolist().count("Split large tasks") == 2
    won = rows["gain (h)"].dropna()
    assert won.tolist() == pytest.approx((0.25 * rows.loc[won.index, "job time (h)"]).tolist())
    assert app.metric[3].label == "Remedies would win"
    assert "Splitting pays." in " ".join(one.value for one in app.markdown)


def test_a_log_is_opened_on_diagnose(monkeypatch: pytest.MonkeyPatch) -> None:
    app = drop(visit("fleet", compute="0"), ("many.zip", logs.zipped({"app-9": a_log(9), "app-2": a_log(2)})))
    app.selectbox(key=next(one.key for one in app.selectbox if "open" in one.key)).set_value("app-2").run()
    app.button(key="fleet:diagnose").click().run()
    assert not app.exception
    assert app.title[0].value.startswith("What do stragglers cost your cluster")
    assert any("app-2" in one.value for one in app.caption)


def test_what_the_owner_names_is_offered_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit("fleet", compute="0", fleet="server")
    assert "not offered by this server" in app.error[0].value
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "app-5").write_bytes(a_log(5))
    monkeypatch.setenv(source.VARIABLE, str(tmp_path))
    app = visit("fleet", compute="0", fleet="server")
    assert not app.error
    assert table(app)["lost (h)"].tolist() == pytest.approx([4 / 3600])
    assert str(tmp_path) not in " ".join(one.value for one in [*app.markdown, *app.caption])


@pytest.mark.skipif(sys.platform != "linux", reason="this system has no such names")
def test_a_name_that_is_no_text_is_shown_and_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.fsencode(tmp_path) + b"/log\xff", "wb") as file:
        file.write(a_log(5))
    monkeypatch.setenv(source.VARIABLE, str(tmp_path))
    monkeypatch.setattr("pages.logs.question.FRESH_S", 3)
    app = visit("fleet", compute="0", fleet="server")
    assert not app.exception
    assert table(app)["log"].tolist() == ["log\\xff"]
    app = visit("diagnose", log="server/log\\xff")
    assert not app.exception
    assert not app.error


def test_a_history_server_is_the_owners_and_its_password_is_on_no_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = {
        "/api/v1/applications": listed(app_7=["1"]),
        "/api/v1/applications/app-7/1/logs": logs.zipped({"events_1_x": a_log(7)}),
    }
    with serving(answers) as address:
        monkeypatch.setenv(history_server.VARIABLE, f"http://ann:secret@{address}")
        app = visit("fleet", compute="0", fleet="history")
        assert not app.exception
        assert table(app)["application"].tolist() == ["the app_7"]
        assert table(app)["lost (h)"].tolist() == pytest.approx([6 / 3600])
        monkeypatch.setenv(history_server.VARIABLE, "http://ann:secret@")
        monkeypatch.setattr("pages.logs.question.FRESH_S", 1)
        refused = visit("fleet", compute="0", fleet="history")
    told = " ".join(one.value for one in [*refused.error, *refused.markdown, *app.markdown, *app.caption])
    assert "secret" not in told
    assert refused.error


def test_where_the_owners_logs_are_is_on_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(source.VARIABLE, str(tmp_path))
    monkeypatch.setattr("pages.logs.question.FRESH_S", 2)
    app = visit("fleet", compute="0", fleet="server")
    assert "the folder of this server has no log" in app.error[0].value
    log = places.Place(places.Log("app", (str(tmp_path / "app"),), 1), "path")
    ((look, _),) = places.look_at_places([log], {})
    assert "No such file" in look.reason
    for told in (app.error[0].value, look.reason):
        assert str(tmp_path) not in told
