"""`python -m sim wait`, `sim.wait` and the tool of other programs answer alike, and refuse what is wrong."""

from __future__ import annotations

import io
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sim
from sim.advice.waiting.driver import VARIABLE
from sim.advice.waiting.library import LAST, WaitResult, wait
from sim.model.fields import BadInput
from sim.shell import wait as module
from sim.shell.mcp.tools import answer
from sim.shell.verbs import main
from tests.sim.fleet.served import serving
from tests.sim.logs.test_formats import with_dates
from tests.sim.waiting.test_sources import AGE, BEGIN, DONE, LATE, LIVE, TOOK, api

TIMES = {"done": "12 13 11 0:14 12", "running": "95"}


def shell(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[str, dict[str, Any]]:
    """Return what the shell prints, and its JSON."""
    assert main(["wait", *words]) == 0
    text = capfd.readouterr().out
    assert main(["wait", *words, "--json", "-"]) == 0
    return text, json.loads(capfd.readouterr().out)


def test_shell_python_and_other_programs_answer_alike(capfd: pytest.CaptureFixture[str]) -> None:
    text, values = shell(capfd, "--done", TIMES["done"], "--running", "95", "--start=3 s", "--slots=queue")
    found = sim.wait(done=[12, 13, 11, 14, 12], running=[95], start=3, slots="queue")
    assert isinstance(found, WaitResult)
    assert found.as_text() == text.rstrip("\n")
    assert found.as_json() == values
    said = answer("wait_copy_or_kill", TIMES | {"start": 3, "slots": "queue"}, ".", None)
    assert (said.text, json.loads(said.values)) == (found.as_text(), values)
    assert text.startswith(values["answer"])
    assert (values["siblings_done"], values["median_s"], values["copy_start_s"]) == (5, 12.0, 3.0)
    (row,) = found.table.to_dict("records")
    assert (row["task"], row["age"], row["action"]) == ("task 6", 95.0, values["tasks"][0]["action"])
    assert [row["rest"], row["low"], row["high"]] == [*values["tasks"][0]["wait"]["mean_rest_s"].values()]


def test_a_deadline_sizes_and_hosts_are_part_of_the_question() -> None:
    sizes = {"sizes": "1MB 1e6 1000kB 1MB 1MB", "running_sizes": "8MB"}
    found = wait(**TIMES, **sizes, deadline="1.5 min", hosts="a b a b a", running_hosts=["b"])
    assert found.horizons == (90.0,)
    assert found.siblings.done_work.tolist() == [1e6] * 5
    assert found.tasks[0].larger == 8
    assert (found.siblings.done_hosts, found.tasks[0].host) == (("a", "b", "a", "b", "a"), "b")
    few = wait(done="3 4", running="9")
    assert np.isnan(few.table[["rest", "low", "high"]].to_numpy()).all()
    assert few.as_json()["tasks"][0]["action"] == "cannot tell"


@pytest.mark.parametrize("name", ["spark", "kubernetes", "slurm", "table"])
def test_ages_in_a_log_are_counted_to_its_last_entry_and_this_is_said(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_bytes(LIVE[name]())
    text, values = shell(capfd, str(tmp_path / "log"))
    assert LAST in text
    assert values["counted_to"] == LAST
    assert values["tasks"][0]["age_s"] == pytest.approx(AGE, abs=0.01)
    said = answer("wait_copy_or_kill", {"file": ["log"]}, str(tmp_path), ".")
    assert json.loads(said.values) == values


def test_ages_are_counted_up_to_a_time_in_the_zone_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm and Ray write local times without a zone: so `now` and seconds since 1970 become local."""
    for name in ("kubernetes", "slurm", "table"):
        (tmp_path / name).write_bytes(LIVE[name]())
    dated = [with_dates(task) for task in json.loads(LIVE["ray"]())]
    (tmp_path / "ray").write_text(json.dumps(dated))

    def age(name: str, at: str) -> float:
        return float(wait(tmp_path / name, at=at).tasks[0].age)

    monkeypatch.setattr("sim.advice.waiting.library.time", SimpleNamespace(time=lambda: BEGIN + 70.0))
    assert age("kubernetes", "now") == age("kubernetes", f"{BEGIN + 70}") == 70
    assert age("kubernetes", "2023-11-14T22:14:30Z") == 70
    assert age("table", "70") == 70
    before = os.environ.get("TZ")
    try:
        os.environ["TZ"] = "UTC-5"  # five hours ahead
        time.tzset()
        assert age("slurm", "now") == age("slurm", f"{BEGIN + 70}") == 70 + 5 * 3600
        assert age("ray", "now") == pytest.approx(70 + 5 * 3600, abs=0.02)
        assert age("slurm", "2023-11-14T22:14:30") == 70
        assert age("slurm", "2023-11-14T22:14:30+00:00") == 70 + 5 * 3600
        assert age("kubernetes", "2023-11-15T03:14:30") == 70
    finally:
        os.environ.pop("TZ")
        os.environ.update({"TZ": before} if before is not None else {})
        time.tzset()


def test_a_log_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    data = LIVE["kubernetes"]()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert main(["wait", "-"]) == 0
    assert "Stage: nightly. Ages are counted to" in capfd.readouterr().out
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    monkeypatch.setattr(module, "MOST_PIPED", len(data) - 1)
    assert main(["wait", "-"]) == 2
    assert "on standard input; give a file" in capfd.readouterr().err


def test_other_stages_are_listed_and_one_of_them_can_be_chosen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{stage},{task},0,{took}" for stage in ("map", "sort") for task, took in enumerate(TOOK)]
    lines += ["map,9,0,", "sort,9,5,"]
    rows = ["job_id,stage_id,task_id,start_s,end_s", *(f"a,{line}" for line in lines)]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    text, values = shell(capfd, str(tmp_path / "log.csv"))
    first, *others = (values["stage"], *values["other_stages"])
    assert f"Stage: {first}." in text
    assert f"Tasks run in other stages, too (--stage): {others[0]}." in text
    assert (
        "(--stage): s, s, s, s, s, s, s, s and 2 more."
        in replace(wait(**TIMES), others=("s",) * 10).as_text()
    )
    _, values = shell(capfd, str(tmp_path / "log.csv"), "--stage", others[0])
    assert (values["stage"], values["other_stages"]) == (others[0], [first])
    assert main(["wait", str(tmp_path / "log.csv"), "--stage=x"]) == 2
    assert f"stage: 'x' has no running task; give one of {first}, {others[0]}" in capfd.readouterr().err


def test_an_address_is_asked_and_that_of_the_owner_without_one(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with serving(api([*DONE, LATE])) as address:
        text, values = shell(capfd, f"http://ann:secret@{address}")
        monkeypatch.setenv(VARIABLE, f"http://ann:secret@{address}")
        _, of_owner = shell(capfd, "--application=app-1")
        said = answer("wait_copy_or_kill", {"application": "app-1"}, str(tmp_path), ".")
        for asked in ({"file": [f"http://{address}"]}, {"file": ["-"]}):  # a tool opens files alone
            with pytest.raises(BadInput, match="is not accepted"):
                answer("wait_copy_or_kill", asked, str(tmp_path), None)
    for found in (values, of_owner, json.loads(said.values)):
        assert found["siblings_done"] == len(TOOK)
        assert found["tasks"][0]["task"] == "task 7"
        assert found["tasks"][0]["age_s"] > 90
        assert found["counted_to"] == f"Ages are counted to the clock of http://{address}."
    assert "secret" not in f"{text} {values} {of_owner} {said}"


WRONG = {
    "--done=1,x --running=9": "done: 'x' is not accepted; give numbers such as 12, 1.5 min or 1:30",
    "--done=1 --running=0": "running: 0 is not accepted; give times above a microsecond",
    "--done=1e-300 --running=1": "done: 1e-300 is not accepted; give times above a microsecond",
    "--done=1": "running: no task is running; give the age of at least one, such as 95 or 1:35",
    "--done=1 --running=9 --sizes=x": "sizes: 'x' is not accepted; give numbers such as 1200, 64MiB or 2GB",
    "--done=1 --running=9 --sizes=1,2": "sizes: 2 for the 1 of done; give one for each, or none",
    "--done=1 --running=9 --running-hosts=a,b": "running-hosts: 2 for the 1 of running; give one for each",
    "--done=1 --running=9 --start=1,2": "start: '1,2' is not accepted; give one time, such as 90 or 1.5 min",
    "--done=1 --running=9 --deadline=0": "deadline: 0.0 is not accepted; give seconds, above 0",
    "--done=1 --running=9 --slots=many": "slots: 'many' is not accepted; give idle or queue",
    "--done=1 --running=9 --at=now": "at: it is part of a log; give a log, or times, and not both",
    "live --done=1 --running=9": "file: it is part of a log; give a log, or times, and not both",
    "live --application=app-1": "application: it belongs to an address; give http://HOST:PORT of a driver",
    "live --at=noon": "at: 'noon' is not accepted; give now, seconds since 1970, or a time such as 2026-",
    "live --at=0001-01-01": "at: '0001-01-01' is not accepted; give now, seconds since 1970, or a time",
    "live --at=1e300": "at: 1e+300 is no time; give seconds since 1970",
    "counted --at=nan": "at: nan is no time; give seconds since 1970",
    "live --at=1": "at: the log goes on for",
    "counted --at=now": "at: 'now' is not accepted of a log without dates; give seconds as it does",
    "over": "file: no task of this log still runs; give one that is written while tasks run",
    "no-such": "'no-such' is not accepted (No such file or directory); give the path of a log",
    "live http://127.0.0.1:9": "file: an address beside others is not accepted; give one address, or a log",
    "http://127.0.0.1:9 --at=7": "at: '7' is not accepted of what runs now; leave it out",
    "http://ann:secret@127.0.0.1:x": "file: give http://HOST:PORT of a driver's pages or of a History Server",
    "": "file: none is given; give durations with --done and ages with --running, or a log, or http://",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_refused_by_name_in_a_line(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    for name, data in (("live", LIVE["kubernetes"]()), ("counted", LIVE["table"]())):
        (tmp_path / name).write_bytes(data)
    rows = ("job_id,stage_id,task_id,start_s,end_s", "a,map,0,0,4", "a,map,1,0,9")
    (tmp_path / "over").write_text("\n".join(rows))
    assert main(["wait", *line.split()]) == 2
    said = capfd.readouterr().err
    assert said.startswith(f"sim: {WRONG[line]}")
    assert said.count("\n") == 1
    assert "secret" not in said
