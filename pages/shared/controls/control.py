"""A control: its name in a link, its label, its accepted values, and its widget.

What it may be set to decides the widget: a `Range` is a slider, `OneOf` some numbers a slider with uneven
steps, `OneOf` some words a menu, a `Switch` a toggle. A page that needs another kind writes a class with
the methods of `Values`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Literal, Protocol, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.limits import any_of, limits
from pages.shared.controls.links import (
    VERSION,
    Entry,
    as_text,
    key,
    open_link,
    remember,
    show_messages,
    values_of,
    write_link,
)
from pages.shared.words.foreign import literal
from sim.model.fields import About, BadInput, canonical
from sim.telling.words import plain
from theory.quoting import quoted

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


#: Values that are all named where another was given.
_NAMED = 30


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
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give one of {self._named(text)}")
        return value

    def _named(self, text: str) -> str:
        """Return the values by name; of many, those that are most like what was given."""
        names = [as_text(one) for one in self.values]
        if len(names) <= _NAMED:
            return ", ".join(names)
        near = difflib.get_close_matches(text, names, n=5, cutoff=0.0)
        return f"{', '.join(near)}, or another of the {len(names)} that the page lists"

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


# All controls of a page: filled from its link, drawn one by one, read, and written to the link.

#: What a page asks: a frozen dataclass.
Request = TypeVar("Request")


@dataclass(frozen=True)
class Start:
    """A setting to start from: its title, and the values that differ from the controls' defaults."""

    title: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Former:
    """What links of an older version mean.

    Parameters
    ----------
    version : str
    first : str
        The start of a link that names none.
    values : mapping of str to mapping
        Start -> the defaults that it had then, of those that have changed since.
    """

    version: str
    first: str
    values: Mapping[str, Mapping[str, Any]]


def start_control(name: str, starts: Mapping[str, Start], default: str) -> Control:
    """Return the control that chooses a start, which sets all the others."""
    titles = {key: start.title for key, start in starts.items()}
    return Control(name, "Start from", OneOf(titles), default, "Sets every control below.")


class Panel:
    """The controls of a page.

    Parameters
    ----------
    page : str
        Name of the page.
    controls : sequence of Control
        In the order of the link. If there are `starts`, the first chooses one of them.
    starts : mapping of str to Start, optional
        Settings to start from.
    stays : sequence of str, optional
        Controls that choosing a start leaves as they are.
    version : str, optional
        Version of the page's links; empty if they do not name one.
    former : Former, optional
        What links of the version before mean, if they mean something else.
    """

    def __init__(
        self,
        page: str,
        controls: Sequence[Control],
        starts: Mapping[str, Start] | None = None,
        stays: Sequence[str] = (),
        version: str = VERSION,
        former: Former | None = None,
    ) -> None:
        self.page = page
        self.controls = {control.name: control for control in controls}
        self.starts = starts or {}
        self.version = version
        self._former = former
        self._stays = stays
        self._chooser: str = controls[0].name if starts else ""
        self._first: str = controls[0].default if starts else ""
        self._entries: dict[tuple[str, bool], list[Entry]] = {}

    def open(self) -> list[str]:
        """Fill the controls from the address, or as they were left; say what of it could not be used."""
        versions = [self.version or VERSION, *([self._former.version] if self._former else [])]
        return open_link(
            self.page, lambda given: self.entries(given.get(self._chooser, ""), given.get("v", "")), versions
        )

    def begin(self) -> dict[str, Any]:
        """Open the controls, show what of the address could not be used, and return every value."""
        show_messages(self.open())
        return self.values()

    def draw(self, name: str, **options: Any) -> Any:
        """Draw one control and return its value."""
        return self.controls[name].draw(self.page, **options)

    def draw_all(self, controls: Iterable[Control | str]) -> dict[str, Any]:
        """Draw some of the controls, one below the other; return their values."""
        return {name: self.draw(name) for name in names(controls)}

    def draw_folded(
        self, name: str, label: str, icon: str, controls: Sequence[Control | str]
    ) -> dict[str, Any]:
        """Draw some of the controls in a drawer; return their values, of a closed one none.

        It is left out where a link hides all of them.
        """
        if box := drawer(self.page, name, label, f":material/{icon}:", names(controls)):
            with box:
                return self.draw_all(controls)
        return {}

    def draw_start(self, **options: Any) -> None:
        """Draw the choice of a start, which sets the other controls."""
        self.draw(self._chooser, on_change=self._set_all, **options)

    def values(self) -> dict[str, Any]:
        """Return the value of every control, whether it is drawn or not."""
        held = values_of(self.page)
        return {
            entry.name: entry.default if held[entry.name] == entry.default else tidied(held[entry.name])
            for entry in self.entries(held.get(self._chooser, ""))
        }

    def write(self, values: Mapping[str, Any]) -> None:
        """Put into the address what differs from the defaults."""
        write_link(self.page, self.entries(values.get(self._chooser, "")), values, self.version)

    def entries(self, start: str = "", version: str = "") -> list[Entry]:
        """Return the controls as a link of a version knows them; the defaults are those of the start."""
        former = self._former if self._former and self._former.version == version else None
        start = start if start in self.starts else former.first if former else self._first
        if (start, former is None) not in self._entries:
            defaults = self.defaults(start)
            if former:
                defaults |= {self._chooser: former.first, **former.values.get(start, {})}
            listed = [one.entry(defaults[name]) for name, one in self.controls.items()]
            self._entries[start, former is None] = listed
        return self._entries[start, former is None]

    def defaults(self, start: str = "") -> dict[str, Any]:
        """Return what every control is where nothing is chosen, or only a start."""
        own = {name: control.default for name, control in self.controls.items()}
        return own | dict(self.starts[start].values) if start in self.starts else own

    def _set_all(self) -> None:
        """Set the controls to what the chosen start says."""
        chosen = values_of(self.page)[self._chooser]
        for name, value in self.defaults(chosen).items():
            if name != self._chooser and name not in self._stays:
                remember(self.page, name, value)


def filled(kind: type[Request], values: Mapping[str, Any], **others: Any) -> Request:
    """Return a request whose fields are the controls of their names, and those that are given.

    Examples
    --------
    >>> from pages.shared.controls.control import Range
    >>> filled(Range, {"low": 1, "high": 9, "load": 0.5}, step=1)
    Range(low=1, high=9, step=1)
    """
    names = [name for name in signature(kind).parameters if name not in others]
    return kind(**{name: values[name] for name in names}, **others)


def tidied(value: Any) -> Any:
    """Return a value without what a slider's adding of steps does to the last digits.

    Examples
    --------
    >>> tidied(0.1 + 0.2), tidied(1 / 3), tidied(("a", 1))
    (0.3, 0.3333333333333333, ('a', 1))
    """
    if not isinstance(value, float) or not math.isclose(rounded := round(value, 6), value):
        return value
    return rounded


def names(controls: Iterable[Control | str]) -> list[str]:
    """Return the names of controls, for a drawer that holds them."""
    return [control if isinstance(control, str) else control.name for control in controls]


def drawer(
    page: str, name: str, label: str, icon: str, holds: Iterable[str] | None = None
) -> DeltaGenerator | None:
    """Draw a drawer; return it if it is open, to be filled. What is in it is made only then.

    One that `holds` controls is left out where a link hides all of them.
    """
    if holds is not None and not any_of(page, holds):
        return None
    box = st.expander(label, icon=icon, key=f"{page}:open:{name}", on_change="rerun")
    return box if box.open else None
