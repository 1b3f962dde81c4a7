"""Questions for a class: the prediction of a lesson, or one that its teacher has written."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pages.lessons import LESSONS
from pages.lessons.answers import typed
from pages.lessons.lesson import Lesson
from pages.lessons.prediction import MOST_OPTIONS, Answer, Choice, Count, Number, Option, Order, Prediction
from pages.server.room import MOST_KEPT
from pages.shared.words.foreign import literal
from sim.model.fields import BadInput
from sim.telling.words import plain
from theory.quoting import quoted, shortened, visible

# A number that is typed.

#: How near to each other, as a share of them or in all, the ends of a range are too near.
NEAREST, LEAST = 1e-6, 1e-300
#: Bars that answers are drawn as, at most, and their widths, in powers of ten.
MOST_BARS, WIDTHS = 21, (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number from `low` to `high`, typed as people type numbers.

    Parameters
    ----------
    key : str
        Its name in messages.
    label : str
        What is asked.
    low, high : float
    unit : str, optional
        Written after the number.
    """

    key: str
    label: str
    low: float
    high: float
    unit: str = ""

    def __post_init__(self) -> None:
        largest = max(abs(self.low), abs(self.high))
        if not (math.isfinite(largest) and self.high - self.low > max(NEAREST * largest, LEAST)):
            raise BadInput(
                f"high: {quoted(self.high)} is not accepted; give a number well above low, {self.low:g}"
            )

    def checked(self, answer: object) -> float:
        """Return the number that is meant, as a number or as a text; raise `BadInput` naming the range.

        Examples
        --------
        >>> share = Amount("answer", "Which share?", 0, 100, "%")
        >>> share.checked("37,5 %"), share.checked(25)
        (37.5, 25.0)
        >>> share.checked("101")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: answer: '101' is not accepted; give a number from 0 to 100
        """
        accepted = f"give a number from {self.low:.10g} to {self.high:.10g}"
        refused = BadInput(f"{self.key}: {quoted(answer)} is not accepted; {accepted}")
        if isinstance(answer, str):
            try:
                value = typed(answer, self.unit)
            except BadInput:
                raise refused from None
        elif isinstance(answer, (int, float)) and not isinstance(answer, bool):
            value = answer
        else:
            raise refused
        if not self.low <= value <= self.high:
            raise refused
        return float(value) + 0.0  # + 0.0 turns -0.0 into 0.0

    def write(self, answer: Any) -> str:
        """Return the text of an answer."""
        return f"{self.checked(answer):.10g}"

    def shown(self, answer: Any) -> str:
        """Return an answer in words.

        Examples
        --------
        >>> Amount("answer", "How many?", 0, 1e6, "jobs").shown(12500)
        '12,500 jobs'
        """
        return f"{plain(self.checked(answer))} {self.unit}".rstrip()

    @property
    def _width(self) -> float:
        """Width of a bar: the smallest round number of which `MOST_BARS` cover the range."""
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / MOST_BARS))
        widths = (one * power for one in WIDTHS)
        return next(one for one in widths if self._bars(one) <= MOST_BARS or one == WIDTHS[-1] * power)

    def _bars(self, width: float) -> int:
        return math.floor(self.high / width) - math.floor(self.low / width) + 1

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return how many gave a number in each part of the range, from the lowest.

        Examples
        --------
        >>> counts = Amount("answer", "Which share?", 0, 100, "%").counts([3, 4.5, 5, 100])
        >>> len(counts), counts[0], counts[1].votes, counts[-1].votes
        (21, Count(key='0', label='0–5', votes=2), 1, 1)
        """
        votes = Counter(self.counted_as(answer) for answer in answers)
        width = self._width
        begin = math.floor(self.low / width)
        starts = [(begin + bar) * width for bar in range(self._bars(width))]
        return tuple(
            Count(key := f"{start:.10g}", f"{plain(start)}–{plain(start + width)}", votes[key])
            for start in starts
        )

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that a number is among."""
        return f"{math.floor(self.checked(answer) / self._width) * self._width:.10g}"


# The question for a class: the prediction of a lesson.


@dataclass(frozen=True, slots=True)
class OfLesson:
    """The question of a lesson, by its number."""

    number: int

    @property
    def lesson(self) -> Lesson:
        """The lesson."""
        return LESSONS[self.number]

    @property
    def prediction(self) -> Prediction:
        """What is predicted."""
        return self.lesson.prediction

    @property
    def title(self) -> str:
        """A few words, as a menu has them.

        Examples
        --------
        >>> OfLesson(1).title
        '1. The slowest task'
        """
        return f"{self.number}. {self.lesson.title}"

    @property
    def written(self) -> str:
        """What is asked, in Markdown."""
        return self.prediction.label

    def checked(self, answer: object) -> Answer:
        """Return an answer as it is counted; raise `BadInput` if the prediction does not admit it."""
        return self.prediction.checked(answer)


def following(number: int) -> int:
    """Return the number of the lesson after this one, the first after the last.

    Examples
    --------
    >>> following(0), following(len(LESSONS))
    (1, 1)
    """
    return number % len(LESSONS) + 1


# A question that a teacher writes, and a small file of several.
#
# What is written is data in every sense: it is bounded, in one line, and shown letter by letter. A form and
# a file go through the same reader.

#: Kinds of questions, and how they are called.
KINDS = {"slider": "Slider", "choice": "Choice", "ranking": "Ranking", "number": "Number"}
#: Characters of a question, of an option, of a unit; of the title of a question in a menu.
LONGEST, LONGEST_OPTION, LONGEST_UNIT, TITLE = 240, 60, 16, 48
#: The largest number, either way, and bytes of the largest file.
LARGEST, FILE_BYTES = 1e9, 64 * 1024
#: What a file says that it is, with the version of its form.
MARK = "straggler-lab questions 1"
#: Fields of each kind beside the kind, the question and the right answer.
FIELDS = {
    "slider": {"low", "high", "step", "unit"},
    "choice": {"options"},
    "ranking": {"options"},
    "number": {"low", "high", "unit"},
}


@dataclass(frozen=True, slots=True)
class Own:
    """A question that a teacher has written.

    Parameters
    ----------
    prediction : Choice, Number, Order or Amount
    right : str, float or tuple of str, optional
        The right answer, if there is one.
    """

    prediction: Choice | Number | Order | Amount
    right: Answer | None = None

    @property
    def title(self) -> str:
        """A few words, as a menu has them."""
        label = self.prediction.label
        return label if len(label) <= TITLE else f"{label[: TITLE - 1].rstrip()}…"

    @property
    def written(self) -> str:
        """What is asked, in Markdown."""
        return literal(self.prediction.label)

    def checked(self, answer: object) -> Answer:
        """Return an answer as it is counted; raise `BadInput` if it is none."""
        return self.prediction.checked(answer)


def read(given: Mapping[str, Any]) -> Own:
    """Return the question that a form or a file describes.

    Parameters
    ----------
    given : mapping
        ``kind`` and ``question``; ``options`` of a choice or a ranking; ``low``, ``high`` and ``unit`` of a
        number, and of a slider ``step``; ``right`` if there is a right answer: the place of an option, the
        places in the right order, a number.

    Raises
    ------
    BadInput
        Naming the field.

    Examples
    --------
    >>> asked = read({"kind": "choice", "question": "Which?", "options": ["This", "That"], "right": 2})
    >>> asked.prediction.shown(asked.right)
    'That'
    >>> read({"kind": "slider", "question": "How many?", "low": 0, "high": 10, "step": 3})
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: step: 3.0 is not accepted; give a number that divides high - low
    """
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadInput(f"kind: {quoted(kind)} is not accepted; give one of {', '.join(KINDS)}")
    for name in given:
        if name not in FIELDS[kind] | {"kind", "question", "right"}:
            raise BadInput(f"{shortened(str(name))}: a {kind} has no such field")
    label = _line("question", given.get("question"), LONGEST)
    right = given.get("right")
    if kind in ("choice", "ranking"):
        options = _options(given.get("options"))
        if kind == "choice":
            chosen = Choice("answer", label, options)
            return Own(chosen, None if right is None else options[_place(right, options)].key)
        ranked = Order("answer", label, options)
        return Own(ranked, None if right is None else ranked.checked(_order(right, options)))
    low, high = (_number(name, given.get(name)) for name in ("low", "high"))
    unit = _line("unit", given.get("unit", ""), LONGEST_UNIT, least=0)
    if kind == "number":
        amount = Amount("answer", label, low, high, unit)
        return Own(amount, None if right is None else amount.checked(_number("right", right)))
    slider = Number("answer", label, low, high, _number("step", given.get("step")), unit)
    if len({*map(slider.write, slider.places)}) < len(slider.places):
        raise BadInput(f"step: {quoted(slider.step)} is not accepted; give more, beside numbers so large")
    return Own(slider, None if right is None else slider.checked(_number("right", right)))


def described(asked: Own) -> dict[str, Any]:
    """Return what `read` makes the question of."""
    one, right = asked.prediction, asked.right
    found: dict[str, Any]
    match one:
        case Choice() | Order():
            options = one.options if isinstance(one, Choice) else one.items
            kind = "choice" if isinstance(one, Choice) else "ranking"
            found = {"kind": kind, "question": one.label, "options": [option.label for option in options]}
            if right is not None:
                places = [int(key) for key in ([right] if isinstance(right, str) else right)]  # type: ignore[union-attr]
                found["right"] = places[0] if isinstance(one, Choice) else places
            return found
        case Number():
            found = {"kind": "slider", "question": one.label, "low": one.low, "high": one.high}
            found |= {"step": one.step, "unit": one.unit}
        case Amount():
            found = {"kind": "number", "question": one.label, "low": one.low, "high": one.high}
            found |= {"unit": one.unit}
    return found if right is None else found | {"right": right}


def as_file(questions: Iterable[Own]) -> str:
    """Return the content of a file that has these questions.

    Examples
    --------
    >>> one = read({"kind": "number", "question": "How many?", "low": 0, "high": 9})
    >>> read_file(as_file([one]).encode()) == (one,)
    True
    """
    content = {"file": MARK, "questions": [described(one) for one in questions]}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)


def read_file(content: bytes) -> tuple[Own, ...]:
    """Return the questions of a file, as somebody has given it.

    Raises
    ------
    BadInput
        Naming what is wrong, with the number of the question.
    """
    if len(content) > FILE_BYTES:
        raise BadInput(f"file: {len(content):,} bytes are not accepted; give at most {FILE_BYTES:,}")
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("file") != MARK:
        raise BadInput("file: it is no file of questions; give one that was downloaded from a room")
    listed = found.get("questions")
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_KEPT:
        raise BadInput(f"questions: give a list of 1 to {MOST_KEPT}")
    questions = []
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, dict):
            raise BadInput(f"question {number}: {quoted(one)} is not accepted; give the fields of one")
        try:
            questions.append(read(one))
        except BadInput as error:
            raise BadInput(f"question {number}: {error}") from None
    return tuple(questions)


def _line(name: str, text: object, most: int, least: int = 1) -> str:
    words = visible(" ".join(text.split())) if isinstance(text, str) and len(text) <= 4 * most else None
    if words is None or not least <= len(words) <= most:
        raise BadInput(f"{name}: {quoted(text)} is not accepted; give {least} to {most} characters")
    return words


def _options(listed: object) -> tuple[Option, ...]:
    accepted = f"give 2 to {MOST_OPTIONS} texts, each once"
    if not isinstance(listed, (list, tuple)) or not 2 <= len(listed) <= MOST_OPTIONS:
        raise BadInput(f"options: {quoted(listed)} is not accepted; {accepted}")
    texts = [_line("option", one, LONGEST_OPTION) for one in listed]
    if len({text.casefold() for text in texts}) < len(texts):
        raise BadInput(f"options: {quoted(texts)} is not accepted; {accepted}")
    return tuple(Option(str(place), text) for place, text in enumerate(texts, start=1))


def _place(right: object, options: tuple[Option, ...]) -> int:
    if isinstance(right, int) and not isinstance(right, bool) and 1 <= right <= len(options):
        return right - 1
    raise BadInput(f"right: {quoted(right)} is not accepted; give a number from 1 to {len(options)}")


def _order(right: object, options: tuple[Option, ...]) -> list[str]:
    if isinstance(right, (list, tuple)) and len(right) == len(options):
        order = [options[_place(place, options)].key for place in right]
        if len({*order}) == len(order):
            return order
    raise BadInput(f"right: {quoted(right)} is not accepted; give each number from 1 to {len(options)} once")


def _number(name: str, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST:
        return float(value)
    raise BadInput(
        f"{name}: {quoted(value)} is not accepted; give a number from {-LARGEST:,.0f} to {LARGEST:,.0f}"
    )


def right_of(kind: str, text: str, unit: str = "") -> Any:
    """Return what a form's text says is right, as `read` takes it; None if it says nothing.

    Examples
    --------
    >>> right_of("choice", " 2 "), right_of("ranking", "3, 1 2"), right_of("slider", "1/2")
    (2, [3, 1, 2], 0.5)
    """
    if not text.strip():
        return None
    if kind in ("slider", "number"):
        return typed(text, unit)
    places = [
        int(one) if one.isdecimal() and len(one) == 1 else one for one in re.split(r"[\s,;>]+", text.strip())
    ]
    return places[0] if kind == "choice" and len(places) == 1 else places


Asked: TypeAlias = OfLesson | Own
