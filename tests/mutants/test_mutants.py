"""The list of mutants is true, the runner tells caught from missed, and every mutant is caught."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutants import MUTANTS
from tests.mutants.mutant import Mutant, Stale
from tests.mutants.runner import ROOT, Project, copied

SOURCE = Mutant("x", "a.py", "one", "two", "tests")


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    with copied() as copy:
        yield copy


def test_every_mutant_has_a_name_of_its_own_and_changes_something() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 60
    assert all(mutant.old != mutant.new for mutant in MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_what_a_mutant_replaces_is_in_its_file_once(mutant: Mutant) -> None:
    mutant.check(ROOT)


@pytest.mark.parametrize("source", ["three", "one and one"])
def test_text_that_is_not_there_once_is_an_error(source: str, tmp_path: Path) -> None:
    with pytest.raises(Stale, match="'one' is found"):
        SOURCE.applied(source)
    with pytest.raises(Stale, match=r"there is no a\.py"):
        SOURCE.check(tmp_path)


@pytest.mark.slow
def test_the_runner_tells_a_bug_from_a_comment_and_mends_what_it_broke(project: Project) -> None:
    old, tests = "return plain(rate * tasks * mean / machines)", "tests/theory/test_cutoff.py"
    path = project.root / "theory/cutoff.py"
    before = path.read_text()
    for new, caught in ((f"{old}  # as before", False), ("return plain(rate / machines)", True)):
        assert project.catches(Mutant("x", "theory/cutoff.py", old, new, tests)) == caught
        assert path.read_text() == before
    with pytest.raises(RuntimeError, match="did not run"):
        project.catches(Mutant("x", "theory/cutoff.py", old, new, "tests/theory/no_such_file.py"))
    skipped = "tests/sim/slots/test_slotted.py"  # needs compiled code
    with pytest.raises(RuntimeError, match="did not run"):
        project.catches(Mutant("x", "theory/cutoff.py", old, new, skipped, plain=True))


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught(mutant: Mutant, project: Project) -> None:
    assert project.catches(mutant)
