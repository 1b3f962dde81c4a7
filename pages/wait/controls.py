"""Controls of the page: what is known of the siblings, what is asked of the running task, a log instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import streamlit as st

from pages.shared.controls.control import Control, OneOf, Panel, Range, Start, start_control
from pages.shared.controls.file_in_link import CONTROL
from pages.shared.controls.links import key
from sim.advice.waiting.answer import PRICES
from sim.advice.waiting.siblings import Siblings, sizes_in, times_in
from sim.model.fields import BadInput
from sim.telling.words import clipped
from theory.quoting import quoted

PAGE = "wait"
#: Key of the place for files.
FILE = key(PAGE, "given")
#: Characters in a link of the durations, and of every other list; a link has 8,192.
MANY, FEW = 2_800, 900
#: What a link has in the place of a longer list, and of a list that is empty though an example has one.
TOO_LONG, NONE = "too-long", "none"
_HOST = re.compile(r"[A-Za-z0-9](?:[\w.:-]{0,98}[A-Za-z0-9])?", re.ASCII)


def words_in(text: str) -> list[str]:
    """Return the words of a text, which spaces, commas, semicolons, bars or lines divide.

    Examples
    --------
    >>> words_in("12, 13;14")
    ['12', '13', '14']
    """
    return [word for word in re.split(r"[\s,;|]+", text) if word]


def hosts_in(text: str, name: str) -> list[str]:
    """Return the names of hosts in a text; raises `BadInput` naming the first word that is none.

    Examples
    --------
    >>> hosts_in("node1 node2.example:7337", "hosts")
    ['node1', 'node2.example:7337']
    """
    for word in words_in(text):
        if not _HOST.fullmatch(word):
            raise BadInput(f"{name}: {quoted(word)} is not accepted; give names of hosts such as node7")
    return words_in(text)


def time_in(text: str, name: str) -> float | None:
    """Return the time in a text, s; None if there is none; raises `BadInput` if there are several.

    Examples
    --------
    >>> time_in("15 min", "deadline"), time_in("", "deadline")
    (900.0, None)
    """
    found = times_in(text, name)
    if len(found) > 1:
        raise BadInput(f"{name}: {quoted(text)} is not accepted; give one time such as 90, 15 min or 1:30")
    return float(found[0]) if len(found) else None


def texts_of(stage: Siblings) -> dict[str, str]:
    """Return what is known of a stage as the fields have it; sizes and hosts where all are known and fit.

    Examples
    --------
    >>> texts_of(Siblings([12.0, 13.5], [95.0], hosts=("node1",), done_hosts=("node1", "")))["done"]
    '12 13.5'
    """
    sizes, hosts = (stage.done_work, stage.work), (stage.done_hosts, stage.hosts)
    known = all(np.isfinite(one).all() for one in sizes)
    named = all(_HOST.fullmatch(one) for some in hosts for one in some)
    return {
        "done": _numbers(stage.done),
        "running": _numbers(stage.ages),
        "sizes": _numbers(sizes[0]) if known else "",
        "running_sizes": _numbers(sizes[1]) if known else "",
        "unit": stage.unit,
        "hosts": " ".join(hosts[0]) if named else "",
        "running_hosts": " ".join(hosts[1]) if named else "",
    }


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.6g}" for value in values)


@dataclass(frozen=True)
class Typed:
    """A text that is typed or pasted: as it is, right or wrong, with single spaces in a link.

    Parameters
    ----------
    check : callable
        Takes a text and what it is called; raises `BadInput` unless it is accepted.
    needed : bool
        Whether something has to be given.
    most : int
        Characters of it in a link; a longer text is left out there.
    lines : bool
        Whether it has room for several lines.
    hint : str
        What an empty field shows.
    """

    check: Callable[[str, str], object]
    needed: bool = False
    most: int = FEW
    lines: bool = True
    hint: str = ""

    def read(self, name: str, text: str) -> str:
        """Return the text.

        Examples
        --------
        >>> Typed(times_in).read("done", "12,13"), Typed(times_in, needed=True).read("done", "none")
        ('12 13', '')
        >>> Typed(times_in).read("done", "12 x")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: done: 'x' is not accepted; give numbers such as 12, 1.5 min or 1:30
        """
        if text == TOO_LONG:
            raise BadInput(f"{name}: the list was too long for a link; give it again")
        if self.needed and text == NONE:
            return ""
        if not words_in(text):
            if self.needed or text:
                raise BadInput(f"{name}: {quoted(text)} is not accepted; give a list, or {NONE}")
            return ""
        self.check(text, name)
        return " ".join(words_in(text))

    def write(self, value: str) -> str:
        """Return the text as a link has it.

        Examples
        --------
        >>> Typed(times_in).write("12, 13"), Typed(times_in).write("12 " * 900)
        ('12 13', 'too-long')
        """
        tidy = " ".join(words_in(value))
        if self.is_too_long(value):
            return TOO_LONG
        return tidy or (NONE if self.needed else "")

    def is_too_long(self, value: str) -> bool:
        """Whether a link leaves the text out."""
        return len(quote_plus(" ".join(words_in(value)))) > self.most

    def show(self, value: str) -> str:
        """Return the text, shortened."""
        return clipped(value) or "none"

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw a field to type or paste into."""
        if self.lines:
            return st.text_area(label, key=key, height=68, placeholder=self.hint, **options)
        return st.text_input(label, key=key, placeholder=self.hint, **options)


@dataclass(frozen=True, slots=True)
class Place(Range):
    """Which of the stages of a log, by its place."""

    def draw(self, label: str, *, key: str, offered: Sequence[str] = (), **options: Any) -> Any:
        """Draw a menu of the stages that are offered; the number alone where none is."""
        if not offered:
            return Range.draw(self, label, key=key, **options)
        places = range(1, len(offered) + 1)
        return st.selectbox(label, places, format_func=lambda at: offered[at - 1], key=key, **options)


#: What to start from: durations, ages, and what else is known.
LATE = {"done": "12 14 11 13 12.5 13.2 15 12.1 14.4", "running": "40"}
STARTS = {
    "late": Start("Nine are done, one is late", LATE),
    "heavy": Start(
        "A heavy tail",
        {
            "done": "83 34 51 29 20 27 32 22 21 41 44 46 24 95 56 84 29 21 27 30 91 21 22 37 26 33 47 21 "
            "71 20 93 39 25 33 51 29 27 43 57 26",
            "running": "2:30 1:45",
        },
    ),
    "size": Start(
        "As slow as its size",
        {
            "done": "40 54 57 96 102 71 75 85 97 75 94 65 82 75",
            "running": "3:20",
            "sizes": "80 103 121 191 187 138 135 160 183 120 175 128 151 168",
            "running_sizes": "460",
            "unit": "records",
        },
    ),
    "host": Start(
        "A slow host",
        {
            "done": "29 34 33 38 30 24 40 35 26 37 30 23 28 28 64 57 71 60 59",
            "running": "1:50",
            "hosts": "node1 node2 " * 7 + "node3 " * 4 + "node3",
            "running_hosts": "node3",
        },
    ),
    "few": Start("Too few are done", {"done": "12 14 11", "running": "40"}),
    "many": Start(
        "Many still run",
        {
            "done": "30 66 41 61 61 30 55 55 84 40 78 41 53 45 100 73 141 75 81 81 49 59 96 52 64 60 74 53 "
            "57 65 62 44 82 38 39 38 84 53 43 40 70 41 38 74 39 54 60 51 59 96 50 39 32 56 53 66 "
            "51 51 47 50",
            "running": "20 25 28 40 41 57 62 65 68 97 190 240",
        },
    ),
}
SIBLINGS = (
    Control(
        "done",
        "Durations of the tasks that are done",
        Typed(times_in, needed=True, most=MANY, hint="12 13.5 1:30 2 min"),
        LATE["done"],
        "Of the same stage, in seconds or with a unit, apart by spaces, commas or lines.",
    ),
    Control(
        "running",
        "Ages of those still running",
        Typed(times_in, needed=True, hint="95 or 1:35"),
        LATE["running"],
        "How long each has run until now.",
    ),
)
MORE = (
    Control(
        "sizes",
        "Sizes of the tasks that are done",
        Typed(sizes_in),
        "",
        "Bytes, records or tokens that each has read, in the order of the durations.",
    ),
    Control(
        "running_sizes",
        "Sizes of those still running",
        Typed(sizes_in),
        "",
        "In the order of the ages; what a task has read so far will do.",
    ),
    Control(
        "unit",
        "Sizes are in",
        OneOf({"bytes": "bytes", "records": "records", "tokens": "tokens"}),
        "bytes",
    ),
    Control(
        "hosts",
        "Hosts of the tasks that are done",
        Typed(hosts_in),
        "",
        "In the order of the durations.",
    ),
    Control(
        "running_hosts", "Hosts of those still running", Typed(hosts_in), "", "In the order of the ages."
    ),
)
OPTIONS = (
    Control(
        "deadline",
        "Deadline from now",
        Typed(time_in, lines=False, hint="none: three times are shown"),
        "",
        "Such as 90, 15 min or 1:30. Without one, three times are chosen that suit the tasks done.",
    ),
    Control(
        "start",
        "Start-up time of a copy",
        Typed(time_in, lines=False, hint="0 s"),
        "",
        "From the decision until the copy does work: scheduling, pulling an image, loading a model.",
    ),
    Control(
        "free",
        "Slots",
        OneOf(dict(zip(PRICES, ("are idle", "are waited for"), strict=True)), "segmented_control"),
        "idle",
        f"A second of a slot counts as {PRICES['idle']:g} s of the task's end if slots are idle, and as "
        f"{PRICES['queue']:g} s if other tasks wait for them.",
    ),
)
STAGE = Control(
    "stage", "Stage with running tasks", Place(1, 1000, 1), 1, "The one with the oldest task comes first."
)
PANEL = Panel(
    PAGE,
    (start_control("example", STARTS, "late"), *SIBLINGS, *MORE, *OPTIONS, STAGE, CONTROL),
    STARTS,
    stays=("deadline", "start", "free", "stage", CONTROL.name),
)
