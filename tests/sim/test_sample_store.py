"""Samples outlive the process: none is lost by a kill or a full disk, none is mixed with those of others."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import BadInput
from sim.running import code_digest
from sim.running import sample_store as keeping
from sim.running import sample_store as keeping_bytes
from sim.running.experiment import Experiment, compare
from sim.running.sample_store import NAME, SampleStore, description, from_bytes, to_bytes
from sim.shell.verbs import main
from tests.samples import made
from tests.sim.test_parallel import RECORDED, bits, spelled

EXPERIMENT = Experiment.of_texts(
    SlotScenario(slots=20, load=0.8, jobs=60, tasks_max=10), ("fair+late", "hopper")
)
LINE = ["sweep", "--preset=small", "--jobs=30", "--policy=srpt+none", "--replications=2", "--json=-"]


def kept(folder: Path, experiment: Experiment = EXPERIMENT) -> SampleStore:
    return SampleStore(folder, description(experiment))


class Counted(Experiment):
    """An experiment that counts its runs."""

    runs = 0

    def run(self, *arguments, **named):
        Counted.runs += 1
        return super().run(*arguments, **named)


@pytest.mark.parametrize(
    "one",
    [*made(["a"]).comparison.policies["a"].samples, *made(["b"], jobs=3).comparison.policies["b"].samples],
)
def test_a_sample_survives_as_bytes(one) -> None:
    again = from_bytes(to_bytes(one))
    for field in one.__dataclass_fields__:
        assert spelled(getattr(again, field)) == spelled(getattr(one, field)), field


def test_a_sample_whose_mean_is_censored_survives_as_bytes() -> None:
    one, *_ = made(["a"], jobs=3).comparison.policies["a"].samples
    censored = replace(one, values=dict.fromkeys(one.values))
    assert from_bytes(to_bytes(censored)).values == censored.values


@pytest.mark.parametrize("experiment", [EXPERIMENT, RECORDED], ids=["drawn", "recorded"])
def test_what_is_kept_is_not_run_again_and_has_the_same_bits(tmp_path, experiment) -> None:
    counted = Counted(experiment.scenario, experiment.policies, experiment.trace)
    plain = compare(experiment, replications=3, threads=2)
    Counted.runs = 0
    for replications, runs in ((2, 4), (3, 2), (3, 0)):  # more replications go on from those that are there
        with kept(tmp_path / "new", counted) as keep:
            found = compare(counted, replications=replications, threads=2, keep=keep)
            assert len(keep) == 2 * replications
        assert Counted.runs == runs
        Counted.runs = 0
    assert bits(found) == bits(plain)


def test_a_kill_in_the_middle_loses_nothing_and_changes_no_digit(tmp_path) -> None:
    """SIGKILL comes when some samples are there; the same line then runs only the others."""
    program = f"""
from sim.running.experiment import sweep
from tests.sim.test_sample_store import *
long = EXPERIMENT.scenario.replace(jobs=5000)
experiment = Experiment(long, EXPERIMENT.policies)
with SampleStore({str(tmp_path)!r}, description(experiment, load=[0.5, 0.8])) as keep:
    list(sweep(experiment, "load", [0.5, 0.8], replications=40, threads=1, keep=keep))
"""
    running = subprocess.Popen([sys.executable, "-c", program])
    count = 0
    for _ in range(600):
        time.sleep(0.05)
        assert running.poll() is None, "it was to be killed"
        count = rows(tmp_path)
        if count >= 3:
            break
    running.send_signal(signal.SIGKILL)
    running.wait()
    count = rows(tmp_path)
    assert 3 <= count < 160
    experiment = Counted(EXPERIMENT.scenario.replace(jobs=5000), EXPERIMENT.policies)
    wanted = -(-count // 4)  # of the first load, so many replications are there, but for the last
    Counted.runs = 0
    with SampleStore(tmp_path, description(experiment, load=[0.5, 0.8])) as keep:
        assert len(keep) == count
        found = compare(
            Counted(experiment.scenario.replace(load=0.5), experiment.policies),
            replications=wanted,
            keep=keep,
        )
    assert Counted.runs <= max(0, 2 * wanted - count) < 2 * wanted
    plain = compare(
        Experiment(experiment.scenario.replace(load=0.5), EXPERIMENT.policies), replications=wanted
    )
    assert bits(found) == bits(plain)


def rows(folder: Path) -> int:
    """Samples that are in the file of another process: a copy is read, for that holds the lock."""
    for name in (NAME, f"{NAME}-wal"):
        if not (folder / name).exists():
            return 0
    copy = folder.parent / f"copy {time.monotonic_ns()}"
    copy.mkdir()
    for name in (NAME, f"{NAME}-wal"):
        (copy / name).write_bytes((folder / name).read_bytes())
    try:
        with sqlite3.connect(copy / NAME) as file:
            return file.execute("SELECT count(*) FROM sample").fetchone()[0]
    except sqlite3.DatabaseError:
        return 0


@pytest.mark.parametrize(
    ("changed", "policies", "reason"),
    [
        ({"load": 0.7}, 2, r"load is 0\.8 there, 0\.7 here"),
        ({"seed": 2}, 2, r"seed is 1 there, 2 here"),
        ({}, 1, r"policies is fair\+late; hopper\+budget there, fair\+late here"),
    ],
)
def test_a_folder_of_another_experiment_is_refused(tmp_path, changed, policies, reason) -> None:
    with kept(tmp_path):
        pass
    other = Experiment(EXPERIMENT.scenario.replace(**changed), EXPERIMENT.policies[:policies])
    refused = rf"^keep: .* is not used; it is of another experiment: {reason}; give another folder$"
    with pytest.raises(BadInput, match=refused):
        kept(tmp_path, other)


def test_a_folder_made_by_other_code_is_refused(tmp_path, monkeypatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(code_digest, "digest", lambda: "0123456789abcdef")
        with kept(tmp_path):
            pass
    with pytest.raises(BadInput, match=r"made by other code: code is .*0123456789abcdef there, .* here"):
        kept(tmp_path)


def test_an_edit_of_an_engine_is_other_code_and_one_of_a_page_is_not(tmp_path, monkeypatch) -> None:
    for name in ("sim/engines/slots", "sim/papers", "theory", "pages"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "one.py").write_text("x = 1\n")
    monkeypatch.setattr(code_digest, "ROOT", tmp_path)
    digest = code_digest.digest.__wrapped__
    before = digest()
    for name, changes in (
        ("sim/engines/slots", True),
        ("sim/papers", False),
        ("theory", True),
        ("pages", False),
    ):
        (tmp_path / name / "one.py").write_text("x = 2\n")
        assert (digest() != before) is changes, name
        (tmp_path / name / "one.py").write_text("x = 1\n")


def test_two_runs_do_not_write_to_one_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(keeping, "PATIENCE_MS", 100)
    with kept(tmp_path), pytest.raises(BadInput, match=r"another run is writing to it$"):
        kept(tmp_path)
    with kept(tmp_path):
        pass


def test_a_full_disk_ends_in_one_line_and_loses_nothing(tmp_path) -> None:
    with kept(tmp_path) as keep:
        keep._file.execute("PRAGMA max_page_count = 9")
        with pytest.raises(
            BadInput, match=r"cannot be written \(database or disk is full\); what it holds stays"
        ):
            compare(EXPERIMENT, replications=50, keep=keep)
        count = len(keep)
    assert count
    with kept(tmp_path) as keep:
        assert len(keep) == count
        compare(EXPERIMENT, replications=5, keep=keep)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("notes.txt", "it holds something else"), (NAME, "it holds something else"), ("link", "it is a link")],
)
def test_a_folder_of_something_else_is_refused_and_left_as_it_is(tmp_path, content, reason) -> None:
    theirs = tmp_path / "theirs.sqlite"
    with contextlib.closing(sqlite3.connect(theirs)) as file:  # without tables: as one that was begun
        file.execute("PRAGMA user_version = 7")
    before, folder = theirs.read_bytes(), tmp_path / "folder"
    folder.mkdir()
    if content == "link":
        (folder / NAME).symlink_to(theirs)
    else:
        (folder / content).write_bytes(before)
    with pytest.raises(BadInput, match=reason):
        kept(folder)
    assert [path.read_bytes() for path in folder.iterdir()] == [before]
    assert theirs.read_bytes() == before


@pytest.mark.parametrize("begun", ["", f"PRAGMA application_id = {keeping._OURS}"])
def test_a_file_that_a_kill_has_left_without_tables_is_ours(tmp_path, begun) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / NAME)) as file:
        file.execute(begun)
    with kept(tmp_path) as keep:
        assert len(keep) == 0


def test_the_shell_goes_on_from_a_folder(capsys, tmp_path) -> None:
    assert main([*LINE, "--vary=load=0.2,0.4", f"--keep={tmp_path / 'kept'}"]) == 0
    first = capsys.readouterr().out
    assert main([*LINE, "--vary=load=0.2,0.4", f"--keep={tmp_path / 'kept'}"]) == 0
    assert capsys.readouterr().out == first  # the seconds, too: nothing was run
    assert main([*LINE, "--vary=load=0.2,0.6", f"--keep={tmp_path / 'kept'}"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "load is [0.2, 0.4] there, [0.2, 0.6] here" in said


@pytest.mark.parametrize("name", ["", "\0", "no/such/folder", "/dev/null"])
def test_a_folder_that_cannot_be_is_refused(name, capsys) -> None:
    assert main([*LINE, "--vary=load=0.2", f"--keep={name}"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("sim: keep: ")
    assert said.count("\n") == 1


def test_a_umask_that_allows_all_lets_nobody_else_change_samples(tmp_path) -> None:
    before = os.umask(0)
    try:
        with kept(tmp_path / "a"):
            pass
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o022 for path in (tmp_path / "a", tmp_path / "a" / NAME)] == [0, 0]


DAMAGES = {
    "a flipped bit": lambda found: found[:40] + bytes([found[40] ^ 1]) + found[41:],
    "cut off": lambda found: found[: len(found) // 2],
    "empty": lambda found: b"",
    "no bytes": lambda found: 17,
    "something else": lambda found: zlib.compress(b'{"values": []}'),
    "words for numbers": lambda found: zlib.compress(
        re.sub(rb'"span": [^,]*,', b'"span": "x",', zlib.decompress(found))
    ),
    "no number": lambda found: zlib.compress(
        re.sub(rb'"span": [^,]*,', b'"span": NaN,', zlib.decompress(found))
    ),
    "nested deep": lambda found: zlib.compress(b"[" * 100_000),
    "an array of objects": lambda found: zlib.compress(
        re.sub(rb'"series": \["[^"]*"', b'"series": ["|O8"', zlib.decompress(found))
    ),
    "a bomb": lambda found: zlib.compress(b" " * (keeping_bytes.MOST_BYTES + 1), 9),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_sample_is_computed_again_and_that_is_said(tmp_path, damage, caplog, monkeypatch) -> None:
    monkeypatch.setattr(keeping_bytes, "MOST_BYTES", 2**20)
    counted = Counted(EXPERIMENT.scenario, EXPERIMENT.policies)
    with kept(tmp_path / "a", counted) as keep:
        plain = compare(counted, replications=2, threads=1, keep=keep)
    with sqlite3.connect(tmp_path / "a" / NAME) as file:
        unit, found = file.execute("SELECT unit, found FROM sample WHERE replication = 1").fetchone()
        wrong = DAMAGES[damage](found)
        assert wrong != found
        file.execute("UPDATE sample SET found = ? WHERE unit = ?", (wrong, unit))
    file.close()
    for runs in (1, 0):  # what was damaged is kept again
        Counted.runs = 0
        caplog.clear()
        with kept(tmp_path / "a", counted) as keep:
            again = compare(counted, replications=2, threads=1, keep=keep)
        assert Counted.runs == runs
        assert [record.levelname for record in caplog.records] == ["WARNING"] * runs
        assert "computed again" in caplog.text or not runs
        assert "\n" not in "".join(record.getMessage() for record in caplog.records)
        assert bits(again) == bits(plain)
