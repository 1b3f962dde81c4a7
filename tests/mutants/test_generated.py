"""Generated mutants: where they are put, which are caught, and that a seed gives the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="needs the extra [mutants]")

from tests.mutants.generated import Copy, Generated, batches, drawn, folders, places, record

SOURCE = '''"""Says 1 + 1."""

import logging

__all__ = ["double"[0 + 0 :]]


def double(value: int | None) -> int:
    """Return 2 * value."""
    logging.info("%s", 3 - 1)
    return 2 * value
'''
TEST = """from doubled import double


def test_it_doubles():
    assert double(3) == 6


def test_no_line_is_added():
    assert open("doubled.py").read().count("\\n") == 11
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    (tmp_path / "doubled.py").write_text(SOURCE)
    (tmp_path / "test_doubled.py").write_text(TEST)
    return tmp_path


def changed(old: str, new: str) -> Generated:
    return Generated("doubled.py", 11, "by hand", old, new, SOURCE.replace(old, new))


def test_types_lists_of_names_words_and_logs_are_left_as_they_are() -> None:
    assert {line for line, _ in places(SOURCE)} == {11}


def test_a_seed_gives_the_same_mutants_each_at_a_place_of_its_own(example: Path) -> None:
    one, same, other = (drawn(["doubled.py"], 2, random.Random(seed), example) for seed in (1, 1, 2))
    assert one == same != other
    assert len({mutant.source for mutant in one}) == 2
    assert all(mutant.before == "return 2 * value" != mutant.after for mutant in one)


@pytest.mark.parametrize(
    ("new", "end"),
    [
        ("return 3 * value", ("other test", "test_doubled.py::test_it_doubles")),
        ("return 2 *", ("import", "test_doubled.py")),
        ("return value * 2\n", ("not caught", "")),  # one test fails whatever is changed
    ],
)
def test_a_bug_is_caught_and_an_equivalent_change_is_not(
    example: Path, new: str, end: tuple[str, str]
) -> None:
    assert Copy(example).tried(changed("return 2 * value", new), [["test_doubled.py"]], 60) == end
    assert (example / "doubled.py").read_text() == SOURCE


def test_what_never_ends_is_told_apart(example: Path) -> None:
    endless = changed("return 2 * value", "while True: pass")
    assert Copy(example).tried(endless, [["test_doubled.py"]], 2)[0] == "timed out"


def test_each_source_is_in_one_folder_and_its_own_examples_are_tried_first() -> None:
    files = [file for one in folders().values() for file in one]
    assert len(files) == len(set(files)) > 400
    assert batches("sim/model/laws.py")[0][:2] == ["sim/model/laws.py", "tests/sim/test_laws.py"]


def test_a_table_is_written_between_the_marks_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "test.md"
    begin, end = "<!-- generated mutants: begin -->\n", "<!-- generated mutants: end -->\n"
    document.write_text(f"before\n{begin}old\n{end}after\n")
    monkeypatch.setattr("tests.mutants.generated.DOCUMENT", document)
    record("new\n")
    assert document.read_text() == f"before\n{begin}new\n{end}after\n"
