"""Dask: a real scheduler with two worker processes gives the bits of this one, also when one is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.engines import plugins
from sim.shell.verbs import main

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).resolve().parents[2]
MAP = [
    "map",
    "--preset=small",
    "--jobs=40",
    "--x=load=0.3,0.8",
    "--y=beta=1.5,2.5",
    "--policy=fair+late",
    "--policy=fair+oldest-first",
    f"--policies={ROOT / 'examples' / 'oldest_first.py'}",
    "--replications=4",
    "--json=-",
]
LINE = ["sweep", "--preset=small", "--jobs=40", "--vary=load=0.3,0.7", "--replications=3", "--json=-"]
#: What is tried with one cluster: the shell, a rule of one's own, a kill, other code, no workers.
PROGRAM = f"""
import contextlib, io, json, os, signal, threading, time
import distributed
from sim.running import code_digest, dask
from sim.engines import plugins
from sim.shell.verbs import main
from sim.running.experiment import Experiment, compare
from sim.model.fields import BadInput
from sim.engines.slots.scenario import SlotScenario
from tests.sim.test_parallel import bits

def said(*line):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*line])
    return status, out.getvalue(), err.getvalue()

if __name__ == "__main__":
    found = {{}}
    scenario = SlotScenario(slots=20, load=0.8, jobs=1500, tasks_max=10)
    plugins.register({str(ROOT / "examples" / "oldest_first.py")!r})
    experiment = Experiment.of_texts(scenario, ["fair+late", "fair+oldest-first"])
    here = compare(experiment, replications=20, threads=1)
    dask.WORKERS_S = dask.ANSWER_S = 1
    found["no scheduler"] = said(*{LINE!r}, "--dask=tcp://127.0.0.1:9")
    options = dict(threads_per_worker=1, dashboard_address=None)
    with distributed.LocalCluster(n_workers=0, **options) as cluster:
        address = cluster.scheduler_address
        found["no workers"] = said(*{LINE!r}, "--dask=" + address)
        dask.WORKERS_S = 60
        cluster.scale(2)
        found["shell"] = said(*{LINE!r}, "--dask=" + address)
        found["map"] = said(*{MAP!r}, "--dask=" + address)
        with dask.connected(address, experiment) as executor:
            client = executor._client
            client.wait_for_workers(2, timeout=60)
            workers = client.run(os.getpid)
            found["workers"] = len(workers)
            found["same"] = bits(compare(experiment, replications=20, executor=executor)) == bits(here)
            ended = []
            def kill(tasks):
                if not ended:
                    ended.append(os.kill(next(iter(workers.values())), signal.SIGKILL))
            again = compare(experiment, replications=20, executor=executor, progress=kill)
            found["killed"] = len(ended)
            found["same when killed"] = bits(again) == bits(here)
            code.ROOMS = ()
            code_digest.digest.cache_clear()
            found["other code"] = said(*{LINE!r}, "--dask=" + address)
    print("FOUND", json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    pytest.importorskip("distributed", reason="Dask is not installed")
    folder = tmp_path_factory.mktemp("dask")
    (folder / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "program.py"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    told = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert told, done.stderr
    return json.loads(told[0].removeprefix("FOUND "))


@pytest.mark.slow
def test_two_processes_give_the_bits_of_this_one(found) -> None:
    assert found["workers"] == 2
    assert found["same"]


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing_and_changes_no_digit(found) -> None:
    assert found["killed"] == 1
    assert found["same when killed"]


@pytest.mark.slow
def test_the_shell_says_the_same_with_and_without(found, capsys) -> None:
    assert main(LINE) == 0
    status, out, err = found["shell"]
    assert (status, err) == (0, "")
    here, there = (json.loads(text) for text in (capsys.readouterr().out, out))
    for report in (here, there):
        for point in report["points"]:
            for policy in point["found"]["policies"].values():
                del policy["seconds"]
    assert here == there


@pytest.mark.slow
def test_a_map_is_the_same_with_and_without(found, capsys, monkeypatch) -> None:
    """With a rule of one's own, which the workers are sent."""
    monkeypatch.setenv(plugins.NAMED, "")
    assert main(MAP) == 0
    plugins.forget()
    status, out, err = found["map"]
    assert (status, err) == (0, "")
    here, there = (json.loads(text) | {"seconds": 0} for text in (capsys.readouterr().out, out))
    assert here == there


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("no scheduler", ["sim: dask: 'tcp://127.0.0.1:9' does not answer", "give local, or the address"]),
        ("no workers", ["sim: dask: ", "has no workers; start some"]),
        ("other code", ["sim: dask: the worker tcp://", "give all the same version"]),
    ],
)
def test_what_is_not_there_or_not_the_same_is_said_in_one_line(found, what, words) -> None:
    status, out, err = found[what]
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


def test_without_dask_it_is_said_how_to_have_it(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main([*LINE, "--dask=local"]) == 2
    assert capsys.readouterr().err == "sim: dask: it is not installed; pip install -e '.[dask]'\n"
