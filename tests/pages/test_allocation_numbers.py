"""The water chart of the Allocation page: each column is its job's slots, each line what its label says."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import brentq

from pages.formulas.allocation.charts import water, water_alt
from pages.formulas.allocation.question import Request, Row, Scene, checked
from pages.formulas.allocation.words import answer, cards, notices
from tests.pages.made import checked as validated
from tests.pages.made import traces
from tests.pages.visits import visit
from tests.samples import to_float
from theory.allocation import fair_allocation, hopper_allocation, srpt_allocation
from theory.objective import total_rate

#: Tasks of each job; the page draws the smallest first.
TASKS = {"A": 30.0, "B": 10.0, "C": 60.0}
ORDER = ["B", "A", "C"]
BETA, EPSILON = 1.5, 0.4
THETA = 2 / BETA
#: Slots that are too few for all virtual sizes, and more than enough.
SHORT, SPARE = 100.0, 400.0
#: Numbers in words and labels have three digits.
DIGITS = 5e-3


def asked(slots: float) -> Request:
    jobs, _ = checked([Row(name, tasks, None, None) for name, tasks in TASKS.items()])
    assert jobs is not None
    return Request(jobs, slots, BETA, EPSILON)


def seen(slots: float, rule: str = "Fair share") -> Scene:
    return Scene(asked(slots), rule)


def poured(slots: float, floor: float = 0.0) -> float:
    """Slots per task to which all jobs fill up, none below the floor."""
    sizes = np.array(list(TASKS.values()))
    return float(brentq(lambda c: np.maximum(floor, c * sizes).sum() - slots, 0, slots))


def lines(figure) -> dict[str, tuple[float, float]]:
    """Text before a line's number -> the number, and the height at which the line and its label are."""
    found = {}
    for line, told in zip(figure.layout.shapes, figure.layout.annotations, strict=True):
        assert line.y0 == line.y1 == told.y
        name, value = re.fullmatch(r"(.*?)(?: =)? ([\d.,]+) ", told.text).groups()
        found[name] = (to_float(value), line.y0)
    return found


def assert_line(found: tuple[float, float], expected: float) -> None:
    """Assert that a line is at a height, and that its label tells it."""
    told, height = found
    assert told == pytest.approx(expected, rel=DIGITS)
    assert height == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rule", "shares"),
    [
        ("Fair share", lambda slots: fair_allocation(list(TASKS.values()), slots)),
        ("SRPT", lambda slots: srpt_allocation(list(TASKS.values()), slots)),
        ("Algorithm 1", lambda slots: poured(slots) * np.array(list(TASKS.values()))),
    ],
)
def test_a_column_is_as_wide_as_its_tasks_and_as_high_as_its_slots_per_task(rule, shares) -> None:
    figure = validated(water(seen(SPARE, rule), False))
    (columns,) = traces(figure, type="bar")
    expected = dict(zip(TASKS, shares(SPARE), strict=True))
    high = figure.layout.yaxis.range[1]
    edge = 0.0
    for place, name in enumerate(ORDER):
        tasks, slots = TASKS[name], expected[name]
        assert columns.width[place] == tasks
        assert columns.x[place] == pytest.approx(edge + tasks / 2)
        assert columns.y[place] == pytest.approx(min(slots / tasks, high))
        assert columns.customdata[place][0] == name
        assert [float(one) for one in columns.customdata[place][1:]] == pytest.approx(
            [tasks, slots / tasks, slots]
        )
        edge += tasks
    assert tuple(figure.layout.xaxis.range) == (0, edge)
    assert list(figure.layout.xaxis.ticktext) == ORDER
    assert list(figure.layout.xaxis.tickvals) == pytest.approx(list(columns.x))


def test_the_axes_and_the_hover_name_what_is_drawn() -> None:
    figure = water(seen(SPARE, "Algorithm 1"), False)
    assert figure.layout.xaxis.title.text == "jobs, smallest first, as wide as their tasks"
    assert figure.layout.yaxis.title.text == "slots per task"
    assert figure.data[0].hovertemplate == (
        "job %{customdata[0]}: %{customdata[3]:,.4~g} slots for %{customdata[1]:,.4~g} tasks, "
        "%{customdata[2]:,.3~g} per task<extra></extra>"
    )


@pytest.mark.parametrize(("rule", "epsilon"), [("Algorithm 1", 1.0), ("Algorithm 2", EPSILON)])
def test_the_water_level_is_what_makes_the_columns_add_up(rule, epsilon) -> None:
    level = poured(SPARE, (1 - epsilon) * SPARE / len(TASKS))
    told = lines(water(seen(SPARE, rule), False))
    assert set(told) == {"water level", "threshold θ"}
    assert_line(told["water level"], level)
    assert_line(told["threshold θ"], THETA)
    said = re.search(r"The water level is ([\d.]+)\.$", water_alt(seen(SPARE, rule))).group(1)
    assert to_float(said) == pytest.approx(level, rel=DIGITS)


def test_where_slots_are_short_there_is_a_threshold_and_no_water_level() -> None:
    for rule in ("Algorithm 1", "Algorithm 2", "Fair share", "SRPT"):
        told = lines(water(seen(SHORT, rule), False))
        assert set(told) == {"threshold θ"}
        assert_line(told["threshold θ"], THETA)


@pytest.mark.parametrize("rule", ["Algorithm 2", "Projection"])
def test_the_guarantee_is_a_step_over_each_job(rule) -> None:
    figure = validated(water(seen(SHORT, rule), False))
    (floor,) = traces(figure, name="guarantee F/T")
    guarantee = (1 - EPSILON) * SHORT / len(TASKS)
    high, edge = figure.layout.yaxis.range[1], 0.0
    for place, name in enumerate(ORDER):
        left, right = 2 * place, 2 * place + 1
        assert (floor.x[left], floor.x[right]) == (edge, edge + TASKS[name])
        assert floor.y[left] == floor.y[right] == pytest.approx(min(guarantee / TASKS[name], high))
        edge += TASKS[name]


def test_rules_without_a_guarantee_draw_none() -> None:
    for rule in ("Algorithm 1", "Fair share", "SRPT"):
        assert not traces(water(seen(SHORT, rule), False), name="guarantee F/T")


def test_a_column_that_is_cut_tells_its_height() -> None:
    jobs, _ = checked([Row("A", 1.0, None, None), Row("B", 99.0, None, None)])
    question = Request(jobs, 200.0, BETA, 0.0)
    figure = water(Scene(question, "Fair share"), False)
    (columns,) = traces(figure, type="bar")
    assert columns.y[0] == figure.layout.yaxis.range[1] < 100
    assert columns.text[0] == "100 ↑"
    assert columns.text[1] == ""


def test_the_words_of_the_chart_are_its_columns() -> None:
    told = water_alt(seen(SPARE, "Fair share"))
    pairs = re.search(r"smallest job first: (.*?)\. The threshold", told).group(1).split(", ")
    assert [pair.split(" ")[0] for pair in pairs] == ORDER
    expected = dict(zip(TASKS, fair_allocation(list(TASKS.values()), SPARE), strict=True))
    for pair in pairs:
        name, value = pair.split(" ")
        assert to_float(value) == pytest.approx(expected[name] / TASKS[name], rel=DIGITS)


@pytest.mark.parametrize(
    ("slots", "first"),
    [
        (SHORT, "Slots are short: **serve the smallest jobs first**, with up to 1.33 slots per task: "),
        (SPARE, "There are slots to spare: **give each job 1.33 slots per task**, share the rest by tasks: "),
    ],
)
def test_the_answer_says_what_to_do_with_the_slots_and_how_much_work_that_does(slots, first) -> None:
    sizes = np.array(list(TASKS.values()))
    most = float(total_rate(sizes, hopper_allocation(sizes, slots, BETA), BETA))
    told = answer(seen(slots))
    done = re.fullmatch(re.escape(first) + r"that does most work \(([\d.,]+)\)\. Equal shares cost .+", told)
    assert to_float(done[1]) == pytest.approx(most, rel=DIGITS)


def test_where_slots_run_out_before_the_first_job_has_enough_no_job_is_at_the_threshold() -> None:
    first, *_ = notices(seen(1.0))
    assert "B gets all the slots and could use more. " in first
    (_, _, (name, value, beside), _) = cards(seen(1.0))
    assert (name, value, beside) == (
        "Water level, slots per task",
        "1.33",
        "the threshold; no job gets so many",
    )
    sizes = np.array(list(TASKS.values()))
    told = re.fullmatch(
        r"Slots are short, and \*\*any shares of up to 1\.33 slots per task do most work\*\* \((.+)\), equal "
        "ones too: no slot would do more in another job.",
        answer(seen(1.0)),
    )
    assert told is not None
    assert to_float(told[1]) == pytest.approx(total_rate(sizes, np.full(3, 1 / 3), BETA), rel=DIGITS)
    assert cards(seen(SHORT))[2][2] == "the threshold; only the guarantee F goes above it"


def test_a_job_without_tasks_is_not_said_to_get_what_it_wants() -> None:
    jobs, _ = checked([Row("A", 0.0), Row("B", 10.0), Row("C", 60.0)])
    assert jobs is not None
    told = notices(Scene(Request(jobs, 20.0, BETA, EPSILON), "Fair share"))[0]
    assert "by size: B gets all it wants, C what is left. " in told
    beside = {  # it holds its guarantee, which is above any level, and nothing where there is none
        epsilon: cards(Scene(Request(jobs, 1.0, BETA, epsilon), "Fair share"))[2][2]
        for epsilon in (EPSILON, 1.0)
    }
    assert beside == {
        EPSILON: "the threshold; only the guarantee F goes above it",
        1.0: "the threshold; no job gets so many",
    }


def test_jobs_without_tasks_are_asked_for_some() -> None:
    app = visit("allocation", jobs="0,0")
    assert not app.exception
    assert [one.value for one in app.info] == [
        "No job has a task left. Type into the table how many tasks T a job has left."
    ]
