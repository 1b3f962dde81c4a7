"""Histories of the server's owner: only names in one folder, and no path that leads out of it."""

import os

import pytest

from sim.advice.diagnosis import read_and_diagnose
from sim.logs.samples import spark
from sim.logs.source import MOST, VARIABLE, Upload, files_of, listed, offered, read_offered, state


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "histories"
    inside.mkdir()
    (inside / "week.zstd").write_bytes(spark(speculation=False).data)
    (inside / "eventlog_v2_app").mkdir()
    (inside / "eventlog_v2_app" / "events_1_app").write_bytes(b"x")
    (tmp_path / "secret").write_text("secret")
    return inside


def test_files_and_folders_of_parts_are_offered_by_name(folder):
    assert listed(folder) == {name: folder / name for name in ("eventlog_v2_app", "week.zstd")}


def test_what_leads_out_of_the_folder_is_not(folder):
    (folder / "out").symlink_to(folder.parent / "secret")
    (folder / "up").symlink_to(folder.parent)
    (folder / "self").symlink_to(folder)
    (folder / "gone").symlink_to(folder / "nothing")
    (folder / "parts").mkdir()
    (folder / "parts" / "events_1_app").symlink_to(folder.parent / "secret")
    (folder / "parts" / "events_2_app").write_bytes(b"x")
    assert set(listed(folder)) == {"eventlog_v2_app", "week.zstd"}


def test_a_folder_of_deeper_files_is_offered_without_what_leads_out_of_it(folder):
    jobs = folder / "cluster" / "applications" / "a" / "jobs"
    jobs.mkdir(parents=True)
    (jobs / "out").symlink_to(folder.parent / "secret")
    assert "cluster" not in listed(folder)
    (jobs / "job").write_bytes(b"x")
    before = state(listed(folder)["cluster"])
    assert "secret" not in str(before)
    (jobs / "job").write_bytes(b"xy")
    assert state(folder / "cluster") != before
    assert files_of(folder / "cluster") == [jobs.parents[1], jobs / "job"]


def test_a_link_within_the_folder_is(folder):
    (folder / "latest").symlink_to("week.zstd")
    assert listed(folder)["latest"] == folder / "week.zstd"


def test_hidden_empty_and_special_files_are_not(folder):
    (folder / ".hidden").write_text("x")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    assert set(listed(folder)) == {"eventlog_v2_app", "week.zstd"}


def test_a_folder_may_be_a_link_itself(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert listed(tmp_path / "link") == listed(folder)


def test_the_number_of_names_is_bounded(tmp_path):
    for number in range(MOST + 5):
        (tmp_path / f"log{number:04}").touch()
    assert len(listed(tmp_path)) == MOST


def test_without_a_folder_nothing_is_offered(monkeypatch, tmp_path, caplog):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert offered() == {}
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    assert offered() == {}
    assert VARIABLE in caplog.text


def test_a_log_that_has_changed_or_gone_is_known(folder):
    parts, file = folder / "eventlog_v2_app", folder / "week.zstd"
    before = state(parts), state(file)
    assert [len(one) for one in before] == [1, 1]
    with (parts / "events_1_app").open("ab") as log:
        log.write(b"more")
    (parts / "events_2_app").write_bytes(b"y")
    assert len(state(parts)) == 2
    assert state(parts)[0] != before[0][0]
    assert state(file) == before[1]
    file.unlink()
    assert state(file) == ()


def test_a_history_of_the_folder_is_read_as_it_would_be_elsewhere(folder, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(folder))
    path = offered()["week.zstd"]
    found = read_offered(read_and_diagnose, str(path), (1, 2), Upload("week.zstd", b""))
    assert found.counts.jobs == 26
    assert found.history.files == ("week.zstd",)
