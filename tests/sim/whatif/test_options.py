"""Each option of an answer moves what it is about, in every setting and remedy, and nothing else."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from sim.advice.whatif.answer import Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.price import Price
from sim.advice.whatif.report import OTHERS, as_json
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK
from tests.sim.faces import flat
from tests.sim.several.runs import queued

#: What an answer says of it all, which may change whenever a number does.
WORDS = r"headline|first|undecided|safety\..*|without\..*|remedies\.(sentence|first|caveat)|longer.*|reach.*"
#: The choice: which setting and which way of a remedy leads, and why others do not.
CHOICE = rf"{WORDS}|advice.*|remedies\.each\.\w+\.(advised|reason)"
#: Numbers of settings and of remedies: what they change and cost.
SETTINGS = r"policies\.[^ ]+\.(job_time|change|cost|makespan|slot_time|copies|won|killed_time|\w+_jobs)\..*"
REMEDIES = r"remedies\.each\.\w+\.(does|shows|change|ceiling|others|cost|paste|limit)\b.*"
MONEY = r".*\.cost\.(money\w*|sentence)\b.*|price\b.*"
#: Option -> its value, keys that must all move (at least one of each), and all that may.
OPTIONS: dict[str, tuple[Any, list[str], str]] = {
    "price": (
        Price(slot=2.0),
        [
            r"price\.priced_slot_hour",
            r"policies\.fifo\+spark.*\.cost\..*",
            r"remedies\.each\.host\.cost\.money.*",
        ],
        rf"{MONEY}|question\.price",
    ),
    "budget": (0.0, [r"advice\.reason|remedies\.each\.\w+\.reason"], CHOICE),
    "objective": ("p95", [r"remedies\.objective"], rf"{CHOICE}|remedies\.objective|{REMEDIES}"),
    "rate": (
        1.3,
        [r"question\.rate", r"question\.load", "SETTINGS", "REMEDIES"],
        rf"{CHOICE}|{SETTINGS}|{REMEDIES}|question\.(rate|load)",
    ),
    "slots": (
        15,
        [r"question\.slots", r"question\.load", "SETTINGS", "REMEDIES"],
        rf"{CHOICE}|{SETTINGS}|{REMEDIES}|question\.(slots|load)",
    ),
    "leave_out": (
        "job-1",
        [r"question\.jobs", "SETTINGS", "REMEDIES", r"check\.recorded\.mean"],
        rf"{CHOICE}|{SETTINGS}|{REMEDIES}|check\..*|question\.(jobs|small_jobs|leave_out|tasks|load)",
    ),
    "seed": (
        2,
        [r"question\.seed", "SETTINGS", "REMEDIES"],
        rf"{CHOICE}|{SETTINGS}|{REMEDIES}|check\..*|question\.seed",
    ),
    "replications": (
        30,
        [r"question\.replications", "SETTINGS", "REMEDIES"],
        rf"{CHOICE}|{SETTINGS}|{REMEDIES}|check\..*|question\.replications",
    ),
}
OF_QUESTION = {"rate", "slots", "leave_out", "seed"}


@cache
def answered(option: str = "") -> Answer:
    """Return the answer where an option is given."""
    given = {option: OPTIONS[option][0]} if option else {}
    asked = {name: given.pop(name) for name in OF_QUESTION & given.keys()}
    model = fit(queued(1, jobs=20, law="bimodal"), leave_out=asked.get("leave_out", ""))
    more = {"replications": 24, "sweep": False, "threads": 1} | given
    return answer(Replay(model, **asked), SPARK, **more)


@cache
def told(option: str = "") -> dict[str, Any]:
    """Return all that is told where an option is given."""
    return dict(flat(as_json(answered(option))))


def moved(option: str) -> set[str]:
    before, after = told(), told(option)
    return {key for key in {*before, *after} if before.get(key, "none") != after.get(key, "none")}


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_moves_what_it_is_about_and_nothing_else(option: str) -> None:
    _, must, may = OPTIONS[option]
    found = moved(option)
    assert not {key for key in found if not re.fullmatch(may, key)}
    for one in must:
        every = {
            "SETTINGS": {key.split(".job_time")[0] for key in told() if ".job_time.mean.value" in key},
            "REMEDIES": {f"remedies.each.{key}.ceiling" for key in ("copy", "host", "split", "warm")},
        }.get(one)
        if every is None:
            assert any(re.fullmatch(one, key) for key in found), one
        else:
            assert not {place for place in every if not any(key.startswith(place) for key in found)}, one


def test_a_price_is_that_of_the_slot_hours_of_each_setting_and_remedy() -> None:
    found = told("price")
    hours = {key: value for key, value in found.items() if ".cost.slot_hours." in key}
    assert len(hours) > 3 * 5
    for key, value in hours.items():
        assert found[key.replace("slot_hours", "money")] == pytest.approx(2.0 * value)


def test_the_figures_of_all_settings_agree_with_their_changes_and_the_check() -> None:
    """Today's is the check's, another's is today's with its change; bands are spread as replications."""
    found, numbers = answered(), told()

    def shown(text: str, figure: str) -> dict[str, float]:
        at = f"policies.{text}.{figure if figure in OTHERS else f'job_time.{figure}'}"
        return {end: numbers[f"{at}.{end}"] for end in ("value", "low", "high")}

    checked = {
        numbers[f"check.checks.{row}.name"]: numbers[f"check.checks.{row}.expected"] for row in (1, 2, 3)
    }
    for name, figure in {"mean job time": "mean", "p50": "p50", "p95": "p95"}.items():
        assert shown(found.today, figure)["value"] == pytest.approx(checked[name])
    for text, option in found.options.items():
        for figure in ("mean", "p50", "p95", "slot_time"):
            change = {
                end: numbers[f"policies.{text}.change.{figure}.{end}"] for end in ("value", "low", "high")
            }
            assert change == {end: getattr(option.change[figure], end) for end in change}
            now = shown(found.today, figure)["value"]
            mine = shown(text, figure)
            assert mine["value"] == pytest.approx(now * (1 + change["value"]))
            plays = np.array([play.figures[figure] for play in option.plays])
            ends = (np.quantile(plays, [0.05, 0.95]) / plays.mean() - 1) * found.check.widened
            assert [mine["low"], mine["high"]] == pytest.approx(np.maximum(0, mine["value"] * (1 + ends)))
        hours = shown(found.today, "slot_time")["value"] / 3600
        for end in ("value", "low", "high"):
            more = hours * getattr(option.change["slot_time"], end)
            assert numbers[f"policies.{text}.cost.slot_hours.{end}"] == pytest.approx(more)
