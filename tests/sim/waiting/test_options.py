"""Each option of the question whether to wait moves what it is about, of every task, and nothing else."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

from sim.advice.waiting import library, report
from sim.advice.waiting.answer import COPY, WAIT, Options, Waiting
from sim.advice.waiting.siblings import Siblings
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.faces import flat

#: Two tasks run: one on a slow host, one far larger than its siblings; a third is young.
DONE = 60 * (1 - (np.arange(40) + 0.5) / 40) ** (-1 / 1.6)
STAGE = Siblings(
    *(DONE, np.array([150.0, 400.0, 50.0])),
    done_work=np.geomspace(90, 110, 40),
    work=np.array([100.0, 400.0, 101.0]),
    done_hosts=tuple("abcd"[place % 4] for place in range(40)),
    hosts=("a", "b", "c"),
)
ACTIONS = r"answer|tasks\.\d\.(task|action|probability_better)|changes.*"
#: A task may come to stand elsewhere, so its own numbers are told by its name.
OPTIONS: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "deadline": (
        {"deadline": 90.0},
        [r"within_s\.0", r"\w+\.(wait|copy)\.done_within\.0\.value"],
        r"answer|within_s\.\d|all_done.*|\w+\.\w+\.done_within.*",
    ),
    "start": (
        {"start": 25.0},
        [r"copy_start_s", r"\w+\.(copy|restart)\.(mean_rest_s\.value|slot_time_s)"],
        rf"{ACTIONS}|copy_start_s|copy_saves.*|rules.*|\w+\.(copy|restart)\..*|\w+\.(action|prob.*)",
    ),
    "slots": ({"slots": "queue"}, ["slots", "price"], rf"{ACTIONS}|slots|price|\w+\.(action|prob.*)"),
    "price": ({"price": 2.0}, ["price"], rf"{ACTIONS}|price|\w+\.(action|prob.*)"),
    "seed": (
        {"seed": 2},
        [r"\w+\.\w+\.mean_rest_s\.value"],
        rf"{ACTIONS}|all_done.*|copy_saves.*|rules.*|\w+\.(action|prob.*|is_late|(explained|slow)_.*)"
        r"|\w+\.\w+\.(mean_rest_s|slot_time_s|done_within).*",
    ),
}


@cache
def answered(option: str = "") -> Waiting:
    return Waiting(STAGE, Options(**(OPTIONS[option][0] if option else {})), 60)


def told(option: str = "") -> dict[str, Any]:
    """Return all that is told, with tasks by their numbers in place of their turns."""
    found = report.as_json(answered(option))
    tasks = {f"t{one['task'].split()[1]}": one for one in found.pop("tasks")}
    return dict(flat(found | tasks))


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_moves_what_it_is_about_and_nothing_else(option: str) -> None:
    _, must, may = OPTIONS[option]
    before, after = told(), told(option)
    found = {key for key in {*before, *after} if before.get(key, "none") != after.get(key, "none")}
    assert not {key for key in found if not re.fullmatch(may, key)}
    for one in must:
        every = {key for key in after if re.fullmatch(one, key)}
        assert every
        assert every <= found


@pytest.mark.parametrize("option", ["", "start", "slots", "price", "deadline"])
def test_each_task_is_told_by_its_own_curves(option: str) -> None:
    """Rest, slot-time, and the chances within each time, with 90 % of the draws; the cost by its price."""
    asked = answered(option)
    price = {"slots": 1.0, "price": 2.0}.get(option, 0.3)
    ages = STAGE.ages.tolist()
    for task in asked.tasks:
        place = ages.index(task.age)
        times = np.r_[0.0, np.geomspace(1e-4, 1.0, 99)] * 10 * max(task.age, float(np.median(DONE)))
        rests, found = {}, asked.decided(place)
        for row, (name, tails) in enumerate(asked.curves(place, times).items()):
            rests[name] = draws = trapezoid(tails, times, axis=1)
            machine = draws * (2 if name == COPY else 1)
            assert task.choices is not None
            one = task.choices[name]
            assert one.rest == pytest.approx((draws.mean(), *np.quantile(draws, [0.05, 0.95])))
            assert one.slot_time == pytest.approx(machine.mean())
            assert found.cost[row] == pytest.approx(draws + price * machine)
            within = 1 - asked.curves(place, np.array(asked.horizons))[name]
            for column, chance in enumerate(one.within):
                values = within[:, column]
                ends = np.quantile(values, [0.05, 0.95])
                assert chance == pytest.approx(
                    (values.mean(), min(ends[0], values.mean()), ends[1]), abs=1e-9
                )
        assert task.saves == pytest.approx(rests[WAIT].mean() - rests[task.action].mean())
        assert report.more_slot_time(task) == pytest.approx(2 * rests[COPY].mean() - rests[WAIT].mean())
    assert len(asked.tasks) == 3


def test_the_shell_passes_each_option_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def asked(*paths: str, **given: Any) -> None:
        seen.append((paths, given))
        raise BadInput("seen")

    monkeypatch.setattr(library, "wait", asked)
    names = (
        "done",
        "running",
        "sizes",
        "running_sizes",
        "hosts",
        "running_hosts",
        "stage",
        "at",
        "application",
    )
    given = {name: f"of {name}" for name in (*names, "deadline", "start", "slots")}
    assert main(["wait", "log", *(f"--{name.replace('_', '-')}={one}" for name, one in given.items())]) == 2
    assert seen == [(("log",), given)]
