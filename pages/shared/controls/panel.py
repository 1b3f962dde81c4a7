"""All controls of a page: filled from its link, drawn one by one, read, and written to the link."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.limits import any_of
from pages.shared.controls.control import Control, OneOf
from pages.shared.controls.links import (
    VERSION,
    Entry,
    open_link,
    remember,
    show_messages,
    values_of,
    write_link,
)

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
