"""The contract of all charts: words for who cannot see one have a number of each trace that it draws.

Of a trace they have its first, its last, its least or its largest value, or the numbers that are declared
here for its chart: a quantile that is read off it, a mean, a count.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pages.coding import charts as coding_charts
from pages.coding.question import see
from pages.lessons import LESSONS
from pages.lessons.lesson import Decision
from pages.lessons.prediction import Choice, Option
from pages.logs.diagnose import charts as diagnose_charts
from pages.logs.whatif import charts as whatif_charts
from pages.reproductions import charts as reproductions_charts
from pages.reproductions.question import rows
from pages.room import charts as room
from sim.advice.diagnosis import diagnose
from sim.advice.whatif.charts import load
from sim.advice.whatif.setting_effect import SettingEffect
from sim.logs.formats import read_history
from sim.logs.samples import spark
from sim.logs.source import Upload
from sim.papers.pictures import PICTURES
from sim.papers.record import curves
from sim.telling.plot import Plot
from tests.pages.coding_made import asked, snapshots
from tests.pages.lessons.test_lessons import found, predictions
from tests.pages.test_every_page import PAGES
from tests.pages.told import Figure, Summary, Trace, numbers, untold, x_and_y
from tests.pages.visits import drawn, visit
from tests.pages.whatif_made import answered, asked_of

ROOT = Path(__file__).resolve().parents[2]


def read_at(*places: float) -> Summary:
    """Read a curve off at places across."""
    return lambda trace, _: np.interp(places, *x_and_y(trace))


def read_at_marks(trace: Trace, figure: Figure) -> Any:
    """Read a curve off where a line stands upright."""
    marks = [one["x0"] for one in figure["layout"].get("shapes", ()) if one.get("x0") == one.get("x1")]
    return np.interp(marks, *x_and_y(trace))


def reaches(*levels: float) -> Summary:
    """Return where a curve reaches some heights."""

    def where(trace: Trace, _: Figure) -> Any:
        x, y = x_and_y(trace)
        order = np.argsort(y, kind="stable")
        return np.interp(levels, y[order], x[order])

    return where


def all_of(key: str) -> Summary:
    """Return all values of a trace."""
    return lambda trace, _: numbers(trace.get(key))


def mean(trace: Trace, _: Figure) -> Any:
    """Return the mean of a curve of equal steps."""
    return x_and_y(trace)[1].mean()


def bars(_: Trace, figure: Figure) -> int:
    """Count the bars of all kinds."""
    return sum(numbers(one["x"]).size for one in figure["data"] if one["type"] == "bar")


def marks(trace: Trace, figure: Figure) -> Any:
    """Count the marks of one kind, and of all kinds."""
    return numbers(trace["x"]).size, sum(numbers(one["x"]).size for one in figure["data"][:2])


def whole(_: Trace, figure: Figure) -> Any:
    """Add up the bars that stand in a row."""
    return sum(numbers(one["x"]) for one in figure["data"])


def middle_class(trace: Trace, _: Figure) -> float:
    """Return where the class begins that has the middle one."""
    if "customdata" not in trace:
        return math.nan
    place = np.searchsorted(np.cumsum(numbers(trace["customdata"])), 0.5 - 1e-3)
    return float(trace["hovertext"][place].split()[0])


def shorter_and_longer(trace: Trace, _: Figure) -> Any:
    """Count the points below the diagonal, and those above it."""
    x, y = x_and_y(trace)
    return (y < x).sum(), (y > x).sum()


def inside(_: Trace, figure: Figure) -> float:
    """Return the share of the marks that are inside their bands."""
    marks = {one["name"]: numbers(one["x"]).size for one in figure["data"] if one["type"] == "scatter"}
    return marks.get("recorded, inside", 0) / sum(marks.values())


def on_axis(trace: Trace, figure: Figure) -> Any:
    """Return the ends of a line on the map, whose axes count cells."""
    x, _ = x_and_y(trace)
    axis = figure["layout"]["xaxis"]
    ends = x[np.isfinite(x)][[0, -1]]
    return np.interp(ends, numbers(axis["tickvals"]), [float(one) for one in axis["ticktext"]])


def cells(trace: Trace, _: Figure) -> int:
    """Count the cells that can be pointed at."""
    return len(trace["hovertext"])


#: Chart, by how its name begins -> trace, by how its name begins -> what its words tell of it.
SUMMARIES: dict[str, dict[str, Summary]] = {
    "service rate": {"job": read_at_marks, "threshold": all_of("x")},
    "hopper-": {"": read_at(10, 50, 4 / 3)},
    "copies needed": {"": read_at_marks},
    "coded ": {"": read_at_marks},
    "rollouts ": {"": read_at_marks},
    "cutoff": {"cutoff": read_at(2, 4), "overloaded": read_at(2)},
    "distribution": {"": reaches(50, 95)},
    "response": {"ρ₀": all_of("x")},
    "threshold": {"theory": read_at_marks, "": middle_class},
    "threshold of detection": {},
    "map": {"cells": cells, "cutoff": on_axis},
    "jobs that lost most": {"": whole},
    "logs that lost most": {"": whole},
    "law of luck": {"copies": read_at(1.5, 3), "Pareto": lambda trace, _: x_and_y(trace)[0][0]},
    "slowest against median": {"stages": reaches(0.5), "half": all_of("x")},
    "slots over time": {"busy": mean},
    "gantt": {"": bars},
    "pairs": {"": marks},
    "remedies": {"": lambda trace, _: -numbers(trace["x"])},
    "recorded against model": {"recorded": inside},
    "jobs": {"jobs": shorter_and_longer},
    "probability done": {"": read_at_marks},
    "rest by age": {"SDA": all_of("x"), "Mantri": all_of("x"), "1.5": all_of("x"), "3 ×": all_of("x")},
}
#: Links to the pages on which more is drawn than at first.
MORE = {
    "threshold": {"beta": "3", "printed": "1"},
    "diagnose": {"log": "spark"},
    "compare": {"preset": "small", "precision": "10"},
    "wait": {"example": "many", "deadline": "2min"},
}
VISITS = [*PAGES.items(), *MORE.items()]


def summaries(name: str) -> Mapping[str, Summary]:
    """Return what is declared for a chart; the longest beginning counts."""
    fits = sorted((one for one in SUMMARIES if name.startswith(one)), key=len)
    return SUMMARIES[fits[-1]] if fits else {}


#: What the tests below draw, by how the name of each chart begins.
SEEN = {
    "threshold": ("service rate", "value of a slot"),
    "allocation": ("shares", "water"),
    "errata": ("hopper-",),
    "cloning": ("outliers", "copies needed", "flowtime by size", "distribution of "),
    "detection": ("cutoff", "threshold of detection", "copies of P2", "iteration of P2"),
    "coded": ("coded job", "coded cluster"),
    "rollouts": ("rollouts time", "rollouts waste"),
    "coding": ("response, ", "rule", "cost"),
    "decentralised": ("ratio against ", "ratio against messages", "decision"),
    "compare": ("usage", "threshold", "gantt "),
    "learn": ("second copy",),
    "map": ("map",),
    "diagnose": (
        *("account", "jobs that lost most", "causes", "law of luck", "slowest against median", "hosts"),
        *("slots over time", "gantt of a log"),
    ),
    "whatif": ("remedies", "front", "recorded against model", "ratios", "ranks"),
    "fleet": ("logs that lost most", "account of a fleet"),
    "beforeafter": ("changes", "account before and after", "parts", "jobs"),
    "reproductions": ("xl-fig4 ",),
    "wait": ("probability done", "rest by age"),
}
#: Charts with tests of their own below; nobody points at anything on the map of lessons.
OTHERS = ("pairs", "luck by ", "step", "learned", "choices of ", "answers", "load", "lessons")


def left_out(figure: Figure, words: str) -> list[str]:
    name = figure["layout"].get("uirevision", "")
    return [f"{name}, {one}, of “{words}”" for one in untold(figure, words, summaries(name))]


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize(("page", "query"), VISITS)
def test_the_words_of_each_chart_of_a_page_have_numbers_that_it_draws(page: str, query: dict) -> None:
    charts = [(chart.proto.alt, figure) for chart, figure in drawn(visit(page, **query))]
    names = [figure["layout"]["uirevision"] for _, figure in charts]
    assert [one for one in SEEN[page] if not any(name.startswith(one) for name in names)] == []
    assert [one for words, figure in charts for one in left_out(figure, words)] == []


@pytest.mark.compiled
@pytest.mark.parametrize("number", LESSONS)
def test_the_words_of_each_picture_of_a_lesson_have_numbers_that_it_draws(number: int) -> None:
    lesson = LESSONS[number]
    answers = [found(number, lesson.variation.default).draw(given, False) for given in predictions(lesson)]
    decisions = [one.picture(False) for one in lesson.exercises if isinstance(one, Decision)]
    for shown in (lesson.scene(0, False), *answers, *decisions):
        assert left_out(shown.figure.to_dict(), shown.alt) == []


@pytest.mark.parametrize("key", PICTURES)
def test_the_words_of_each_figure_of_a_paper_have_numbers_that_it_draws(key: str) -> None:
    one = PICTURES[key]
    ours = curves(key) if one.simulated else one.draw(True)
    for place in range(len(one.panels)):
        words = reproductions_charts.alt_picture(one, ours, place)
        assert (
            left_out(reproductions_charts.draw_picture(one, ours, place, dark=False).to_dict(), words) == []
        )


def test_the_words_of_the_choices_of_each_claim_have_numbers_that_are_drawn() -> None:
    for row in rows():
        if row.choices:
            assert (
                left_out(
                    reproductions_charts.draw_choices(row, dark=False).to_dict(),
                    reproductions_charts.alt_choices(row),
                )
                == []
            )


@pytest.mark.parametrize("votes", [(("a", "b", "b"),), (("a", "b", "b"), ("b", "b", "b"))])
def test_the_words_of_the_answers_of_a_class_have_how_many_gave_each(votes: tuple) -> None:
    asked = Choice("choice", "Which?", tuple(Option(key, f"answer {key}") for key in "abc"))
    figure = room.draw(asked, votes, "a", "b", False)
    assert left_out(figure.to_dict(), room.alt(room.bars(asked, votes))) == []


def test_the_words_of_the_loads_up_to_which_advice_pays_have_the_changes() -> None:
    change = {"mean": SettingEffect(-0.123, -0.15, -0.1)}
    reach = SimpleNamespace(objective="mean", points=[SimpleNamespace(load=0.5, change=change)])
    assert left_out(load.draw(reach, False).values(), load.alt(reach)) == []


@cache
def log() -> Upload:
    return spark(speculation=True)


def test_the_words_of_originals_and_copies_have_how_many_there_are() -> None:
    one = diagnose(read_history(log())).speculation
    assert left_out(diagnose_charts.draw_pairs(one, False).to_dict(), diagnose_charts.alt_pairs(one)) == []


def test_the_words_of_luck_by_each_property_have_that_of_the_groups() -> None:
    residuals = answered(asked_of(log()), whole=False).check.residuals
    assert residuals
    for one in residuals:
        assert left_out(whatif_charts.draw_luck(one, False).to_dict(), whatif_charts.alt_luck(one)) == []


def test_the_words_of_the_maps_of_redundancy_have_what_is_tried_and_learned() -> None:
    question = asked()
    seen = see(question, snapshots(question, 2))
    for draw, alt in (
        (coding_charts.step_chart, coding_charts.step_alt),
        (coding_charts.learned_chart, coding_charts.learned_alt),
    ):
        assert left_out(draw(seen, False).to_dict(), alt(seen)) == []


def charts_in_code() -> Iterator[str]:
    """Yield how the name of each chart begins, which is the first argument of its `Plot`."""
    for package in ("pages", "sim"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Plot", "LessonPlot"):
                    name = node.args[0]
                    first = name.values[0] if isinstance(name, ast.JoinedStr) else name
                    yield first.value if isinstance(first, ast.Constant) else ""


def _file(name: str) -> str:
    """Return the file of a lesson whose picture has this name."""
    return name.removesuffix(" answer").removesuffix(" decision").strip().replace(" ", "_")


def test_every_chart_is_seen_by_these_tests() -> None:
    """Those of lessons and of papers are all drawn; one without a constant name is in a page that is seen."""
    names = set(charts_in_code())
    assert len(names) > 40
    lessons = {one for one in names if (ROOT / "pages/lessons" / f"{_file(one)}.py").exists()}
    on_pages = {one for shown in SEEN.values() for one in shown}
    assert names - lessons - on_pages - {"", *OTHERS} == set()


def test_a_chart_without_its_numbers_in_words_would_be_noticed() -> None:
    plot = Plot("a chart", dark=False)
    plot.line([1, 2, 3], [0.25, 4.5, 3.5], "rate", "#000000", "%{y}")
    plot.bars([7.25], [1], "time", "#000000", "%{x}", across=True)
    plot.line([1, 3], [9, 9], "nobody points at it", "#000000")
    drawn = plot.values()
    assert left_out(drawn, "The rate is at most 4.50, and the time 7.2 s.") == []
    for words, names in (
        ("The rate rises, and then falls; the time is 7.25 s.", ["rate"]),
        ("The rate is at most 4.60, and the time 7.4 s.", ["rate", "time"]),
        ("", ["rate", "time"]),
    ):
        assert [one.split(", ")[1].partition(":")[0] for one in left_out(drawn, words)] == names
