"""A control: its name in a link, its label, its accepted values, and its widget.

What it may be set to decides the widget: a `Range` is a slider, `OneOf` some numbers a slider with uneven
steps, `OneOf` some words a menu, a `Switch` a toggle. A page that needs another kind writes a class with
the methods of `Values`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import streamlit as st

from pages.frame.limits import limits
from pages.shared.controls.links import Entry, as_text, key, remember
from pages.shared.words.foreign import literal
from sim.model.fields import About, BadInput, canonical
from sim.telling.words import plain
from theory.shown import quoted

#: Steps beyond which a number is typed: no slider could be set to one of them.
MOST_STEPS = 10_000


class Values(Protocol):
    """What a control may be set to."""

    def read(self, name: str, text: str) -> Any:
        """Return the value that a link's text means; raise `BadInput` naming what is accepted."""

    def write(self, value: Any) -> str:
        """Return the text of a value in a link."""

    def show(self, value: Any) -> str:
        """Return a value as the reader sees it."""

    def draw(self, label: str, *, key: str, **options: Any) -> Any:
        """Draw the widget, whose value is in the session under this key; return its value."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, whole ones if the step is whole.

    The range never changes: Streamlit resets a slider whose range moves.
    """

    low: float
    high: float
    step: float

    def read(self, name: str, text: str) -> Any:
        """Return the number.

        Examples
        --------
        >>> Range(1, 500, 1).read("S", "501")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: S: '501' is not accepted; give a whole number from 1 to 500
        """
        return canonical(name, text, type(self.step), About("", low=self.low, high=self.high))

    def write(self, value: Any) -> str:
        """Return the number as short as it is exact."""
        return as_text(value)

    def show(self, value: Any) -> str:
        """Return the number as the reader sees it.

        Examples
        --------
        >>> Range(1, 5000, 1).show(2000), Range(0.0, 1.0, 0.05).show(0.35)
        ('2,000', '0.35')
        """
        return plain(value)

    def draw(self, label: str, *, key: str, **options: Any) -> Any:
        """Draw a slider, or a field to type into where the numbers are too many."""
        draw = st.number_input if (self.high - self.low) / self.step > MOST_STEPS else st.slider
        return draw(label, self.low, self.high, step=self.step, key=key, **options)


@dataclass(frozen=True)
class OneOf:
    """Some values, all numbers or all words.

    Parameters
    ----------
    values : iterable, or mapping to str
        The values; a mapping says how each is shown.
    widget : str, optional
        Another widget than the usual one.
    """

    values: Iterable[Any]
    widget: Literal["", "radio", "segmented_control", "select_slider"] = ""

    def read(self, name: str, text: str) -> Any:
        """Return the value.

        Examples
        --------
        >>> OneOf((15.0, math.inf)).read("d", "20")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: d: '20' is not accepted; give one of 15, inf
        """
        try:
            value = canonical(name, text, type(next(iter(self.values))), About(""))
        except BadInput:
            value = None
        if value not in self.values:
            accepted = ", ".join(map(as_text, self.values))
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give one of {accepted}")
        return value

    def write(self, value: Any) -> str:
        """Return the word, or the number as short as it is exact."""
        return as_text(value)

    def show(self, value: Any) -> str:
        """Return a value as the reader sees it.

        Examples
        --------
        >>> OneOf((1000, math.inf)).show(1000), OneOf({"any": "Fractional"}).show("any")
        ('1,000', 'Fractional')
        """
        if isinstance(self.values, Mapping):
            return self.values[value]
        return value if isinstance(value, str) else "∞" if value == math.inf else plain(value)

    def draw(self, label: str, *, key: str, offered: Iterable[Any] = (), **options: Any) -> Any:
        """Draw the widget, which may offer only some of the values."""
        usual = "selectbox" if isinstance(next(iter(self.values)), str) else "select_slider"
        if self.widget == "segmented_control":
            options["required"] = True
        draw = getattr(st, self.widget or usual)
        return draw(label, [*(offered or self.values)], format_func=self.show, key=key, **options)


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off; 1 or 0 in a link."""

    def read(self, name: str, text: str) -> bool:
        """Return whether it is on.

        Examples
        --------
        >>> Switch().read("printed", "yes")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: printed: 'yes' is not accepted; give 0 or 1
        """
        if text not in ("0", "1"):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give 0 or 1")
        return text == "1"

    def write(self, value: bool) -> str:
        """Return 1 or 0."""
        return "1" if value else "0"

    def show(self, value: bool) -> str:
        """Return the word for it."""
        return "on" if value else "off"

    def draw(self, label: str, *, key: str, **options: Any) -> bool:
        """Draw a toggle."""
        return st.toggle(label, key=key, **options)


#: Statistics of the flowtimes that a page may lead with, and how its control calls them.
STATISTICS = {"mean": "Mean", "p50": "Median", "p95": "p95"}


#: Default of a control: the statistic that the laws of a scenario let be known.
AUTO = "auto"


@dataclass(frozen=True)
class ByLaw(OneOf):
    """Some words, or `AUTO`."""

    values: Mapping[str, str]

    def show(self, value: str) -> str:
        """Return the word; of `AUTO`, that the laws decide."""
        return "as the laws allow" if value == AUTO else self.values[value]

    def read(self, name: str, text: str) -> str:
        """Return the word.

        Examples
        --------
        >>> ByLaw(STATISTICS).read("statistic", "auto")
        'auto'
        """
        return AUTO if text == AUTO else str(OneOf.read(self, name, text))

    def led_by(self, value: str, by_law: str = "", **options: Any) -> str:
        """Return the word that a value means: where the laws decide theirs, or the first.

        Examples
        --------
        >>> ByLaw(STATISTICS).led_by("auto"), ByLaw(STATISTICS).led_by("auto", "p50")
        ('mean', 'p50')
        """
        return chosen(value, by_law or next(iter(self.values)))

    def draw(self, label: str, *, key: str, by_law: str = "", **options: Any) -> str:
        """Draw the widget, at `by_law` by default; return its value."""
        shown = f"{key}:shown"
        page, _, name = key.partition(".")
        st.session_state[shown] = now = self.led_by(st.session_state[key], by_law)
        options["on_change"] = lambda: remember(page, name, st.session_state[shown])
        OneOf.draw(self, label, key=shown, **options)
        return now


def chosen(value: str, by_law: str) -> str:
    """Return the value of such a control, or what the laws say.

    Examples
    --------
    >>> chosen("p95", "mean"), chosen(AUTO, "p50")
    ('p95', 'p50')
    """
    return by_law if value == AUTO else value


@dataclass(frozen=True)
class Control:
    """Something that the reader of a page can set.

    Parameters
    ----------
    name : str
        Of the value in the session (after the page's name), and in old links.
    label : str
        What the reader sees.
    values : Values
        What it may be set to.
    default : object
        Where it begins, unless the page starts from a setting that says otherwise.
    about : str, optional
        What it means, as the help of the widget.
    unit : str, optional
        Of its values, where the label does not say it.
    symbol : str, optional
        Its name in links, where that is another one: of a symbol of the papers, the same on all pages.
    """

    name: str
    label: str
    values: Values
    default: Any
    about: str = ""
    unit: str = ""
    symbol: str = ""

    @property
    def link(self) -> str:
        """Its name in links."""
        return self.symbol or self.name

    def entry(self, default: Any = None) -> Entry:
        """Return the control as a link knows it, with its own default or another.

        Examples
        --------
        >>> entry = Control("copies", "Copies", OneOf(("any", "whole")), "any").entry()
        >>> entry.default, entry.read("whole")
        ('any', 'whole')
        """
        default = self.default if default is None else default
        values = self.values
        return Entry(self.name, self.link, default, lambda text: values.read(self.name, text), values.write)

    def draw(self, page: str, **options: Any) -> Any:
        """Draw the widget on a page and return its value; Streamlit's own options are passed on.

        Where a link fixes the control, a fact is drawn, and where it hides it, nothing. `about`, if it is
        among the options, is the help.
        """
        held = limits(page)
        if held.leaves(self.name):
            return self.widget(page, **options)
        value = st.session_state[key(page, self.name)]
        if held.fixes(self.name):
            st.markdown(f":material/lock: {self.fact(value)}", help=options.get("about", self.about) or None)
        return self.values.led_by(value, **options) if isinstance(self.values, ByLaw) else value

    def widget(self, page: str, *, idle: str = "", about: str | None = None, **options: Any) -> Any:
        """Draw the widget, whatever a link says of it; where it changes nothing, `idle` says why."""
        told = " ".join(filter(None, (idle, self.about if about is None else about))) or None
        off = {"disabled": True} if idle else {}
        return self.values.draw(self.label, key=key(page, self.name), help=told, **off, **options)

    def fact(self, value: Any) -> str:
        """Return label, value and unit, in Markdown.

        Examples
        --------
        >>> Control("jobs", "Jobs per replication", Range(1, 9000, 1), 1, unit="jobs").fact(1000)
        'Jobs per replication: **1,000 jobs**'
        """
        return f"{literal(self.label)}: **{literal(f'{self.values.show(value)} {self.unit}'.strip())}**"


#: The control of what a page leads with; the same on every page.
STATISTIC = Control(
    "statistic",
    "Lead with",
    ByLaw(STATISTICS, "segmented_control"),
    AUTO,
    "Until you choose: the mean, or the median where the variance of the times is infinite and no run has "
    "enough jobs to know the mean.",
)
