"""Texts on a prediction, an exercise, and the time a lesson takes."""

from __future__ import annotations

import math
from typing import Any

from pages.lessons.lesson import Decision, Exercise, Found, Lesson
from pages.lessons.prediction import Answer, Choice, Number, Option, Order, Prediction
from pages.lessons.prediction.option import labels
from sim.telling.words import counted, number, plain

#: Share of the right number by which an exercise's answer may differ: rounding.
CLOSE = 0.01
#: The same for one that is nearly right.
NEAR = 0.1
#: Wrong answers after which there is a hint, and the solution.
HINTED, TRIES = 2, 3
#: A line to write on.
BLANK = "_" * 12


def verdict(prediction: Prediction, predicted: Any, answer: Answer) -> str:
    """Say how a prediction and the answer differ.

    Examples
    --------
    >>> minutes = Number("time", "How long?", 0, 100, 1, "min")
    >>> verdict(minutes, 10.0, 36.4)
    'You predicted 10 min: 26 min too low.'
    >>> verdict(minutes, 36.0, 36.4)
    'You predicted 36 min: right.'
    """
    if not isinstance(prediction, Number):
        said = f"You predicted “{prediction.shown(predicted)}”"
        return f"{said}: right." if predicted == answer else f"{said}."
    said = f"You predicted {prediction.shown(predicted)}"
    away = float(predicted) - float(answer)  # type: ignore[arg-type]
    if abs(away) <= prediction.step:
        return f"{said}: right."
    unit = "points" if prediction.unit == "%" else prediction.unit
    return f"{said}: {f'{number(abs(away), 2)} {unit}'.rstrip()} too {'high' if away > 0 else 'low'}."


def answered(lesson: Lesson, found: Found, predicted: Any, *, varied: bool) -> str:
    """Return the answer in Markdown, with what was predicted unless the question has been varied."""
    if varied:
        return found.told
    parts = found.told, verdict(lesson.prediction, predicted, found.answer), found.yours(predicted)
    return " ".join(filter(None, parts))


def judged(exercise: Exercise, given: float, help_due: str = "") -> str:
    """Say whether an exercise is solved; if not, in which direction the answer lies, with the help due."""
    right = exercise.solve()
    if close(given, right):
        return f"**Right: {solution(exercise)}.** {exercise.how}"
    return f"**Not yet: {_direction(exercise.unit, given, right)}.** {help_due}".rstrip()


def help_for(exercise: Exercise, wrong: int, *, asked: bool) -> str:
    """Return the help after so many wrong answers: none, a hint, or the solution, which may be asked for.

    Examples
    --------
    >>> double = Exercise("Twice two?", "", lambda: 4.0, "Add.", "2 + 2.")
    >>> [help_for(double, wrong, asked=False) for wrong in (1, 2, 3)]
    ['', '**Hint.** Add.', '**Solution: 4.** 2 + 2.']
    """
    if asked or wrong >= TRIES:
        return f"**Solution: {solution(exercise)}.** {exercise.how}"
    return f"**Hint.** {exercise.hint}" if wrong >= HINTED else ""


def close(given: float, right: float) -> bool:
    """Tell whether two numbers differ by rounding alone."""
    return abs(given - right) <= CLOSE * abs(right)


def is_slip(unit: str, given: float, right: float) -> bool:
    """Tell whether an answer is right but for percent: it is told so and not counted as wrong."""
    return unit == "%" and close(100 * given, right)


def _direction(unit: str, given: float, right: float) -> str:
    """Say how an answer is wrong."""
    if is_slip(unit, given, right):
        return "the answer is asked in percent"
    if unit == "%" and close(100 - given, right):
        return "that is the share of all others"
    nearly = "nearly, but " if abs(given - right) <= NEAR * abs(right) else ""
    return f"{nearly}{number(given)} is too {'high' if given > right else 'low'}"


def limits() -> dict[str, float]:
    """Return what judges an answer, for its twin in a browser (`pages/lessons/export/parts/judged.js`)."""
    return {"close": CLOSE, "near": NEAR, "hinted": HINTED, "tries": TRIES}


def decided(decision: Decision, chosen: str) -> str:
    """Say whether a decision is right, with its reason, or else with a hint."""
    if chosen == decision.solve():
        return f"**Right: {solution(decision)}.** {decision.how}"
    return f"**Not so.** **Hint.** {decision.hint}"


def solution(exercise: Decision | Exercise) -> str:
    """Return the answer of an exercise with its unit; a whole number has no decimals.

    Examples
    --------
    >>> [solution(Exercise("", "tasks", lambda: right, "", "")) for right in (69.0, 8 / 3)]
    ['69 tasks', '2.67 tasks']
    """
    if isinstance(exercise, Decision):
        return labels(exercise.options)[exercise.solve()]
    right = exercise.solve()
    told = plain(right) if math.isclose(right, round(right)) else number(right)
    return f"{told} {exercise.unit}".rstrip()


def ticked(options: tuple[Option, ...]) -> str:
    """Return options, in Markdown, each with a box to tick."""
    return "\n\n".join(f"☐ {option.label}" for option in options)


def marked(prediction: Prediction) -> str:
    """Return the places, in Markdown, where a prediction is marked or written on paper.

    Examples
    --------
    >>> marked(Number("time", "How long?", 0, 100, 1, "min"))
    'My prediction: ____________ min'
    """
    match prediction:
        case Choice(options=options):
            return ticked(options)
        case Order(items=items):
            return "\n\n".join(f"{BLANK[:4]} {item.label}" for item in items)
        case Number(unit=unit):
            return f"My prediction: {BLANK} {unit}".rstrip()


def timing(lesson: Lesson) -> list[tuple[str, str]]:
    """Return the minutes of a lesson: how many, and what for.

    Notes
    -----
    As in Peer Instruction: alone, then with neighbours, then together.
    """
    together, alone, reveal, vary = 1, 1, 2, 1
    talk = lesson.minutes - together - alone - reveal - vary
    return [
        (counted(together, "minute"), "Read the question and look at the picture; draw it anew a few times."),
        (counted(alone, "minute"), "Everybody predicts alone, without a word."),
        (
            counted(talk, "minute"),
            "Neighbours convince each other; whoever changed their mind predicts again.",
        ),
        (counted(reveal, "minute"), "Show the answer, then the reason in three sentences."),
        (
            counted(vary, "minute"),
            "Predict what the variation does, then try it. The exercise is for afterwards.",
        ),
    ]
