"""The worst part of an advice decides, and each option of a second opinion moves what it is about."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from sim.advice.whatif import second_opinion as module
from sim.advice.whatif.second_opinion import Opinion, SecondOpinion
from sim.advice.whatif.verdict import (
    ALREADY,
    APPROVED,
    CANNOT_TELL,
    IN_PART,
    NOT_APPROVED,
    NOT_MINE,
    TO_TRY,
)
from sim.logs.compact import as_parquet
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.faces import flat
from tests.sim.several.runs import queued

VERDICTS = (NOT_APPROVED, CANNOT_TELL, TO_TRY, APPROVED, ALREADY, NOT_MINE)


@pytest.mark.parametrize("both", [*product(VERDICTS, repeat=2)])
def test_the_worst_of_what_is_judged_decides_wherever_it_stands(both: tuple[str, str]) -> None:
    found = SecondOpinion(tuple(Opinion({one: ""}, one, f"{one}.") for one in both), "fifo+none", None, 0)
    first, other = sorted(both, key=VERDICTS.index)
    in_part = (first, other) == (APPROVED, NOT_MINE)
    assert found.verdict == (IN_PART if in_part else first)
    foreign = f" Not judged: {NOT_MINE}." if other == NOT_MINE else ""
    assert found.sentence.endswith(f"{first}.{foreign}")


#: Option -> its value, keys that must move, and keys that may.
WORDS = r"verdict|sentence|opinions\.0\.(verdict|sentence|wrong_if|worst)"
NUMBERS = r"opinions\.0\.change\.(mean|p95|slot_time)\.(value|low|high)"
OPTIONS: dict[str, tuple[Any, list[str], str]] = {
    "budget": (0.9, [r"opinions\.0\.sentence"], WORDS),
    "seed": (2, [NUMBERS], f"{WORDS}|{NUMBERS}|model"),
    "replications": (41, [NUMBERS, "replications"], f"{WORDS}|{NUMBERS}|model|replications"),
    "leave_out": ("job-1", [NUMBERS], f"{WORDS}|{NUMBERS}|model"),
}


@cache
def opinion(option: str = "") -> dict[str, Any]:
    """Return all that is told of copies on a log, where an option is given."""
    history = replace(queued(1, jobs=20, law="bimodal"), format="tez")
    log = Upload("history.parquet", as_parquet(history))
    given = {"replications": 40} | ({option: OPTIONS[option][0]} if option else {})
    found = module.check_advice(log, advice="tez.am.speculation.enabled=true", **given)
    return dict(flat(found.as_json()))


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_moves_what_it_is_about_and_nothing_else(option: str) -> None:
    _, must, may = OPTIONS[option]
    before, after = opinion(), opinion(option)
    assert before.keys() == after.keys()
    found = {key for key in before if before[key] != after[key]}
    assert not {key for key in found if not re.fullmatch(may, key)}
    for one in must:
        assert {key for key in before if re.fullmatch(one, key)} <= found


def test_jobs_that_are_left_out_are_neither_learned_from_nor_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}

    def noted(name: str) -> None:
        own = getattr(module, name)

        def called(*given: Any, **named: Any) -> Any:
            seen[name] = named["leave_out"]
            return own(*given, **named)

        monkeypatch.setattr(module, name, called)

    noted("read_and_fit")
    noted("Replay")
    opinion.__wrapped__("leave_out")
    assert seen == dict.fromkeys(("read_and_fit", "Replay"), OPTIONS["leave_out"][0])


def test_the_shell_passes_each_option_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def judge(*paths: str, bar: object, **given: Any) -> None:
        seen.append((paths, given))
        raise BadInput("seen")

    monkeypatch.setattr(module, "check_advice", judge)
    words = ["--budget=30", "--leave-out=x", "--replications=7", "--seed=3"]
    assert main(["check-advice", "a", "b", "set=1", *words]) == 2
    given = {"advice": "set=1", "budget": 0.3, "replications": "7", "seed": "3", "leave_out": "x"}
    assert seen == [(("a", "b"), given)]
