"""The cache of compiled code: nobody else can put code into it, and no fault of it stops a program.

Each test is a process of its own, which compiles a function of one line. It is forked from one that has
imported what is not ours: that takes most of a second.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sim.kernel.folder import Unsafe, check_safe, check_safe_parent
from tests.conftest import JIT_IS_OFF
from tests.depth import every

ROOT = Path(__file__).resolve().parents[3]
#: Somebody else, of whom this machine need not know.
OTHER = 54_321
TINY = """
from sim.kernel.compile import kernel

@kernel
def twice(x):
    return 2 * x
"""
TWICE = """
import os, sys
import numba, tempfile
{first}
from tiny import twice
print(twice(21), sum(twice.stats.cache_hits.values()), numba.config.CACHE_DIR)
"""
CHOICE = """
import os, sys
from sim.kernel.folder import cache_folder
{first}
print(cache_folder("kernels-x"))
"""
needs_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be another user"
)
compiled = pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled (NUMBA_DISABLE_JIT is set)")
#: A system on which no file can be opened to be written, and one on which there is no folder either.
READ_ONLY = """
def opened(path, flags, *rest, really=os.open, **options):
    if flags & os.O_WRONLY:
        raise OSError(30, "Read-only file system")
    return really(path, flags, *rest, **options)
os.open = opened
"""
NOWHERE = """
def refused(*arguments, **options):
    raise FileNotFoundError("no folder can be made")
import pathlib
pathlib.Path.mkdir = tempfile._get_default_tempdir = refused
"""


#: Forks for each line that names a script, its environment and where it writes; says how that has ended.
PARENT = """
import json, os, sys
import numba, numpy, numba.core.dispatcher, numba.core.runtime, logging, tempfile, uuid, stat, shutil, atexit
numba.njit(lambda x: 2 * x)(1)  # whose first compilation takes half a second
for line in sys.stdin:
    script, environment, said, log = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for path, stream in ((said, 1), (log, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    os.environ.clear()
    os.environ.update(environment)
    numba.config.reload_config()
    sys.path[:0] = [os.path.dirname(script), environment["PYTHONPATH"]]
    exec(compile(open(script).read(), script, "exec"), {"__name__": "__main__"})
    break
"""


@dataclass
class Ended:
    """What a process said in one line, and in its log."""

    words: list[str]
    log: list[str]


@pytest.fixture(scope="module", autouse=True)
def parent() -> Iterator[subprocess.Popen[str]]:
    """What all children are forked from, in an empty environment."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        env=KEEP,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tempfile.gettempdir(),
    ) as process:
        PARENTS.append(process)
        yield process
        PARENTS.remove(process)


KEEP = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
PARENTS: list[subprocess.Popen[str]] = []


def child(folder: Path, code: str, first: str = "", tiny: str = TINY, **environment: str) -> Ended:
    """Run a script in an empty environment; it must end well."""
    script, said, log = (folder / name for name in ("script.py", "said", "log"))
    script.write_text(code.format(first=first))
    (folder / "tiny.py").write_text(tiny)  # in a file of its own, which stays the same
    # Python tells sources of one size apart by the second; within one it would take what was there before.
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    # temporary files beside the test's own, unless it says otherwise
    places = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "TEMP": str(folder)}
    (parent,) = PARENTS
    assert parent.stdin
    assert parent.stdout
    asked = [str(script), KEEP | places | environment, str(said), str(log)]
    print(json.dumps(asked), file=parent.stdin, flush=True)
    ended = parent.stdout.readline().strip()
    assert ended == "0", log.read_text()
    assert "Traceback" not in log.read_text()
    return Ended(said.read_text().split(), log.read_text().splitlines())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def mode(folder: Path) -> int:
    return folder.stat().st_mode & 0o777


def test_it_is_in_the_users_cache_and_only_the_users(tmp_path: Path, home: Path) -> None:
    found = child(tmp_path, CHOICE, "os.umask(0o002)", HOME=str(home))
    assert found.words == [str(home / ".cache" / "straggler-lab" / "kernels-x")]
    assert found.log == []
    assert mode(Path(found.words[0])) == 0o700


def test_a_umask_that_allows_all_opens_no_folder(tmp_path: Path, home: Path) -> None:
    found = child(tmp_path, CHOICE, "os.umask(0)", HOME=str(home))
    assert found.words == [str(home / ".cache" / "straggler-lab" / "kernels-x")]
    assert found.log == []
    made = Path(found.words[0])
    assert [mode(folder) for folder in (made, made.parent, made.parent.parent)] == [0o700] * 3


def test_the_caches_place_is_asked_first_and_a_relative_one_is_none(tmp_path: Path, home: Path) -> None:
    found = child(tmp_path, CHOICE, HOME=str(home), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert found.words == [str(tmp_path / "cache" / "straggler-lab" / "kernels-x")]
    found = child(tmp_path, CHOICE, HOME=str(home), XDG_CACHE_HOME="cache")
    assert found.words == [str(home / ".cache" / "straggler-lab" / "kernels-x")]


def test_the_users_choice_is_respected_and_a_child_has_the_same(tmp_path: Path, home: Path) -> None:
    chosen = tmp_path / "chosen"
    found = child(tmp_path, CHOICE, HOME=str(home), NUMBA_CACHE_DIR=str(chosen))
    assert found.words == [str(chosen / "kernels-x")]
    assert mode(chosen / "kernels-x") == 0o755
    again = child(tmp_path, CHOICE, HOME=str(home), NUMBA_CACHE_DIR=found.words[0])
    assert again.words == found.words


@pytest.mark.parametrize("place", ["", "nowhere", "file"])
def test_without_a_home_it_is_a_folder_named_by_the_user(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("no folder")
    found = child(tmp_path, CHOICE, HOME=str(tmp_path / place) if place else "")
    named = tmp_path / f"straggler-lab-{os.getuid()}"
    assert found.words == [str(named / "kernels-x")]
    assert mode(named) == mode(named / "kernels-x") == 0o700
    assert found.log == []


@needs_root
def test_a_user_of_whom_nobody_knows_has_one_too(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as everybodys:  # pytest's own are closed to others
        Path(everybodys).chmod(0o1777)
        first = f"os.setgid({OTHER}); os.setuid({OTHER})"
        found = child(tmp_path, CHOICE, first, TMPDIR=everybodys)
        assert found.words == [str(Path(everybodys) / f"straggler-lab-{OTHER}" / "kernels-x")]
        assert Path(found.words[0]).stat().st_uid == OTHER
        assert found.log == []


def loosened(folder: Path) -> None:
    folder.mkdir(0o700)
    folder.chmod(0o770)


def linked(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir(0o700)
    folder.symlink_to(folder.with_name("elsewhere"))


def given_away(folder: Path) -> None:
    folder.mkdir(0o700)
    os.chown(folder, OTHER, OTHER)


UNSAFE = [
    pytest.param(loosened, "others can write", id="a group may write"),
    pytest.param(linked, "a link", id="a link"),
    pytest.param(given_away, f"belongs to user {OTHER}", id="of another user", marks=needs_root),
]


@pytest.mark.parametrize(("prepare", "reason"), UNSAFE)
def test_a_folder_that_was_there_before_and_is_not_safe_is_not_used(
    tmp_path: Path, prepare: Callable[[Path], None], reason: str
) -> None:
    named = tmp_path / f"straggler-lab-{os.getuid()}"
    prepare(named)
    found = child(tmp_path, CHOICE, HOME="")
    private = Path(found.words[0])
    assert private.name == "kernels-x"
    assert private.parent.parent == tmp_path
    assert private.parent not in (named, named.resolve())
    assert not private.parent.exists(), "the folder of a process is removed when that ends"
    assert len(found.log) == 2
    assert reason in found.log[0]
    assert "until this process ends" in found.log[1]


@pytest.mark.parametrize(("prepare", "reason"), UNSAFE)
def test_a_chosen_folder_in_which_others_have_put_one_is_not_used(
    tmp_path: Path, home: Path, prepare: Callable[[Path], None], reason: str
) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    prepare(chosen / "kernels-x")
    found = child(tmp_path, CHOICE, HOME=str(home), NUMBA_CACHE_DIR=str(chosen))
    assert found.words == [str(home / ".cache" / "straggler-lab" / "kernels-x")]
    (line,) = found.log
    assert reason in line


def test_who_could_rename_a_folder_could_replace_it(tmp_path: Path) -> None:
    folder = tmp_path / "open" / "kernels-x"
    folder.mkdir(0o700, parents=True)
    check_safe(folder)
    check_safe_parent(folder)
    folder.parent.chmod(0o777)
    with pytest.raises(Unsafe, match="write to the folder it is in"):
        check_safe_parent(folder)
    folder.parent.chmod(0o1777)
    check_safe_parent(folder)


@compiled
@needs_root
def test_code_that_another_user_has_planted_is_not_run(tmp_path: Path) -> None:
    """It is run where the folder is the user's own: the test can fail."""
    child(tmp_path, TWICE, HOME="")
    named, proof = tmp_path / "straggler-lab-0", tmp_path / "proof"
    (index,) = named.rglob("*.nbi")
    evil = pickle.dumps(Evil(str(proof)))
    index.write_bytes(hashlib.sha256(evil).digest() + evil)
    assert child(tmp_path, TWICE, HOME="").words[0] == "42"
    assert proof.exists()
    proof.rmdir()
    index.write_bytes(hashlib.sha256(evil).digest() + evil)
    for path in (named, *named.rglob("*")):
        os.chown(path, OTHER, OTHER)
    found = child(tmp_path, TWICE, HOME="")
    assert found.words[:2] == ["42", "0"]
    assert not proof.exists()


class Evil:
    """What a pickle runs when it is loaded."""

    def __init__(self, proof: str) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (self.proof,)


@compiled
def test_code_is_found_again(tmp_path: Path) -> None:
    assert child(tmp_path, TWICE, NUMBA_CACHE_DIR=str(tmp_path / "c")).words[:2] == ["42", "0"]
    again = child(tmp_path, TWICE, NUMBA_CACHE_DIR=str(tmp_path / "c"))
    assert again.words[:2] == ["42", "1"]
    assert again.log == []


@compiled
def test_code_that_is_found_can_be_called_by_code_that_is_compiled(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    four = "twice(10)\nfour = numba.njit(lambda x: twice(twice(x)))\n"
    calling = TWICE.replace("print(twice(21)", four + "print(four(21)")
    assert child(tmp_path, TWICE, **cache).words[:2] == ["42", "0"]
    assert child(tmp_path, calling, **cache).words[:2] == ["84", "1"]
    assert child(tmp_path, calling, **cache).words[:2] == ["84", "1"]


@compiled
def test_a_copy_of_the_sources_finds_it_and_other_sources_do_not(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    one, two = tmp_path / "one" / "lab", tmp_path / "two" / "lab"
    for folder, hits in ((one, "0"), (two, "1")):
        folder.mkdir(parents=True)
        assert child(folder, TWICE, **cache).words[:2] == ["42", hits]
    assert child(two, TWICE, tiny=TINY.replace("2", "3"), **cache).words[:2] == ["63", "0"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def replaced(path: Path) -> None:
    path.write_bytes(b"\x80\x05K\x01. not of this program " * 50)


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) * 2 // 3] ^= 4
    path.write_bytes(content)


def foreign(path: Path) -> None:
    """Write it as Numba alone would, with its version and a pickle."""
    path.write_bytes(pickle.dumps("0.68.1", -1) + pickle.dumps((b"stamp", {})))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with compiled code, which each test damages and mends."""
    folder = tmp_path_factory.mktemp("filled")
    child(folder, TWICE, NUMBA_CACHE_DIR=str(folder / "c"))
    return folder


HARMS = (cut, emptied, replaced, flipped, foreign)


@compiled
@pytest.mark.parametrize(
    ("suffix", "harm"), every(3, [(suffix, harm) for suffix in (".nbi", ".nbc") for harm in HARMS])
)
def test_a_damaged_file_is_replaced_with_a_line_of_log(
    filled: Path, suffix: str, harm: Callable[[Path], None]
) -> None:
    cache = {"NUMBA_CACHE_DIR": str(filled / "c")}
    (file,) = filled.rglob(f"*{suffix}")
    harm(file)
    found = child(filled, TWICE, **cache)
    assert found.words[:2] == ["42", "0"]
    (line,) = found.log
    assert "damaged" in line
    again = child(filled, TWICE, **cache)
    assert again.words[:2] == ["42", "1"]
    assert again.log == []
    assert not list(filled.rglob("*.tmp.*"))


@compiled
def test_an_index_that_names_what_is_not_there_is_replaced_with_a_line_of_log(filled: Path) -> None:
    """As when a test, or somebody's own code, has had the function compiled for types of its own."""
    cache = {"NUMBA_CACHE_DIR": str(filled / "c")}
    (file,) = filled.rglob("*.nbi")
    named = b"cnobodys_module\nWorld\n."  # a pickle of a class
    file.write_bytes(hashlib.sha256(named).digest() + named)
    found = child(filled, TWICE, **cache)
    assert found.words[:2] == ["42", "0"]
    (line,) = found.log
    assert "No module named 'nobodys_module'" in line
    assert child(filled, TWICE, **cache).words[:2] == ["42", "1"]


@compiled
def test_a_folder_in_the_place_of_a_file_is_left_with_two_lines_of_log(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    child(tmp_path, TWICE, **cache)
    (file,) = tmp_path.rglob("*.nbi")
    file.unlink()
    file.mkdir()
    found = child(tmp_path, TWICE, **cache)
    assert found.words[:2] == ["42", "0"]
    assert len(found.log) == 2


@compiled
def test_a_file_that_has_gone_is_made_again(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    child(tmp_path, TWICE, **cache)
    next(tmp_path.rglob("*.nbc")).unlink()
    assert child(tmp_path, TWICE, **cache).words[:2] == ["42", "0"]
    assert child(tmp_path, TWICE, **cache).words[:2] == ["42", "1"]


@compiled
def test_on_a_full_disk_it_runs_from_memory_with_a_line_of_log(tmp_path: Path) -> None:
    first = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))"
    found = child(tmp_path, TWICE, first, NUMBA_CACHE_DIR=str(tmp_path / "c"))
    assert found.words[:2] == ["42", "0"]
    (line,) = found.log
    assert "not kept" in line
    assert not [path for path in (tmp_path / "c").rglob("*") if path.is_file() and path.stat().st_size]


@compiled
def test_what_cannot_be_written_to_is_read(tmp_path: Path) -> None:
    """Code compiled ahead, for a service that may not write."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    found = child(tmp_path, TWICE, READ_ONLY, **cache)
    assert found.words[:2] == ["42", "0"]
    (line,) = found.log
    assert "not kept" in line
    assert "Read-only file system" in line
    child(tmp_path, TWICE, **cache)
    found = child(tmp_path, TWICE, READ_ONLY, **cache)
    assert found.words[:2] == ["42", "1"]
    assert found.log == []


@compiled
@pytest.mark.slow  # an engine is compiled, and not kept
def test_where_nothing_can_be_written_it_runs_from_memory_with_a_line_of_log(tmp_path: Path) -> None:
    found = child(tmp_path, TWICE, NOWHERE, HOME=str(tmp_path))
    assert found.words[:2] == ["42", "0"]
    (line,) = found.log
    assert "kept nowhere" in line
