"""Predictions that a class makes before it sees the answer, and their widgets: an option, a number, an order.

A prediction is a question with the answers it accepts. It checks an answer, writes it as text for a link and
in words for a screen, and counts the answers of many. An answer is plain data: the key of an option, a
number, or the keys of the items in order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, TypeAlias

import streamlit as st

from pages.shared.words.foreign import literal
from sim.model.fields import BadInput
from sim.telling.words import number, plain
from theory.quoting import quoted

#: Options, or items to be put in order, at most: what a phone shows at once.
MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose, or to be put in order.

    Parameters
    ----------
    key : str
        Its name in an answer; letters, digits and hyphens.
    label : str
        What is shown.
    """

    key: str
    label: str

    def __post_init__(self) -> None:
        if not self.key.replace("-", "").isalnum():
            raise BadInput(f"key: {quoted(self.key)} is not accepted; give letters, digits and hyphens")


@dataclass(frozen=True, slots=True)
class Count:
    """How many gave one answer, or one of a few answers that are shown as one.

    Parameters
    ----------
    key : str
        The same for the same prediction, however many have answered.
    label : str
        What is shown.
    votes : int
    """

    key: str
    label: str
    votes: int


def check_options(options: tuple[Option, ...]) -> None:
    """Raise `BadInput` if these are too few, too many, or not told apart."""
    if not 2 <= len({option.key for option in options}) == len(options) <= MOST_OPTIONS:
        accepted = f"from 2 to {MOST_OPTIONS} options with keys of their own"
        raise BadInput(f"options: {quoted(keys(options))} is not accepted; give {accepted}")


def keys(options: tuple[Option, ...]) -> str:
    """Return the keys of options, as an error names them."""
    return ", ".join(option.key for option in options)


def labels(options: tuple[Option, ...]) -> dict[str, str]:
    """Return key -> label of options."""
    return {option.key: option.label for option in options}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some options.

    Parameters
    ----------
    key : str
        Its name among the predictions of all lessons.
    label : str
        What is asked.
    options : tuple of Option
    """

    key: str
    label: str
    options: tuple[Option, ...]

    def __post_init__(self) -> None:
        check_options(self.options)

    def checked(self, answer: object) -> str:
        """Return the answer if it is one; raise `BadInput` naming the options.

        Examples
        --------
        >>> free = Choice("free", "Does it cost anything?", (Option("yes", "Yes"), Option("no", "No")))
        >>> free.checked("maybe")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: free: 'maybe' is not accepted; give one of yes, no
        """
        for option in self.options:
            if isinstance(answer, str) and answer == option.key:
                return option.key
        raise BadInput(f"{self.key}: {quoted(answer)} is not accepted; give one of {keys(self.options)}")

    def read(self, text: str) -> str:
        """Return the answer that a link's text means."""
        return self.checked(text)

    def write(self, answer: Any) -> str:
        """Return the text of an answer in a link."""
        return self.checked(answer)

    def shown(self, answer: Any) -> str:
        """Return an answer in words."""
        return labels(self.options)[self.checked(answer)]

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return how many gave each answer, in the order of the options.

        Examples
        --------
        >>> free = Choice("free", "Does it cost anything?", (Option("yes", "Yes"), Option("no", "No")))
        >>> [(count.label, count.votes) for count in free.counts(["no", "no"])]
        [('Yes', 0), ('No', 2)]
        """
        votes = Counter(map(self.checked, answers))
        return tuple(Count(option.key, option.label, votes[option.key]) for option in self.options)

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that an answer is among."""
        return self.checked(answer)


#: Bars that counts of numbers are drawn as, at most, and places of a slider.
MOST_BARS, MOST_PLACES = 21, 201


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `low` to `high` in steps; a slider.

    Parameters
    ----------
    key : str
        Its name among the predictions of all lessons.
    label : str
        What is asked.
    low, high, step : float
        The step divides the range into at most `MOST_PLACES` - 1 parts.
    unit : str, optional
        Written after the number.
    """

    key: str
    label: str
    low: float
    high: float
    step: float
    unit: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and self.low < self.high < math.inf):
            raise BadInput(
                f"high: {quoted(self.high)} is not accepted; give a number above low, {self.low:g}"
            )
        if not 0 < self.step <= self.high - self.low or not math.isclose(self._steps, round(self._steps)):
            raise BadInput(
                f"step: {quoted(self.step)} is not accepted; give a number that divides high - low"
            )
        if self._steps > MOST_PLACES - 1 + 1e-9:
            raise BadInput(f"step: {quoted(self.step)} is not accepted; give at most {MOST_PLACES - 1} steps")

    @property
    def _steps(self) -> float:
        return (self.high - self.low) / self.step

    @property
    def places(self) -> tuple[float, ...]:
        """The places of the slider.

        Examples
        --------
        >>> Number("load", "Up to which load?", 0, 1, 0.25).places
        (0.0, 0.25, 0.5, 0.75, 1.0)
        """
        return tuple(map(self._at, range(round(self._steps) + 1)))

    @property
    def _in_a_bar(self) -> int:
        """Places of the slider that are counted as one."""
        return math.ceil((round(self._steps) + 1) / MOST_BARS)

    def checked(self, answer: object) -> float:
        """Return the answer if it is one of the slider's places; raise `BadInput` naming the range.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 100, 5, "%")
        >>> load.checked(35), load.checked(35.0000000001)
        (35.0, 35.0)
        >>> load.checked(101)
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: load: 101 is not accepted; give a number from 0 to 100 in steps of 5
        """
        if (
            isinstance(answer, (int, float))
            and not isinstance(answer, bool)
            and self.low <= answer <= self.high
        ):
            nearest = self.nearest(answer)
            if abs(nearest - answer) <= 1e-6 * self.step:
                return nearest
        accepted = f"a number from {self.low:g} to {self.high:g} in steps of {self.step:g}"
        raise BadInput(f"{self.key}: {quoted(answer)} is not accepted; give {accepted}")

    def nearest(self, value: float) -> float:
        """Return the place of the slider that is nearest to a finite number, which may lie outside.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 1, 0.1)
        >>> load.nearest(0.31), load.nearest(7.0)
        (0.3, 1.0)
        """
        steps = round((min(max(value, self.low), self.high) - self.low) / self.step)
        return float(round(self.low + steps * self.step, 10))

    def read(self, text: str) -> float:
        """Return the answer that a link's text means."""
        try:
            value = float(text)
        except ValueError:
            return self.checked(text)
        return self.checked(value)

    def write(self, answer: Any) -> str:
        """Return the text of an answer in a link."""
        return f"{self.checked(answer):.10g}"

    def shown(self, answer: Any) -> str:
        """Return an answer in words; the computed one may lie between the slider's places.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 100, 5, "%")
        >>> load.shown(35), load.shown(35.3802737)
        ('35 %', '35.4 %')
        """
        value = float(answer)
        placed = abs(self.nearest(value) - value) <= 1e-6 * self.step
        return f"{plain(self.nearest(value)) if placed else number(value)} {self.unit}".rstrip()

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return how many predicted each number, or each few next to each other, from the lowest.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 100, 5, "%")
        >>> counts = load.counts([0, 35, 35])
        >>> len(counts), counts[7]
        (21, Count(key='35', label='35', votes=2))
        >>> Number("time", "How long?", 0, 100, 1, "min").counts([7])[1]
        Count(key='5', label='5–9', votes=1)
        """
        votes = Counter(self.counted_as(self.checked(answer)) for answer in answers)
        firsts = range(0, round(self._steps) + 1, self._in_a_bar)
        return tuple(Count(key := self._key(first), self._label(first), votes[key]) for first in firsts)

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that a number is among: the nearest if it lies outside."""
        place = round((self.nearest(float(answer)) - self.low) / self.step)
        return self._key(place - place % self._in_a_bar)

    def _at(self, place: int) -> float:
        return self.nearest(self.low + place * self.step)

    def _key(self, first: int) -> str:
        return f"{self._at(first):.10g}"

    def _label(self, first: int) -> str:
        last = min(first + self._in_a_bar - 1, round(self._steps))
        ends = [plain(self._at(place)) for place in ([first] if last == first else [first, last])]
        return "–".join(ends)


@dataclass(frozen=True, slots=True)
class Order:
    """Some items to be put in order.

    Parameters
    ----------
    key : str
        Its name among the predictions of all lessons.
    label : str
        What is asked, with what comes first.
    items : tuple of Option
    """

    key: str
    label: str
    items: tuple[Option, ...]

    def __post_init__(self) -> None:
        check_options(self.items)

    def checked(self, answer: object) -> tuple[str, ...]:
        """Return the answer if it has each item once; raise `BadInput` naming the items.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> turns.checked(["fair", "srpt"])
        ('fair', 'srpt')
        >>> turns.checked(["fair", "fair"])
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: turns: ['fair', 'fair'] is not accepted; give each of srpt, fair once
        """
        own = {item.key: item.key for item in self.items}  # kept once, however many have sent theirs
        if isinstance(answer, (list, tuple)) and len(answer) == len(own):
            items = tuple(own[key] for key in answer if isinstance(key, str) and key in own)
            if len(set(items)) == len(own):
                return items
        raise BadInput(f"{self.key}: {quoted(answer)} is not accepted; give each of {keys(self.items)} once")

    def read(self, text: str) -> tuple[str, ...]:
        """Return the answer that a link's text means: keys with commas between them."""
        return self.checked(text.split(",", MOST_OPTIONS))

    def write(self, answer: Any) -> str:
        """Return the text of an answer in a link."""
        return ",".join(self.checked(answer))

    def shown(self, answer: Any) -> str:
        """Return an answer in words.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> turns.shown(("fair", "srpt"))
        'Fair shares → SRPT'
        """
        names = labels(self.items)
        return " → ".join(names[key] for key in self.checked(answer))

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return each given order with its number of votes, the most frequent first.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> [(count.label, count.votes) for count in turns.counts([("fair", "srpt")])]
        [('Fair shares → SRPT', 1)]
        """
        votes = Counter(map(self.checked, answers))
        ranked = sorted(votes.items(), key=lambda pair: (-pair[1], self.write(pair[0])))
        return tuple(Count(self.write(order), self.shown(order), many) for order, many in ranked)

    def places(self, answers: Iterable[Any]) -> dict[str, tuple[int, ...]]:
        """Return item -> how many put it at the first, the second, ... place.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> turns.places([("fair", "srpt"), ("srpt", "fair"), ("fair", "srpt")])
        {'srpt': (1, 2), 'fair': (2, 1)}
        """
        orders = [self.checked(answer) for answer in answers]
        return {
            item.key: tuple(
                sum(order[place] == item.key for order in orders) for place in range(len(self.items))
            )
            for item in self.items
        }

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that an answer is among."""
        return self.write(answer)


Prediction: TypeAlias = Choice | Number | Order
#: A prediction: the key of an option, a number, or keys of items in order.
Answer: TypeAlias = str | float | tuple[str, ...]


#: What a slider says that nobody has touched; `screens.css` knows it, too, and draws the ghost of a handle.
NOWHERE = "tap the line"


def ask(prediction: Prediction, key: str, *, above: str = "") -> Answer | None:
    """Draw the widget of a prediction; return the answer, None while there is none.

    Nothing is answered by itself: a slider starts at no number, and no button puts all items in an order.

    Parameters
    ----------
    prediction : Prediction
        What its options and its unit say is shown letter by letter, its label as Markdown.
    key : str
        Of the widget in the session.
    above : str, optional
        The question, in Markdown, where it stands above the widget already: then it is read out only.
    """
    label = above or prediction.label
    visible: Literal["visible", "collapsed"] = "collapsed" if above else "visible"
    match prediction:
        case Choice():
            labels = shown_labels(prediction.options)
            chosen: str | None = st.radio(
                label,
                list(labels),
                index=None,
                format_func=labels.__getitem__,
                key=key,
                label_visibility=visible,
            )
            return chosen
        case Number():
            unit = f" ({literal(prediction.unit)})" if prediction.unit else ""
            with st.container(key=f"line:{key}", gap=None):
                value: float | None = st.select_slider(
                    label + unit,
                    [None, *prediction.places],
                    key=key,
                    label_visibility=visible,
                    format_func=lambda place: NOWHERE if place is None else f"{place:.10g}",
                )
                low, high = (escape(prediction.shown(end)) for end in (prediction.low, prediction.high))
                st.html(f'<div class="ends"><span>{low}</span><span>{high}</span></div>')
            return value
        case Order():
            labels = shown_labels(prediction.items)
            picked: list[str] = st.pills(
                label,
                list(labels),
                format_func=labels.__getitem__,
                key=key,
                selection_mode="multi",
                label_visibility=visible,
            )  # as they are pressed, the first first; pressed again, one goes
            ranks = "\n".join(f"{place}. {labels[one]}" for place, one in enumerate(picked, start=1))
            st.markdown(ranks or "Press the first, then the second, …")
            return tuple(picked) if len(picked) == len(labels) else None


def shown_labels(options: tuple[Option, ...]) -> dict[str, str]:
    """Return key -> label of options, as Markdown that shows it as it is."""
    return {option.key: literal(option.label) for option in options}
