"""The checks of typed answers in Python and in JavaScript, over one table of texts and numbers."""

from __future__ import annotations

import json
import math
import random
from functools import cache
from typing import Any

from pages.lessons import LESSONS
from pages.lessons.answers import FRACTIONS, MINUTES, facts, help_for, is_slip, judged, limits, typed
from pages.lessons.export.page import JUDGED, TYPED
from pages.lessons.export.scripts import bundled
from pages.lessons.lesson import Exercise
from sim.model.fields import BadInput
from tests.pages.lessons.test_typed import HALF, REFUSED, TWO

#: Each kind of unit; what random texts are made of.
UNITS = ("", "%", "min", "slots", "mean task times")
PIECES = [
    *("two ", "half", "a ", "and ", "hundred ", "ty", "sqrt", "times ", "h ", "min ", "forty-", "1e999"),
    *("thirds",),
    *("0123456789.,/x×√²½()^*+-% e"),
    *FRACTIONS,
    *MINUTES,
    *("**", "percent", "\u0663", "⁴", "\U0001d7d9", "\u00a0"),
]


@cache
def texts() -> list[str]:
    """Return what people type, what they might, and what nobody should."""
    luck = random.Random(38)
    made = ["".join(luck.choices(PIECES, k=luck.randint(1, 9))) for _ in range(700)]
    signs = ["^", "/", "*", "-", "**"]
    sums = [
        f"{luck.choice('-+ ')}{luck.randint(0, 99)}{luck.choice(signs)}"
        f"({luck.randint(0, 9)}{luck.choice('-+/^')}{luck.choice(['', '-'])}{luck.randint(0, 9)})"
        for _ in range(400)
    ]
    return [
        *TWO,
        *HALF,
        *REFUSED,
        "1^1e999",
        "1e999^2",
        "1/(0^-1)",
        "(-1)^½",
        "0^0",
        "-0",
        "1e300",
        *made,
        *sums,
    ]


def judgements() -> list[tuple[float, float, str]]:
    """Return answers, the right one and the unit: near it, far off, on the edge of rounding."""
    found = []
    typed = (one for lesson in LESSONS.values() for one in lesson.exercises if isinstance(one, Exercise))
    for exercise in typed:
        right = exercise.solve()
        given = [
            right * share
            for share in (1, 1.0099, 0.9901, 1.0101, 0.9899, 1.0999, 0.9001, 1.1001, 3, -1, 0.01)
        ]
        given += [
            100 - right,
            0.0,
            0.125,
            2.5,
            1.125,
            1.135,
            12.25,
            12.35,
            999.5,
            99950.0,
            123456.5,
            1e22,
            1e-7,
            -0.0625,
        ]
        found += [(one, right, exercise.unit) for one in given]
    return found


def by_python() -> list[Any]:
    """Return the number of each text in each unit, None for none; and what is said of each answer."""
    return [
        [_typed(text, unit) for unit in UNITS for text in texts()],
        [_judged(*one) for one in judgements()],
    ]


def _typed(text: str, unit: str) -> float | None:
    try:
        return typed(text, unit)
    except BadInput:
        return None


def _judged(given: float, right: float, unit: str) -> list[Any]:
    exercise = Exercise("", unit, lambda: right, "", "")
    said = judged(exercise, given, help_for(exercise, 0, asked=False))
    if said.startswith("**Right: "):
        return [True, False, ""]
    return [False, not is_slip(unit, given, right), said.removeprefix("**Not yet: ").removesuffix(".**")]


def script() -> str:
    """Return an expression of JavaScript whose value is what `by_python` should return."""
    asked = json.dumps([texts(), UNITS, facts(), judgements(), limits()])
    return (
        f"(() => {{ {bundled(TYPED, JUDGED)}\nconst [texts, units, facts, answers, limits] = {asked};\n"
        "return [units.flatMap((unit) => texts.map((text) => module_typed.typed(text, unit, facts))),\n"
        "  answers.map((one) => Object.values(module_judged.judged(...one, limits)))];\n})()"
    )


def assert_same(found: list[Any]) -> None:
    """Assert that JavaScript reads each text as the same number and says the same of each answer."""
    numbers, told = by_python()
    pairs = [(text, unit) for unit in UNITS for text in texts()]
    assert len(found[0]) == len(numbers)
    for (text, unit), one, other in zip(pairs, numbers, found[0], strict=True):
        assert (one is None) == (other is None), (text, unit, one, other)
        assert one is None or math.isclose(one, other, rel_tol=1e-12, abs_tol=0), (text, unit, one, other)
    assert sum(one is not None for one in numbers) > 1000
    assert found[1] == told
