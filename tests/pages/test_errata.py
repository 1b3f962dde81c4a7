"""The findings: computed instances that show what they claim, held by tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.errata.charts import draw
from pages.errata.evidence import Numbers, dolly
from pages.errata.evidence.xu_lau import same_threshold
from pages.errata.words import PAPERS, Evidence, Finding, Paper
from sim.telling.content import FOLDER, ContentError
from tests.depth import each, every
from tests.pages.made import checked, trouble, words
from tests.pages.visits import turn_to

APP = Path(__file__).resolve().parents[2] / "app.py"
THEORY = Path(__file__).resolve().parents[1] / "theory"
EACH = [(paper, finding) for paper in PAPERS.values() for finding in paper.findings]
NAMES = [paper.anchor(finding) for paper, finding in EACH]


@cache
def shown(name: str) -> Evidence:
    return EACH[NAMES.index(name)][1].show()


def picture(name: str) -> dict[str, np.ndarray]:
    """Return the curves of a finding's picture by name."""
    seen = shown(name).picture
    assert seen is not None
    return {line.name: np.asarray(line.y, dtype=float) for line in seen.lines}


@cache
def functions(file: str) -> set[str]:
    return {
        node.name for node in ast.parse((THEORY / file).read_text()).body if isinstance(node, ast.FunctionDef)
    }


def test_each_finding_has_an_address_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 25


@each("paper, finding", EACH)
def test_the_tests_that_hold_a_finding_exist(paper: Paper, finding: Finding) -> None:
    assert finding.tests
    for test in finding.tests:
        file, name = test.split("::")
        assert name in functions(file), test


@each("paper, finding", EACH)
def test_a_finding_is_shown_by_an_instance_with_numbers(paper: Paper, finding: Finding) -> None:
    evidence = shown(paper.anchor(finding))
    told = [evidence.told]
    if evidence.table is not None:
        told += [str(cell) for cell in evidence.table.to_numpy().ravel()]
    if evidence.picture is not None:
        for dark in (False, True):
            figure = checked(draw(evidence.picture, dark, "x"))
            assert all(np.all(np.isfinite(trace.y)) for trace in figure.data)
        told += [*words(figure), evidence.alt]
    assert re.search(r"\d", " ".join(told))
    assert not trouble(told)


@each("paper, finding", EACH)
def test_what_is_printed_and_what_is_right_are_seen_to_differ(paper: Paper, finding: Finding) -> None:
    evidence = shown(paper.anchor(finding))
    if evidence.table is not None and {"as printed", "corrected"} <= set(evidence.table.index):
        assert list(evidence.table.loc["as printed"]) != list(evidence.table.loc["corrected"])
    if evidence.picture is not None:
        printed = [line for line in evidence.picture.lines if "printed" in line.name]
        for line in printed:
            others = [other for other in evidence.picture.lines if other is not line]
            assert all(not np.allclose(line.y, other.y) for other in others)


def named(title: str) -> str:
    """Return the address of the finding that has this title."""
    return next(name for name, (_, finding) in zip(NAMES, EACH, strict=True) if finding.title == title)


@pytest.mark.parametrize(
    "name", every(3, [n for n, (_, f) in zip(NAMES, EACH, strict=True) if f.play is not None])
)
def test_the_link_to_play_with_a_finding_is_understood(name: str) -> None:
    page, query = EACH[NAMES.index(name)][1].play or ("", {})
    app = AppTest.from_file(APP, default_timeout=60).run()
    for key, value in query.items():
        app.query_params[key] = value
    turn_to(app, page).run()
    assert not app.exception
    assert not app.warning
    for key, value in query.items():
        assert app.query_params[key] == [value] or app.query_params[key] == value


@pytest.mark.parametrize(
    ("page", "name", "value"),
    [("threshold", "printed", "1"), ("threshold", "copies", "whole"), ("allocation", "printed", "1")],
)
def test_a_reading_that_only_links_choose_is_chosen_by_a_finding(page: str, name: str, value: str) -> None:
    plays = [finding.play for _, finding in EACH if finding.play is not None]
    assert any(to == page and query.get(name) == value for to, query in plays)


def test_as_printed_the_cases_of_algorithm_3_leave_gaps_and_overlap_and_corrected_they_do_not() -> None:
    cases = picture(named("The cases of Algorithm 3 leave gaps and overlap"))
    assert set(cases["corrected"]) == {1}
    assert set(cases["as printed"]) == {0, 1, 2}


def test_the_printed_step_never_settles_and_the_short_one_does() -> None:
    path = picture(named("The gradient projection does not converge for every step"))
    best = path["optimum"][0]
    assert np.abs(path["job 1, short step"][-5:] - best).max() < 1e-3
    assert np.abs(path["job 1, step of Fig. 1"][-5:] - best).min() > 0.5


def test_three_copies_beat_two_below_the_critical_tail_index_only() -> None:
    finding = shown(named("Two copies are not always best"))
    assert finding.picture is not None
    line, critical = finding.picture.lines[0], finding.picture.uprights[0][0]
    assert np.array_equal(np.asarray(line.y) > 0, np.asarray(line.x) < critical)
    assert f"{critical:.2f}" in finding.told


def test_the_heavy_loads_stay_above_capacity() -> None:
    table = shown(named("The heavy loads are overloads")).table
    assert table is not None
    loads = table.astype(float)
    assert (loads.loc["λ = 6"] < 1).all()
    assert (loads.loc[["λ = 30", "λ = 40"]] > 1).all().all()


def test_the_other_reading_of_dolly_misses_the_target() -> None:
    table = shown(named("Where the parentheses go")).table
    assert table is not None
    risk = table.map(lambda cell: float(cell.split("risk ")[1].removesuffix(" %")))
    assert (risk["copies, right"] <= 5).all()
    assert (risk["other reading"] > 5).all()


def test_the_printed_configuration_has_no_finite_response_and_bounds_matter() -> None:
    finding = shown(named("With β = 1.5 Claim 1 is infinite"))
    assert "gives 0 finite values" in finding.told
    assert finding.table is not None
    best = [float(cell.replace(",", "")) for cell in finding.table["best d"]]
    assert best == sorted(best, reverse=True)
    assert len(set(best)) == len(best)


def test_one_projection_leaves_a_job_below_its_guarantee_and_repetition_none() -> None:
    table = shown(named("One projection is not enough")).table
    assert table is not None
    assert list(table["below F"]) == ["1 of 3 jobs", "1 of 3 jobs", "0 of 3 jobs"]


def test_mantris_threshold_is_below_the_best_one() -> None:
    seen = shown(named("What Mantri's rule does")).picture
    assert seen is not None
    (rule, _), (best, _) = seen.uprights
    assert rule < best
    x, y = np.asarray(seen.lines[0].x), np.asarray(seen.lines[0].y)
    assert abs(x[y.argmin()] - best) < 0.02


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_the_answer_counts_what_is_listed_below(paper: Paper) -> None:
    app = AppTest.from_file(APP, default_timeout=60).run()
    turn_to(app, "errata")
    app.query_params["paper"] = paper.key
    blocks = [block.value for block in app.run().markdown]
    told = re.fullmatch(
        rf"{re.escape(paper.short)}: \*\*(\d+) results? (?:is|are) confirmed, (\d+|none) (?:is|are) corrected"
        r"\*\*; (?:(\d+) remarks? and )?(\d+) small slips? (?:is|are) listed below\.",
        next(one for one in blocks if "confirmed, " in one),
    )
    assert told is not None
    confirmed, found = (
        next(one for one in blocks if one.startswith(f"**{name}**")) for name in ("Confirmed", "Found")
    )
    slips = [one for one in blocks if re.match("- ", one)][-1]
    places = re.findall(r"^\d+\. .*$", found, re.M)
    remarks = [one for one in places if one.endswith(" (remark)")]
    said = [caption.value for caption in app.caption if caption.value.startswith("Remark on ")]
    assert int(told[1]) == len(re.findall("^- ", confirmed, re.M))
    assert int(told[2]) == len(places) - len(remarks)
    assert int(told[3] or 0) == len(remarks) == len(said)
    assert int(told[4]) == len(re.findall("^- ", slips, re.M))


#: What is done to a file -> how it is refused.
BROKEN = {
    ("### Printed", "### Said"): "a.md: Nothing: Printed is missing",
    ("### How", "### The picture\n\nMore.\n\n### How"): "a.md: Nothing: The picture: there is no picture",
    ("### How", "### More\n\nMore.\n\n### How"): "a.md: Nothing: More is not known",
    ("place: here", "place: here\nwhere: here"): "a.md: Nothing: where is not known",
    ("### Printed", "A text.\n\n### Printed"): "a.md: Nothing: has to be headings, and nothing else",
    ("place: here\n", ""): "a.md: Nothing: place is missing",
    ("numbers: one", "numbers: two"): "a.md: Nothing: no function two() computes its numbers",
    ("- test_a.py::test_b", "By it."): "a.md: Nothing: How we know: has to be text and a list",
    ("None.", "- None."): "a.md: Nothing: Printed: has to be text, and nothing else",
    ("None.", "{{ share }}."): "a.md: Nothing: Printed: {{ share }} has no value",
    ("- All.", "All."): "a.md: Confirmed: has to be a list, and nothing else",
    ("reference: B", "title: B"): "a.md: reference is missing",
    ("{{ share }} are", "All are"): "a.md: Nothing: An instance: {{ share }} is computed and not used",
    ("{{ share }} are", "{{ share }} of {{ all }} are"): "a.md: Nothing: An instance: {{ all }} has no value",
    ("## Small slips", "## Slips"): "a.md: begins with 'Confirmed' and ends with 'Slips'",
    ("{{ rate }}", "2"): "a.md: Small slips: {{ rate }} is computed and not used",
}
PAPER = """short: A
reference: B

## Confirmed
- All.

## Nothing
numbers: one
place: here

### Printed
None.

### Right
All.

### An instance
{{ share }} are.

### How we know
By a test.

- test_a.py::test_b

## Small slips
- It is {{ rate }}.
"""


def paper(tmp_path: Path, source: str = PAPER, *more: str) -> Paper:
    """Return a paper of a file, one of whose findings has numbers; and what more is computed."""
    computed = ModuleType("computed")
    computed.EVIDENCE = {name: lambda: Numbers({"share": "5 %"}) for name in ("one", *more)}  # type: ignore[attr-defined]
    computed.SLIPS = {"rate": "2"}  # type: ignore[attr-defined]
    path = tmp_path / "a.md"
    path.write_text(source)
    return Paper.of(path, computed)


@pytest.mark.parametrize(("change", "said"), BROKEN.items(), ids=BROKEN.values())
def test_a_file_of_findings_that_lacks_something_is_refused(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    (finding,) = paper(tmp_path).findings
    assert finding.show() == Evidence("5 % are.", alt="5 % are.")
    source = PAPER.replace(*change)
    assert source != PAPER
    with pytest.raises(ContentError, match=re.escape(said)):
        paper(tmp_path, source).findings[0].show()


def test_numbers_that_no_finding_shows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=re.escape("a.md: no finding asks for the numbers of two()")):
        paper(tmp_path, PAPER, "two")


def test_every_file_of_findings_is_a_paper_of_the_page() -> None:
    assert {path.stem for path in (FOLDER / "errata").glob("*.md")} == set(PAPERS)


def test_corrections_and_remarks_are_counted_apart() -> None:
    """What is printed and wrong has an instance as printed; a remark says what is not printed."""
    for paper in PAPERS.values():
        assert len(paper.corrections) == sum(not finding.remark for finding in paper.findings)
        assert 0 < len(paper.corrections) < len(paper.findings)


def test_the_scan_of_ese_finds_the_threshold_of_sda() -> None:
    """At α = 2 it is 1 + √2/2 in closed form; the scan has steps of 0.0001."""
    values = same_threshold().values
    assert values["two"] == f"{1 + 2**0.5 / 2:.4f}"
    assert abs(float(values["ese"]) - float(values["two"])) < 1.1e-4


def test_the_printed_cap_fills_the_cluster_beyond_the_ceiling() -> None:
    """45 of 100 slots are taken and 70 may be: two whole copies of ten tasks fit, and four are granted."""
    assert dolly.cap().values == {"at": "45", "right": "2", "printed": "4", "filled": "85", "instead": "65"}
