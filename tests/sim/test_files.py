"""Files named on the command line: only regular files are read, and writes are atomic."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from sim.__main__ import main
from sim.fields import BadInput
from sim.files import Output, keep_apart, opened
from tests.sim.traces.logs import lines, small

ROOT = Path(__file__).resolve().parents[2]
QUICK = ["run", "--preset", "small", "--jobs", "20", "--replications", "1", "--policy", "fifo+none"]
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """Return the standard output and the line of a command that ends with 2."""
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.err.startswith("sim: ")
    assert said.err.count("\n") == 1
    return said.out, said.err


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    (tmp_path / "usual").write_text("")
    old.write_text("old")
    old.chmod(0o640)
    for path in (new, old):
        with Output("json", str(path)) as file:
            file.write("content")
        assert path.read_text() == "content\n"
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old", "usual"]


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), Output("json", str(target)):
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("old")
    (tmp_path / "link").symlink_to("there")
    with Output("json", str(tmp_path / "link")) as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_text() == "new"


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Output("json", str(target)) as file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            with pytest.raises(BadInput, match=r"json: '.*' cannot be written \(File too large\)"):
                file.write("x" * 10_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_device_is_written_to_and_stays_one() -> None:
    with Output("json", os.devnull) as file:
        file.write("content")
    assert not Path(os.devnull).is_file()


@PIPES
def test_a_pipe_is_written_to_if_somebody_reads_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BadInput, match="cannot be written"):
        Output("json", str(pipe))
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Output("json", str(pipe)) as file:
        file.write("content")
    assert os.read(reader, 100) == b"content\n"
    os.close(reader)


def test_the_same_file_is_not_read_and_written(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    with Output("out", str(tmp_path / "a")) as one, Output("json", f"{tmp_path}/./a") as other:
        keep_apart([one, None], [str(tmp_path / "b")])
        with pytest.raises(BadInput, match=r"json: .* the same file"):
            keep_apart([one, other], [])
        with pytest.raises(BadInput, match=r"out: .* the same file"):
            keep_apart([one], [str(tmp_path / "a")])
    assert (tmp_path / "a").read_text() == "a"


BAD_TARGETS = {
    "a folder": ".",
    "nothing": "",
    "no folder": "no/such/folder/x",
    "a file as a folder": "file/x",
    "a name that is too long": "x" * 300,
    "a path that is too long": "x/" * 3000,
    "a circle of links": "circle",
    "a NUL": "a\0b",
    "a lone half of a letter": "a\ud800",
}


@pytest.mark.parametrize("target", BAD_TARGETS.values(), ids=BAD_TARGETS)
@pytest.mark.parametrize(
    "command",
    [
        [*QUICK, "--json"],
        ["sweep", *QUICK[1:], "--vary", "load=0.5", "--json"],
        ["reproduce", "xl-fig4-alpha2", "--json"],
        ["trace", "log", "--json"],
        ["trace", "log", "--html"],
        ["trace", "log", "--out"],
        ["train-rl", "--network"],
        ["train-rl", "--curve"],
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_a_target_that_cannot_be_written_is_refused_before_the_run(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    target: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("old")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "log").write_bytes(lines(small()))
    before = sorted(tmp_path.iterdir())
    out, line = refusal(capsys, *command, target)
    assert out == ""
    assert f"sim: {command[-1].removeprefix('--')}: " in line or "train-rl: needs" in line
    assert len(line) < 400
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "old"


@FULL
def test_a_result_that_cannot_be_written_after_all_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    out, line = refusal(capsys, *QUICK, "--json", "/dev/full")
    assert "fifo+none" in out
    assert "No space left" in line
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@FULL
def test_what_can_be_written_of_a_diagnosis_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(lines(small()))
    log, found = str(tmp_path / "log"), tmp_path / "found.json"
    out, line = refusal(capsys, "trace", log, "--html", "/dev/full", "--json", str(found))
    assert out.startswith("Stragglers cost")
    assert "html" in line
    assert json.loads(found.read_text())["copies"] == 5
    out, line = refusal(capsys, "trace", log, "--out", "/dev/full", "--json", "-")
    assert json.loads(out)["copies"] == 5
    assert "sim: out: '/dev/full' cannot be written (No space left on device)" in line


def test_a_log_is_not_written_over(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(lines(small()))
    _, line = refusal(capsys, "trace", str(log), "--out", str(log))
    assert "same file" in line
    assert log.read_bytes() == lines(small())


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, str]:
    """Paths of what is no file, or none that can be read."""
    found = {
        "a folder": str(tmp_path),
        "a device": "/dev/zero",
        "nothing": str(tmp_path / "nothing"),
        "a NUL": "a\0b",
        "too long": "x" * 300,
        "empty": "",
    }
    with contextlib.suppress(AttributeError):
        os.mkfifo(tmp_path / "pipe")
        found["a pipe"] = str(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    return found | {"a circle": str(tmp_path / "circle")}


def test_what_is_no_file_is_refused_as_a_workload(
    capsys: pytest.CaptureFixture[str], sources: dict[str, str]
) -> None:
    for name, path in sources.items():
        if path:
            _, line = refusal(capsys, *QUICK, "--workload", path)
            assert "workload" in line, name


def test_what_is_no_file_is_refused_as_a_log(
    capsys: pytest.CaptureFixture[str], sources: dict[str, str]
) -> None:
    for path in sources.values():
        refusal(capsys, "trace", path)


def test_a_file_is_read_no_further_than_is_accepted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.traces.MOST_BYTES", 2**20)
    (tmp_path / "large").write_bytes(b"x" * (2**20 + 1))
    _, line = refusal(capsys, *QUICK, "--workload", str(tmp_path / "large"))
    assert "at most 1 MiB" in line


@PIPES
def test_a_pipe_without_a_writer_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe"):
        opened(tmp_path / "pipe")


def ended(program: list[str], output: int | IO[str], **others: Any) -> subprocess.CompletedProcess[str]:
    """Run a program of ours with this standard output."""
    command = [sys.executable, "-m", *program]
    return subprocess.run(
        command, cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True, check=False, **others
    )


@FULL
@pytest.mark.parametrize("program", [["sim", "presets"], ["sim", "fields", "--json"], ["theory"]])
def test_a_standard_output_that_is_full_is_one_line(program: list[str]) -> None:
    with open("/dev/full", "w") as full:
        told = ended(program, full)
    assert told.returncode == 2
    assert told.stderr == f"{program[0]}: standard output: No space left on device\n"


@pytest.mark.parametrize("program", [["sim", "presets"], ["theory"]])
def test_who_reads_no_more_is_told_nothing(program: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    told = ended(program, writing)
    os.close(writing)
    assert (told.returncode, told.stderr) == (0, "")


def test_a_terminal_without_the_letters_shows_their_numbers() -> None:
    told = ended(["sim", *QUICK], subprocess.PIPE, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert told.returncode == 0, told.stderr
    assert "\\xb7" in told.stdout


#: A program that has begun a file when it is killed.
BEGUN = """
import sys, time
from sim.files import Output
begun = Output("json", sys.argv[1])
print("begun", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
def test_a_kill_leaves_no_file_that_was_begun(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BEGUN, str(tmp_path / "out.json")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == b"begun\n"
        writing.kill()
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_nameless_files_is_written_to_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.files._nameless", lambda folder: None)
    with Output("json", str(tmp_path / "out")) as file:
        assert [path.name.startswith(".straggler-lab-") for path in tmp_path.iterdir()] == [True]
        file.write("content")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
