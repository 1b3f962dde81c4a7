"""Files named on the command line: only regular files are read, and writes are atomic."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import orjson
import pytest

from sim.logs import samples
from sim.model.fields import BadInput
from sim.model.files import Output, keep_apart, opened
from sim.shell.verbs import main, parser
from tests.depth import some
from tests.sim.fleet.test_looking import a_log
from tests.sim.logs.logs import lines, small

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
        with pytest.raises(BadInput, match=r"json: .* another option writes the same file"):
            keep_apart([one, other], [])
        with pytest.raises(BadInput, match=r"out: .* the same file is read"):
            keep_apart([one], [str(tmp_path / "a")])
        with pytest.raises(BadInput, match=r"out: .* lies in .*, which is read"):
            keep_apart([one], [str(tmp_path)])
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
    assert f"sim: {command[-1].removeprefix('--')}: " in line
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
    assert out.startswith("Find out why 1 attempt ended early")
    assert "html" in line
    assert json.loads(found.read_text())["copies"] == 5
    out, line = refusal(capsys, "trace", log, "--out", "/dev/full", "--json", "-")
    assert json.loads(out)["copies"] == 5
    assert "sim: out: '/dev/full' cannot be written (No space left on device)" in line


WORKLOAD = b"job_id,submit,tasks\n" + b"".join(b"%d,%d,3\n" % (one, 5 * one) for one in range(20))
#: What a command does with what an option names: it replaces the file once all is computed, changes a file or
#: a folder in place, or reads.
WRITTEN, CHANGED, READ = "written", "changed", "read"
#: (Verb, option that names a file or a folder) -> what is done with it.
NAMED = {
    **{(verb, "json"): WRITTEN for verb in ("run", "sweep", "map", "trace", "whatif", "repeated", "after")},
    **{(verb, "json"): WRITTEN for verb in ("gate", "fleet", "reproduce", "rollouts")},
    **{(verb, "json"): WRITTEN for verb in ("wait", "check-advice")},
    **{("trace", option): WRITTEN for option in ("out", "html")},
    **{("gate", option): WRITTEN for option in ("markdown", "junit", "html")},
    **{(verb, "figure"): WRITTEN for verb in ("run", "sweep")},
    ("after", "html"): WRITTEN,
    **{("whatif", "html"): WRITTEN, ("map", "out"): WRITTEN},
    **{(verb, "csv"): WRITTEN for verb in ("run", "sweep", "fleet")},
    **{(verb, "keep"): CHANGED for verb in ("run", "sweep", "map", "fleet")},
    **{("export", "folder"): CHANGED, ("mcp", "folder"): READ, ("policies", "policies"): READ},
    **{(verb, option): READ for verb in ("run", "sweep", "map") for option in ("workload", "policies")},
}
_FEW = ["--policy", "fifo+none", "--replications", "2"]
#: Verb -> a line of it, with SOURCE for what it reads.
LINES = {
    "trace": ["trace", "SOURCE"],
    "whatif": ["whatif", "SOURCE", "--replications", "10"],  # with fewer the model is poor, and much is tried
    "repeated": ["repeated", "SOURCE", "other"],
    "after": ["after", "SOURCE", "other"],
    "gate": ["gate", "SOURCE", "other", "--fail-if", "p95 > +10%"],
    "fleet": ["fleet", "SOURCE", "--compute", "0"],
    "wait": ["wait", "SOURCE"],
    "check-advice": ["check-advice", "SOURCE", "spark.speculation=true"],
    "run": ["run", *_FEW, "--workload", "SOURCE"],
    "sweep": ["sweep", *_FEW, "--vary", "slots=9,10", "--workload", "SOURCE"],
    "map": [
        "map",
        *_FEW,
        "--policy",
        "fair+none",
        "--set",
        "recorded_times=stretched",
        "--workload",
        "SOURCE",
    ],
    "export": ["export", "lessons"],
}


def test_every_option_that_names_a_file_is_in_the_table() -> None:
    (verbs,) = (one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    named = {
        (verb, option.dest)
        for verb, of_verb in verbs.choices.items()
        for option in of_verb._actions
        if option.metavar in ("FILE", "DIR", "FOLDER")
    }
    assert named == set(NAMED)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("verb", "option"),
    [key for key, how in NAMED.items() if how != READ and "SOURCE" in LINES.get(key[0], ())],
)
def test_what_is_read_is_not_changed(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    option: str,
    inside: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").mkdir()
    for place in ("source/log", "other"):
        (tmp_path / place).write_bytes(lines(small()))
    if inside and "--workload" in LINES[verb]:
        pytest.skip("a workload is a file")
    words = [("source" if inside else "source/log") if word == "SOURCE" else word for word in LINES[verb]]
    _, line = refusal(capsys, *words, f"--{option}", "source/log")
    assert f"{option}: " in line
    assert (tmp_path / "source" / "log").read_bytes() == lines(small())
    if inside:  # a new file would be read the next time
        _, line = refusal(capsys, *words, f"--{option}", "source/new")
        assert "lies in 'source', which is read" in line
        assert [path.name for path in (tmp_path / "source").iterdir()] == ["log"]


#: What is there and no file or folder that this program has made.
FOREIGN = {
    "a file": lambda place: place.write_bytes(b"thesis"),
    "a large file": lambda place: place.write_bytes(bytes(65 * 2**20)),
    "a folder": lambda place: (place.mkdir(), (place / "thesis").write_bytes(b"mine")),
    "a link to a file": lambda place: place.symlink_to(written(place.with_name("thesis"))),
    "a link to nothing": lambda place: place.symlink_to("nowhere"),
    "a folder with a link": lambda place: (
        place.mkdir(),
        (place / "samples.sqlite").symlink_to(written(place.with_name("thesis"))),
        (place / "index.html").symlink_to(written(place.with_name("thesis"))),
    ),
    "a folder with files of these names": lambda place: (
        place.mkdir(),
        written(place / "samples.sqlite"),
        written(place / "index.html"),
    ),
}


def written(path: Path) -> Path:
    path.write_bytes(b"mine")
    return path


def everything(folder: Path) -> dict[str, object]:
    """Return what is in a folder: kinds, links, content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize(("verb", "option"), [key for key, how in NAMED.items() if how == CHANGED])
def test_what_is_not_ours_is_refused_and_stays(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    option: str,
    what: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log").write_bytes(lines(small()))
    FOREIGN[what](tmp_path / "place")
    before = everything(tmp_path)
    words = ["log" if word == "SOURCE" else word for word in LINES[verb]]
    _, line = refusal(capsys, *words, *([] if verb == "export" else [f"--{option}"]), "place")
    assert f"{option}: " in line
    assert everything(tmp_path) == before


def test_a_circle_of_links_keeps_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(a_log(2))
    (tmp_path / "loop").symlink_to("loop")
    for named in ("loop", "loop/x"):
        _, line = refusal(capsys, "fleet", str(tmp_path / "log"), "--keep", str(tmp_path / named))
        assert "keep: " in line


def test_a_home_is_looked_at_though_the_cache_lies_in_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    (tmp_path / "log").write_bytes(a_log(2))
    for _ in range(2):
        assert main(["fleet", str(tmp_path), "--compute", "0"]) == 0
        assert "1 log, 1 job: stragglers cost" in capsys.readouterr().out


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full", "/dev/zero"])
def test_a_device_keeps_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path, device: str) -> None:
    (tmp_path / "log").write_bytes(lines(small()))
    for begun in (["fleet", str(tmp_path / "log")], QUICK):
        _, line = refusal(capsys, *begun, "--keep", device)
        assert "keep: " in line


#: A name as file systems have them: no UTF-8, with an escape of a terminal and a line break in it.
NO_TEXT = os.fsdecode(b"log\xff\x1b[31m\n")
NAMES = pytest.mark.skipif(sys.platform != "linux", reason="this system has no such names")


@NAMES
@pytest.mark.parametrize("verb", [verb for verb, words in LINES.items() if "SOURCE" in words])
def test_a_name_that_is_no_text_is_read_and_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """What is written is UTF-8, JSON is such that others read it, and no part of a name moves a cursor."""
    monkeypatch.chdir(tmp_path)
    workload = "--workload" in LINES[verb]
    played = samples.spark(speculation=True).data  # of which a good model is made, so that little is tried
    own = {"whatif": played, "wait": b"job_id,task_id,start_s,end_s\na,0,0,4\na,1,0,9\na,2,1,\n"}
    Path(NO_TEXT).write_bytes(WORKLOAD if workload else own.get(verb) or a_log(2))
    Path("other").write_bytes(a_log(9))
    outputs = [option for of, option in NAMED if of == verb and NAMED[of, option] != READ]
    written = {option: f"{option}{NO_TEXT}{'.svg' * (option == 'figure')}" for option in outputs}
    named = [word for option, name in written.items() for word in (f"--{option}", name)]
    assert main([NO_TEXT if word == "SOURCE" else word for word in [*LINES[verb], *named]]) in (0, 3)
    said = "".join(capsys.readouterr())
    assert not any(mark in said for mark in ("\x1b", "\udcff"))
    for option in outputs:
        if (path := Path(written[option])).is_file() and option not in ("out", "keep"):
            assert "\x1b" not in path.read_text("utf-8")
    orjson.loads(Path(f"json{NO_TEXT}").read_bytes())


@NAMES
def test_rules_in_a_file_whose_name_is_no_text_are_used_and_kept(tmp_path: Path) -> None:
    rules = os.fsdecode(os.fsencode(tmp_path) + b"/rules\xff.py")
    shutil.copy(ROOT / "examples" / "oldest_first.py", rules)
    line = ["sim", *QUICK, "--policy", "fair+oldest-first", "--policies", rules, "--keep", rules + ".kept"]
    told = ended(line, subprocess.PIPE)
    assert told.returncode == 0, told.stderr


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
    monkeypatch.setattr("sim.logs.MOST_BYTES", 2**20)
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


@pytest.mark.skipif(sys.platform != "linux", reason="only there are addresses bounded")
@pytest.mark.parametrize("megabytes", some((400, 500, 600), 1))
def test_too_little_memory_is_one_line(megabytes: int) -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20,) * 2)

    told = ended(["sim", "presets"], subprocess.PIPE, preexec_fn=bounded)
    assert told.returncode in (0, 2) or told.returncode < 0  # a library of others may give up by itself
    assert told.returncode != 2 or "sim: there is not enough memory" in told.stderr
    assert "Traceback" not in told.stderr
    assert "standard output" not in told.stderr


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
from sim.model.files import Output
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
    monkeypatch.setattr("sim.model.files._nameless", lambda folder: None)
    with Output("json", str(tmp_path / "out")) as file:
        assert [path.name.startswith(".straggler-lab-") for path in tmp_path.iterdir()] == [True]
        file.write("content")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
