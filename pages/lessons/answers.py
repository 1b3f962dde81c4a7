"""Answers to predictions and exercises: numbers as people type them, and what is said of them.

People type decimals, fractions, roots, powers, sums, words, and units.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from pages.lessons.lesson import Decision, Exercise, Found, Lesson
from pages.lessons.prediction import Answer, Choice, Number, Option, Order, Prediction, labels
from sim.model.fields import BadInput
from sim.telling.words import counted, number, plain
from theory.quoting import quoted

#: Characters that are read.
LONGEST = 40
NUMBER = re.compile(r"(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]+)?")
TOKEN = re.compile(rf"\s*({NUMBER.pattern}|[a-z]+|\*\*|\S)")
#: Words that are numbers of their own, below twenty, tens, parts of a whole.
ALONE = {"once": 1, "twice": 2, "double": 2, "thrice": 3, "triple": 3}
BELOW_TWENTY = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
UNITS = {word: number for number, word in enumerate(BELOW_TWENTY)}
TENS = {
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50},
    **{"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
}
PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    f"{word}{end}": number
    for word, number in {"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}.items()
    for end in ("", "s")
}
#: Fractions that are one character.
FRACTIONS = {one: unicodedata.numeric(one) for one in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
#: Powers written small, and signs that divide, multiply, or are written before or behind a factor.
SMALL = {"²": 2.0, "³": 3.0}
DIVIDE, MULTIPLY, FACTOR = ("/", ":", "÷", "\u2044"), ("*", "×", "·", "x"), ("x", "×", "times")
#: Words around a factor that say nothing more of it.
AROUND = ("factor", "of", "by", "as", "much", "many", "long", "fold")
PERCENT = ("%", "percent")
#: Minutes in a unit of time, by how it is written.
MINUTES = (
    dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1 / 60)
    | dict.fromkeys(("min", "mins", "minute", "minutes"), 1.0)
    | dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 60.0)
)


def facts() -> dict[str, Any]:
    """Return what the reader knows, for its twin in a browser (`pages/lessons/export/parts/typed.js`)."""
    return {
        "longest": LONGEST,
        "number": NUMBER.pattern,
        "alone": ALONE,
        "units": UNITS,
        "tens": TENS,
        "parts": PARTS,
        "fractions": FRACTIONS,
        "small": SMALL,
        "divide": DIVIDE,
        "multiply": MULTIPLY,
        "factor": FACTOR,
        "around": AROUND,
        "percent": PERCENT,
        "minutes": MINUTES,
    }


def typed(text: str, unit: str) -> float:
    """Return the number that a text means, in a unit.

    A comma is a decimal point. A text may name the unit, or another one of time where minutes are asked for.

    Raises
    ------
    BadInput
        If it is none, or has another unit.

    Examples
    --------
    >>> typed("1,5", ""), typed(" 3 / 2 ", ""), typed("150 %", ""), typed("37.5%", "%"), typed("4 min", "min")
    (1.5, 1.5, 1.5, 37.5, 4.0)
    >>> [typed(two, "") for two in ("×2", "2x", "twice", "two", "√4", "sqrt(4)", "4^½", "one and a half + ½")]
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    >>> typed("2 h", "min"), typed("1 h 30 min", "min"), typed("1 1/2", "min"), typed("twenty-four", "slots")
    (120.0, 90.0, 1.5, 24.0)
    >>> typed("100(1 - 0.5²)", "%")
    75.0
    >>> typed("many", "min")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: answer: 'many' is not accepted; give a number, such as 1.5, 3/2, √2 or two
    """
    if len(text) <= LONGEST:
        tokens = TOKEN.findall(text.lower().replace("−", "-"))
        try:
            value = _Reader(tokens).answer(unit)
        except (_NoNumber, ArithmeticError):
            value = math.nan
        if math.isfinite(value):
            return value
    raise BadInput(f"answer: {quoted(text)} is not accepted; give a number, such as 1.5, 3/2, √2 or two")


class _NoNumber(Exception):
    """A text that is no number."""


@dataclass
class _Reader:
    """Reads tokens from the left, by descent: sums of products of powers."""

    tokens: list[str]
    place: int = 0

    @property
    def next(self) -> str:
        """The token that is not yet read; empty at the end."""
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def takes(self, *tokens: str) -> bool:
        """Read the next token if it is one of these; tell whether it was."""
        if self.next and self.next in tokens:
            self.place += 1
            return True
        return False

    def answer(self, unit: str) -> float:
        """Return the number of the whole text, in a unit."""
        if not unit:
            if self.tokens[self.place : self.place + 3] == ["by", "a", "factor"]:
                self.place += 2
            while self.takes(*FACTOR, *AROUND):
                pass
        value = self.sum()
        if unit in MINUTES:
            value = self.minutes(value, MINUTES[unit])
        elif not unit:
            if self.takes(*PERCENT):
                value /= 100
            while self.takes(*FACTOR, *AROUND):
                pass
        elif unit == "%":
            self.takes(*PERCENT)
        else:
            self.named(unit)
        if self.next:
            raise _NoNumber
        return value

    def minutes(self, value: float, asked: float) -> float:
        """Return a time in a unit of so many minutes: of "1 h 30 min" the sum."""
        if not self.next:
            return value
        total = value * self.unit_of_time()
        while self.next:
            part = self.sum()
            total += part * self.unit_of_time()
        return total / asked

    def unit_of_time(self) -> float:
        """Read a unit of time; return its minutes."""
        name = self.next
        if not self.takes(*MINUTES):
            raise _NoNumber
        return MINUTES[name]

    def named(self, unit: str) -> None:
        """Read the words of a unit if they are there, of one thing or of several."""
        for word in unit.split():
            if self.next and not self.takes(word, word.removesuffix("s")):
                raise _NoNumber

    def sum(self) -> float:
        """Return a sum of products."""
        value = self.product()
        while sign := self.one_of("+", "-"):
            value += self.product() if sign == "+" else -self.product()
        return value

    def product(self) -> float:
        """Return a product of powers; before a root or a bracket no sign is needed."""
        value = self.signed()
        while True:
            if self.takes(*DIVIDE):
                value /= self.signed()
            elif self.next in MULTIPLY and self.place + 1 < len(self.tokens):
                self.place += 1
                value *= self.signed()
            elif self.next in ("(", "√", "sqrt"):
                value *= self.power()
            else:
                return value

    def signed(self) -> float:
        """Return a power with its sign."""
        sign = self.one_of("+", "-")
        return -self.power() if sign == "-" else self.power()

    def power(self) -> float:
        """Return a power, whose exponent may be one."""
        base = self.atom()
        exponent = self.signed() if self.takes("^", "**") else SMALL.get(self.next)
        if exponent is None:
            return base
        self.takes(*SMALL)
        value = base**exponent
        if isinstance(value, complex):
            raise _NoNumber
        return float(value)

    def atom(self) -> float:
        """Return a number, a root, or what is in brackets."""
        if self.takes("("):
            value = self.sum()
            if not self.takes(")"):
                raise _NoNumber
            return value
        if self.takes("√", "sqrt"):
            root = self.atom()
            if root < 0:
                raise _NoNumber
            return math.sqrt(root)
        if NUMBER.fullmatch(self.next):
            value = float(self.tokens[self.place].replace(",", "."))
            self.place += 1
            return self.of_parts(value + (self.small_fraction() or self.fraction()))
        return self.small_fraction() or self.words()

    def fraction(self) -> float:
        """Return the fraction that follows a whole number, as in "1 1/2"; 0 if there is none."""
        above, sign, below = (*self.tokens[self.place : self.place + 3], "", "", "")[:3]
        if sign != "/" or not (above.isascii() and above.isdigit() and below.isascii() and below.isdigit()):
            return 0.0
        self.place += 3
        return int(above) / int(below)

    def small_fraction(self) -> float:
        """Read a character such as ½ if it is there; return 0 otherwise."""
        character = self.one_of(*FRACTIONS)
        return FRACTIONS[character] if character else 0.0

    def words(self) -> float:
        """Return a number in words, up to hundreds."""
        if word := self.one_of(*ALONE):
            return float(ALONE[word])
        value = 1.0
        if not self.takes("a", "an"):
            value = self.below_hundred()
        if self.takes("hundred"):
            value *= 100
            if self.next in TENS or self.next in UNITS:
                value += self.below_hundred()
        value = self.of_parts(value)
        return value + self.words() if self.takes("and") else value

    def below_hundred(self) -> float:
        """Return a number in words from zero to ninety-nine; 1 before a part alone."""
        if word := self.one_of(*UNITS):
            return float(UNITS[word])
        if word := self.one_of(*TENS):
            before = self.place
            self.takes("-")
            if unit := self.one_of(*UNITS):
                return float(TENS[word] + UNITS[unit])
            self.place = before
            return float(TENS[word])
        if self.next in PARTS or self.next == "hundred":
            return 1.0
        raise _NoNumber

    def of_parts(self, value: float) -> float:
        """Return so many halves, thirds, ... if they are named next."""
        part = self.one_of(*PARTS)
        return value / PARTS[part] if part else value

    def one_of(self, *tokens: str) -> str:
        """Read the next token if it is one of these; return it, or nothing."""
        token = self.next
        return token if self.takes(*tokens) else ""


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
