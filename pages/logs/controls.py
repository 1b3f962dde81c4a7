"""Controls that choose one of the offered histories, or the visitor's own files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.logs.question import SAMPLES, Log, given, names, offered
from pages.shared.app.uploads import carried, names_set_aside, set_older_aside, take_all
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Control
from pages.shared.controls.links import key
from pages.shared.words.foreign import literal
from sim.fields import BadInput
from sim.telling.words import clipped, listed
from sim.traces.source import Upload
from theory.shown import quoted


@dataclass(frozen=True, slots=True)
class OfferedLog:
    """The samples, and the histories that the owner of the server offers at the moment."""

    def read(self, name: str, text: str) -> str:
        """Return the name if there is such a log.

        Examples
        --------
        >>> OfferedLog().read("log", "/etc/passwd")
        Traceback (most recent call last):
            ...
        sim.fields.BadInput: log: '/etc/passwd' is not accepted; give one of slurm, spark-copies, spark
        """
        if text not in (known := names()):
            more = ", or a history that this server offers" if len(known) > len(SAMPLES) else ""
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give one of {', '.join(SAMPLES)}{more}")
        return text

    def write(self, value: str) -> str:
        """Return the name."""
        return value

    def show(self, value: str) -> str:
        """Return the title of the history."""
        return clipped(names().get(value, value), 80)

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw the menu; a history that is gone stays in it while it is chosen."""
        known = names()
        now = st.session_state[key]
        listed = [*known, *([now] if now not in known else [])]
        return st.selectbox(
            label, listed, format_func=lambda name: clipped(known.get(name, name), 80), key=key, **options
        )


def log_control(default: str) -> Control:
    """Return the control that chooses a log, with the sample that a page begins with."""
    return Control("log", "Or look at", OfferedLog(), default, "Logs of our own, with known truth.")


@dataclass(frozen=True, slots=True)
class Place:
    """Where files can be dropped: its name on the page, its label, and the control that links know it by."""

    name: str = "files"
    label: str = "Drop the log your cluster writes"
    in_link: str = file_in_link.NAME


#: The place of a page that has one.
ONE = Place()


def files_key(page: str, place: Place = ONE) -> str:
    """Key of an uploader of a page."""
    return key(page, place.name)


def draw_files(page: str, place: Place = ONE) -> None:
    """Draw where files can be dropped; files of the other page about histories are here, too."""
    st.file_uploader(
        place.label,
        accept_multiple_files=True,
        key=files_key(page, place),
        on_change=_changed,
        args=(page, place),
        help="A Spark event log (several files, a zip, zstd, gzip), a MapReduce job history, sacct -P, "
        "ray list tasks, or a table: the template is under “Which files?”. Drop the parts of one log "
        "together: what is dropped later takes the place of what was there. What-if learns from Spark logs "
        "one after another under different settings. It stays in this session and is gone when you leave.",
    )
    own = files_key(page, place)
    if has_files(page, place):
        file_in_link.warn_of_reload()
    if aside := names_set_aside(own):
        st.caption(f"Not looked at any more: {_listed(aside)}. What you dropped last took its place.")
        st.button(
            "Look at all of them together",
            icon=":material/join:",
            on_click=take_all,
            args=(own,),
            key=f"{page}:together{_also(place)}",
        )
    if files := carried(own):
        st.button(
            f"Take away {_listed([file.name for file in files])}",
            icon=":material/close:",
            on_click=file_in_link.forget,
            args=(page, own, place.in_link),
            key=f"{page}:carried{_also(place)}",
            help="The file you gave on the page before.",
        )


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - 3} more"] if len(names) > 3 else []
    return listed([*(literal(clipped(name)) for name in names[:3]), *more])


def _also(place: Place) -> str:
    """Return what tells the buttons of a page's second place from those of its first."""
    return "" if place == ONE else f":{place.name}"


def _changed(page: str, place: Place) -> None:
    """See what was dropped or removed."""
    set_older_aside(files_key(page, place))
    file_in_link.forget_removed(page, files_key(page, place), place.in_link)


def has_files(page: str, place: Place = ONE) -> bool:
    """Whether the visitor has given files, here or on the page before."""
    return bool(st.session_state.get(files_key(page, place)) or carried(files_key(page, place)))


def chosen_log(page: str, name: str, wanted: str) -> tuple[Log, Sequence[Upload]]:
    """Return the log to look at: the visitor's files, or the one of this name; raises `BadInput`."""
    files = file_in_link.given(page, files_key(page), wanted)
    return (given(files) if files else offered(name)), files
