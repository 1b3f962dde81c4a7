"""Which files are one log, in the layouts in which clouds keep them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.advice.fleet import discovery
from sim.advice.fleet.discovery import files_in, in_archive, in_folder, logs_of
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs import logs

#: Layout -> the files of it, and how many files each log has.
LAYOUTS = {
    "Databricks": (
        [
            "0712-1/eventlog/0712-1_10_0_0_1/811/eventlog",
            "0712-1/eventlog/0712-1_10_0_0_1/811/eventlog-2026-07-12--10-00.gz",
            "0712-1/eventlog/0712-1_10_0_0_1/812/eventlog",
            "0712-1/driver/.hidden",
        ],
        {"0712-1/eventlog/0712-1_10_0_0_1/811": 2, "0712-1/eventlog/0712-1_10_0_0_1/812": 1},
    ),
    "EMR": (
        [
            "j-1/sparklogs/eventlog_v2_application_1_0001/appstatus_application_1_0001",
            "j-1/sparklogs/eventlog_v2_application_1_0001/events_1_application_1_0001.zstd",
            "j-1/sparklogs/eventlog_v2_application_1_0001/events_2_application_1_0001.zstd",
            "j-1/sparklogs/application_1_0002_1",
            "j-1/hadoop-mapreduce/history/2026/01/02/000000/job_1-x.jhist.gz",
            "j-1/hadoop-mapreduce/history/2026/01/02/000000/job_1_conf.xml",
        ],
        {
            "j-1/sparklogs/eventlog_v2_application_1_0001/application_1_0001": 2,
            "j-1/sparklogs/application_1_0002_1": 1,
            "j-1/hadoop-mapreduce/history/2026/01/02/000000/job_1-x.jhist.gz": 1,
        },
    ),
    "Dataproc": (
        [
            "a1/spark-job-history/application_1_0001",
            "a1/spark-job-history/application_1_0002.inprogress",
            "a1/spark-job-history/_SUCCESS",
            "a1/mapreduce-job-history/done/2026/01/02/000000/job_9.jhist",
            "a1/mapreduce-job-history/done/2026/01/02/000000/.job_9.jhist.crc",
        ],
        {
            "a1/spark-job-history/application_1_0001": 1,
            "a1/spark-job-history/application_1_0002.inprogress": 1,
            "a1/mapreduce-job-history/done/2026/01/02/000000/job_9.jhist": 1,
        },
    ),
    "Flink 2.3": (
        [
            "c/applications/app1/jobs/j1",
            "c/applications/app1/jobs/j2",
            "c/applications/app1/application",
            "c/applications/app2/jobs/j3",
        ],
        {"c/applications/app1": 2, "c/applications/app2": 1},
    ),
    "rolled parts of two applications in one folder": (
        ["events_1_a", "events_2_a", "events_1_b", "events_2_a.zstd.crc"],
        {"a": 2, "b": 1},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_files_of_a_log_are_found_in_each_layout(layout: str, tmp_path: Path) -> None:
    files, expected = LAYOUTS[layout]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x")
    found = in_folder(tmp_path)
    assert {log.name: len(log.files) for log in found} == expected
    assert all(Path(file).is_file() for log in found for file in log.files)
    archived = in_archive(Upload("fleet.zip", logs.zipped(dict.fromkeys(files, b"x"))))
    assert {log.name: len(log.files) for log in archived} == expected


def test_links_that_lead_out_of_an_offered_folder_are_left_out(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret").write_text("x")
    (inside / "log").write_text("x")
    (inside / "link").symlink_to(outside / "secret")
    (inside / "folder").symlink_to(outside)
    assert [log.name for log in in_folder(inside, inside=True)] == ["log"]
    assert [log.name for log in in_folder(inside)] == ["link", "log"]


def test_too_many_logs_files_and_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MOST_LOGS", 2)
    monkeypatch.setattr(discovery, "MOST_FILES", 3)
    with pytest.raises(BadInput, match="3 logs; at most 2"):
        logs_of([("a", 1), ("b", 1), ("c", 1)])
    for name in "abcd":
        (tmp_path / name).write_text("x")
    with pytest.raises(BadInput, match="more than 3 files"):
        in_folder(tmp_path)
    packed = Upload("fleet.zip", logs.zipped({"a": b"x" * 100, "b": b"y"}))
    large, small = in_archive(packed)
    with pytest.raises(BadInput, match="more bytes than are accepted"):
        files_in(packed, large, 99)
    assert [file.data for file in files_in(packed, small, 99)] == [b"y"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 and nothing", "the archive cannot be read"),
        (logs.zipped({}), "no file in the archive"),
        (logs.zipped({"_SUCCESS": b"x"}), "no file in the archive"),
    ],
)
def test_an_archive_without_logs_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        in_archive(Upload("fleet.zip", data))


def test_a_file_with_a_password_and_a_bomb_are_refused() -> None:
    locked = Upload("fleet.zip", logs.encrypted(logs.zipped({"a": b"x"})))
    with pytest.raises(BadInput, match="encrypted"):
        files_in(locked, in_archive(locked)[0], 99)
    bomb = Upload("fleet.zip", logs.zipped({"a": bytes(20 * 2**20)}))
    with pytest.raises(BadInput, match="decompression bomb"):
        files_in(bomb, in_archive(bomb)[0], 2**30)
