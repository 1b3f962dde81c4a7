"""Files of real programs in `recorded/`, made by scripts in `tests/real`, beside another reader of each."""

import gzip
import json
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from sim.fields import BadInput
from sim.traces.formats import read_history

FOLDER = Path(__file__).parent / "recorded"


def found(pattern):
    """Return the one file of a program, whatever its version."""
    (path,) = FOLDER.glob(pattern)
    return path


def plain(path):
    return gzip.decompress(path.read_bytes())


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


def test_the_timeline_of_ray_is_told_what_to_give():
    with pytest.raises(
        BadInput, match=r"this is ray timeline; .* give ray list tasks --detail --format json"
    ):
        read_history(found("ray_*_timeline.json.gz"))
