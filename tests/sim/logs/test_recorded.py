"""Files of real programs in `recorded/`, made by scripts in `tests/real`, beside another reader of each."""

import json
import re
from collections import defaultdict
from datetime import datetime
from itertools import pairwise

import pytest
import yaml

from sim.logs.formats import read_history
from sim.logs.source import Upload
from tests.sim.logs.recorded import FOLDER, found, plain
from tests.sim.logs.test_dask import counted
from tests.sim.logs.test_flink import counted as flink
from tests.sim.logs.truth import raw


def test_they_are_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 200_000


# Ray: python -m tests.real.ray_job


@pytest.mark.parametrize(("form", "parsed"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_every_task_that_ray_lists_is_read(form, parsed):
    path = found(f"ray_*_tasks.{form}.gz")
    rows = parsed(plain(path))
    history = read_history(path)
    copies, stages = history.frame("copies"), history.frame("stages")
    assert len(copies) == len(rows) == 60
    assert stages["tasks"].tolist() == [30, 30]
    assert set(stages["name"]) == {"load", "fit"}
    assert copies["complete"].all()
    executed = [
        event["end_time"] - event["start_time"]
        for row in rows
        for event in row["profiling_data"]["events"]
        if event["event_name"] == "task:execute"
    ]
    assert sorted(copies["end"] - copies["began"]) == pytest.approx(
        sorted(t / 1e3 for t in executed), abs=1e-5
    )
    slowest = copies.loc[(copies["end"] - copies["began"]).idxmax()]
    assert slowest["end"] - slowest["began"] == pytest.approx(3, abs=0.1)
    dates = [datetime.fromisoformat(row["start_time_ms"]) for row in rows]
    waited = sorted((date - min(dates)).total_seconds() for date in dates)
    assert sorted(copies["launch"] - copies["launch"].min()) == pytest.approx(waited, abs=2e-3)
    assert (copies["launch"] <= copies["began"]).all()
    assert history.span == pytest.approx(copies["end"].max())
    assert history.span < 10  # with the zone of the dates beside the UTC of the profiling, half a day


def test_a_list_of_ray_is_the_same_as_json_and_as_yaml():
    one, other = (read_history(found(f"ray_*_tasks.{form}.gz")) for form in ("json", "yaml"))
    assert one.digest == other.digest


# Spark: python -m tests.real.spark_job


def test_an_event_log_of_spark_has_what_another_reader_counts():
    path = found("spark_*_events.gz")
    history = read_history(path)
    told = raw(plain(path))
    copies, jobs = history.frame("copies"), history.frame("jobs")
    assert (told["jobs"], told["stages"], told["tasks"]) == (len(jobs), history.stages.num_rows, len(copies))
    assert told["copies"] == told["finished"] == len(copies) == 16
    assert (jobs["end"] - jobs["submit"]).sum() == pytest.approx(told["recorded"])
    assert history.slots["slots"].to_pylist() == [4]
    assert not history.notes


# Flink: an archive of the HistoryServer, from a cluster of this project


def test_answers_of_flink_are_read_as_the_archive_that_has_them():
    path = found("flink_*_archive.json.gz")
    entries = {one["path"]: one["json"] for one in json.loads(plain(path))["archive"]}
    asked = [one for one in entries if re.fullmatch(r"/jobs/(?!overview)\w+(/vertices/\w+)?", one)]
    assert len(asked) == 3
    archive = read_history(path)
    assert archive.frame("copies")["speculative"].sum() == 3
    told = flink(plain(path))
    assert (told["copies"], told["killed"]) == (len(archive.frame("copies")), 3)
    answers = read_history(*(Upload(f"{at}.json", entries[one].encode()) for at, one in enumerate(asked)))
    for name in ("jobs", "stages", "copies"):
        assert answers.frame(name).equals(archive.frame(name))


# Dask: python -m tests.real.dask_job


def spans(stream):
    """Return when each thread of a worker computed, in order."""
    threads = defaultdict(list)
    for task in stream:
        for span in task.get("startstops", ()):
            threads[task["worker"], task["thread"]].append((span["start"], span["stop"]))
    return [sorted(one) for one in threads.values()]


@pytest.mark.parametrize("told", [True, False], ids=["threads told", "threads not told"])
def test_a_stream_of_two_workers_with_four_threads_has_eight_slots(told):
    *stream, threads = json.loads(plain(found("dask_*_stream.json.gz")))
    assert sum(threads.values()) == 8
    assert any(end > start for one in spans(stream) for (_, end), (start, _) in pairwise(one))
    history = read_history(Upload("stream.json", json.dumps([*stream, threads] if told else stream).encode()))
    assert history.slots.to_pylist() == [{"time": 0.0, "slots": 8}]
    assert history.slots_from == ("log" if told else "copies")
    assert history.stages["tasks"].to_pylist() == [60, 60]
    copies = history.frame("copies")
    shortened = sum(min(0, start - end) for one in spans(stream) for (_, end), (start, _) in pairwise(one))
    worked = sum(end - start for one in spans(stream) for start, end in one)
    assert (copies["end"] - copies["began"]).sum() == pytest.approx(worked + shortened, abs=1e-4)


def test_a_report_of_dask_has_the_same_tasks_as_another_reader_counts():
    history = read_history(found("dask_*_report.html.gz"))
    copies = history.frame("copies")
    told = counted(plain(found("dask_*_report.html.gz")))
    assert (told["tasks"], told["copies"], told["failed"]) == (len(copies), 120, 0)
    assert (copies["end"] - copies["began"]).sum() == pytest.approx(told["held"], rel=0.01)
    assert history.slots.to_pylist() == [{"time": 0.0, "slots": 8}]
