"""The list of mutants is true, the runner tells caught from missed, and every mutant is caught."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.mutants import MUTANTS, __main__
from tests.mutants.mutant import Mutant, Stale
from tests.mutants.runner import CAUGHT, LIMITS, MISSED, ROOT, TIMED_OUT, Project, copied
from tests.near import near
from tests.test_structure import lines_of_code, modules


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    with copied() as copy:
        yield copy


def test_every_mutant_has_a_name_of_its_own_and_changes_something() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 60
    assert all(mutant.old != mutant.new for mutant in MUTANTS)


def test_what_a_mutant_replaces_is_in_its_definition_once() -> None:
    stale = []
    for mutant in MUTANTS:
        try:
            mutant.applied(ROOT)
        except Stale as error:
            stale.append(str(error))
    assert not stale


SOURCES = {
    "sim/a.py": "ONE = 1\n\n\ndef f():\n    return one\n",
    "sim/deeper/b.py": "class C:\n    @decorated\n    def f(self):\n        return one, one\n",
}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("where", "old", "name", "found"),
    [
        ("a.f", "one", "sim/a.py", "ONE = 1\n\n\ndef f():\n    return two\n"),
        ("a.ONE", "1", "sim/a.py", "ONE = two\n\n\ndef f():\n    return one\n"),
        ("C.f", "decorated", "sim/deeper/b.py", SOURCES["sim/deeper/b.py"].replace("decorated", "two")),
        ("sim/a.py", "one", "sim/a.py", "ONE = 1\n\n\ndef f():\n    return two\n"),
    ],
)
def test_a_definition_is_found_by_its_name(
    sources: Path, where: str, old: str, name: str, found: str
) -> None:
    assert Mutant("x", where, old, "two", "tests").applied(sources) == (sources / name, found)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("f", "f is defined 2 times"),
        ("a.g", "a.g is defined 0 times"),
        ("a.ONE", "'one' is found 0 times in a.ONE"),
        ("b.C.f", "'one' is found 2 times in b.C.f"),
    ],
)
def test_a_place_that_is_not_there_once_is_an_error(sources: Path, where: str, said: str) -> None:
    with pytest.raises(Stale, match=said):
        Mutant("x", where, "one", "two", "tests").applied(sources)


@pytest.fixture
def doubling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of one function, one test, and few seconds."""
    monkeypatch.setitem(LIMITS, False, 3)
    (tmp_path / "doubled.py").write_text("def double(value):\n    return 2 * value\n")
    (tmp_path / "test_doubled.py").write_text(
        "from doubled import double\n\n\ndef test_it_doubles():\n    assert double(3) == 6\n"
    )
    profile = "from hypothesis import settings\n\nsettings.register_profile('mutants')\n"
    (tmp_path / "conftest.py").write_text(profile)
    return Project(tmp_path, tmp_path / "cache")


#: What is returned in place of twice a value, and how the mutant ends.
ENDS = {
    "value + value": MISSED,
    "3 * value": CAUGHT,
    "1 / 0": CAUGHT,
    "[0 for _ in iter(int, 1)]": TIMED_OUT,
    "(_ for _ in ()).throw(TimeoutError(value))": TIMED_OUT,
}


def test_time_that_runs_out_is_no_catch_and_is_listed_apart(
    doubling: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mutants = [Mutant(new, "doubled.py", "2 * value", new, "test_doubled.py") for new in ENDS]
    monkeypatch.setattr(__main__, "ROOT", doubling.root)
    monkeypatch.setattr(__main__, "MUTANTS", mutants)
    monkeypatch.setattr(__main__, "copied", lambda: nullcontext(doubling))
    assert __main__.main([]) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line[:9].strip() for line in said[:5]] == [*ENDS.values()]
    assert said[5:] == ["2 of 5 caught"] + [f"{end}: {new}" for new, end in ENDS.items() if end != CAUGHT]


@pytest.mark.slow
def test_the_runner_tells_a_bug_from_a_comment_and_mends_what_it_broke(project: Project) -> None:
    old, tests = "return plain(rate * tasks * mean / machines)", "tests/theory/test_cutoff.py"
    path = project.root / "theory/cutoff.py"
    before = path.read_text()
    for new, end in ((f"{old}  # as before", MISSED), ("return plain(rate / machines)", CAUGHT)):
        assert project.tried(Mutant("x", "theory/cutoff.py", old, new, tests)) == end
        assert path.read_text() == before
    with pytest.raises(RuntimeError, match="did not run"):
        project.tried(Mutant("x", "theory/cutoff.py", old, new, "tests/theory/no_such_file.py"))
    skipped = "tests/sim/slots/test_slotted.py"  # needs compiled code
    with pytest.raises(RuntimeError, match="did not run"):
        project.tried(Mutant("x", "theory/cutoff.py", old, new, skipped, plain=True))


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught(mutant: Mutant, project: Project) -> None:
    assert project.tried(mutant) == CAUGHT


def test_every_file_with_code_has_tests_near_it() -> None:
    for name, path in modules().items():
        if lines_of_code(path.read_text()) and name != "sim.__main__":  # which a process runs
            tests, through, pages = near([name])
            assert tests or (through and pages), name


def test_a_test_that_opens_a_page_is_near_the_files_of_the_page() -> None:
    tests, _, pages = near(["pages.learn.layout", "pages.wait.layout"])
    assert pages == {"learn", "wait"}
    assert {"tests/pages/test_learn.py", "tests/pages/test_wait.py"} <= {*tests}
