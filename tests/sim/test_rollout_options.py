"""Each option of over-sampled rollouts moves what it is about, and is accepted up to its very limit."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from sim.advice import rollouts as module
from sim.advice.rollouts import LIST, Lengths, Rollouts, as_json, as_text, sentence
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.faces import flat
from theory.rollouts import slot_times

LENGTHS = tuple(np.random.default_rng(5).lognormal(3, 0.9, 40).tolist())
BASE = {"awaited": 12, "lengths": Lengths(LIST, LENGTHS), "price": 2.0}
#: Of the best number, and therefore of the answer.
BEST = r"answer|best_extra\.\w+|(step_time_s|wasted_share)\.at_best\.\w+"
ROWS = r"table\.\d+\.(step_time_s|slot_time_s|wasted_share|cost_s)"
#: Option -> its value, keys that must all move, and all that may.
OPTIONS: dict[str, tuple[Any, list[str], str]] = {
    "price": (
        4.0,
        ["price", r"table\.([1-9]|\d\d)\.cost_s", r"best_extra\.value"],
        rf"price|table\.\d+\.cost_s|{BEST}",
    ),
    "most": (
        17,
        ["most_extra_looked_at", r"table\.(18|24)\.\w+"],
        r"most_extra_looked_at|table\.(1[89]|2\d)\.\w+|best_extra\.(low|high)",
    ),
    "seed": (
        2,
        [r"(step_time_s|wasted_share)\.at_best\.(low|high)"],
        r"answer|best_extra\.(low|high)|(step_time_s|wasted_share)\.(at_best|without_extra)\.(low|high)",
    ),
    "awaited": (
        13,
        ["awaited", "most_extra_looked_at", r"table\.\d+\.(step_time_s|cost_s)", r"step_time_s\.\w+\.value"],
        rf"awaited|most_extra_looked_at|{ROWS}|table\.\d+\.extra|{BEST}|step_time_s.*|wasted_share.*",
    ),
    "carry_over": (
        True,
        ["carry_over", "standard_error_s", "answers_age_steps", r"table\.([2-9]|1\d)\.step_time_s"],
        # of fewer resamples, since each is simulated
        rf"carry_over|standard_error_s|answers_age_steps|{ROWS}|{BEST}|step_time_s\.without_extra\.(low|high)",
    ),
}


@cache
def asked(option: str = "") -> Rollouts:
    return Rollouts(**BASE | ({option: OPTIONS[option][0]} if option else {}))  # type: ignore[arg-type]


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_moves_what_it_is_about_and_nothing_else(option: str) -> None:
    _, must, may = OPTIONS[option]
    before, after = (dict(flat(as_json(one))) for one in (asked(), asked(option)))
    found = {key for key in {*before, *after} if before.get(key, "none") != after.get(key, "none")}
    assert not {key for key in found if not re.fullmatch(may, key)}
    for one in must:
        every = {key for key in {*before, *after} if re.fullmatch(one, key)}
        assert every
        assert every <= found


@pytest.mark.parametrize("option", ["", *OPTIONS])
def test_the_best_is_that_of_the_least_cost_and_its_intervals_are_of_the_resamples(option: str) -> None:
    one, told = asked(option), as_json(asked(option))
    n, price = told["awaited"], told["price"]
    costs = [row["step_time_s"] * (1 + price * row["extra"] / n) for row in told["table"]]
    assert [row["cost_s"] for row in told["table"]] == pytest.approx(costs)
    best = told["best_extra"]["value"]
    assert best == np.argmin(costs) > 0
    draws = one._resampled
    assert draws is not None
    held = 1 + price * np.arange(len(costs)) / n
    wasted = np.zeros_like(draws)
    if not one.carry_over:
        wasted = np.arange(len(costs)) * draws / slot_times(draws, n, one._lists.mean(axis=1))
    for name, k in (("at_best", best), ("without_extra", 0)):
        row = told["table"][int(k)]
        for key, values in (("step_time_s", draws), ("wasted_share", wasted)):
            low, high = np.quantile(values[:, int(k)], (0.05, 0.95))
            ends = (row[key], min(low, row[key]), max(high, row[key]))
            assert [*told[key][name].values()] == pytest.approx(ends, abs=1e-12)
    low, high = np.quantile((draws * held).argmin(axis=1), (0.05, 0.95))
    assert (told["best_extra"]["low"], told["best_extra"]["high"]) == (min(low, best), max(high, best))
    assert f"Start {best:.0f} more than the {n} you wait for" in sentence(one)
    (line,) = (text for text in as_text(one).splitlines() if "(best)" in text)
    assert line.split()[0] == f"{best:.0f}"
    assert f"{one.times[int(best)] * (1 + best / n):.3g}" in line.replace(" slot·s", "")


def test_numbers_are_accepted_up_to_their_limits() -> None:
    law = Lengths("exponential", (30.0,))
    for name, inside, outside in (
        ("awaited", (1, 1000), (0, 1001)),
        ("price", (0.0, 100.0), (-1e-9, 100.001)),
        ("most", (1, 2000), (0, 2001)),
    ):
        for value in inside:
            assert getattr(Rollouts(**{"awaited": 8, "lengths": law, name: value}), name) == value  # type: ignore[arg-type]
        for value in outside:
            with pytest.raises(BadInput, match=f"^{name}: "):
                Rollouts(**{"awaited": 8, "lengths": law, name: value})  # type: ignore[arg-type]
    for kind, inside, outside in (  # type: ignore[assignment]
        ("exponential", [(1e9,)], [(0.0,), (1.1e9,)]),
        ("pareto", [(1.0, 1.001), (1.0, 100.0)], [(1.0, 1.0), (1.0, 100.1), (0.0, 2.0)]),
        ("lognormal", [(1.0, 5.0)], [(1.0, 0.0), (1.0, 5.1), (0.0, 1.0)]),
        (LIST, [(1.0,) * 5, (1.0,) * 2000], [(1.0,) * 4, (1.0,) * 2001, (1.0,) * 5 + (0.0,)]),
    ):
        for numbers in inside:
            assert Lengths(kind, numbers).numbers == numbers  # type: ignore[arg-type]
        for numbers in outside:
            with pytest.raises(BadInput, match="accepted"):
                Lengths(kind, numbers)  # type: ignore[arg-type]
    assert [int(Rollouts(n, law).extra[-1]) for n in (1, 3, 4, 5, 100)] == [8, 8, 8, 10, 200]


def test_the_shell_passes_each_option_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[Rollouts] = []
    monkeypatch.setattr(module, "as_json", lambda found: seen.append(found) or {})
    for words, kind, numbers in (
        ("--law=exponential --mean=7", "exponential", (7.0,)),
        ("--law=pareto --tail=3 --shortest=5", "pareto", (5.0, 3.0)),
        ("--law=lognormal --sigma=0.5 --median=9", "lognormal", (9.0, 0.5)),
        ("--list=1,2,3,4,1min", LIST, (1.0, 2.0, 3.0, 4.0, 60.0)),
    ):
        more = ["--awaited=6", "--price=2.5", "--most=11", "--seed=4", "--carry-over", "--json", "-"]
        assert main(["rollouts", *words.split(), *more]) == 0
        assert seen[-1] == Rollouts(6, Lengths(kind, numbers), 2.5, True, 11, 4)
        assert json.loads(capsys.readouterr().out) == {}
