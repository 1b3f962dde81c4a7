"""What the tabs share: one place to drop files, one menu of what else can be looked at, what is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import streamlit as st

from pages.frame import carry_over
from pages.frame.menu import go, link, was_sent
from pages.logs.beforeafter.question import PAIRS
from pages.logs.question import (
    FLEETS,
    SAMPLES,
    Log,
    fleets,
    given,
    in_turn,
    logs_of,
    names,
    offered,
    tabs_for,
)
from pages.shared.app.uploads import attached, digest
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Control
from pages.shared.controls.links import remember
from sim.logs.history import History
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.telling.words import clipped
from theory.quoting import quoted

# The control that leaves out jobs by a part of their group or name.

#: A text by which jobs are left out. A part of their name is enough, so a link needs no other signs.
PART = re.compile(r"\w[\w ,@+=-]{0,59}")


def part_of(name: str) -> str:
    """Return the longest part of a name that a link may have.

    Examples
    --------
    >>> part_of("[nightly] warm up"), part_of("***")
    ('nightly', '')
    """
    return max(PART.findall(name), key=len, default="")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the group or name of jobs, or nothing."""

    def read(self, name: str, text: str) -> str:
        """Return the text; without one nothing is left out.

        Examples
        --------
        >>> LeftOut().read("leave_out", "warmup")
        'warmup'
        >>> LeftOut().read("leave_out", "[x](y)")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: leave_out: '[x](y)' is not accepted; give up to 60 letters, digits ...
        """
        if text and not PART.fullmatch(text):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give up to 60 letters, digits or ,@+=-_")
        return text

    def write(self, value: str) -> str:
        """Return the text."""
        return value

    def show(self, value: str) -> str:
        """Return the text, shortened, or that there is none."""
        return clipped(value) if value else "nothing"

    def draw(self, label: str, *, key: str, offered: Iterable[str] = (), **options: Any) -> str:
        """Draw a menu of the groups and names there are, to which a part of one can be typed."""
        now = st.session_state[key]
        listed = list(dict.fromkeys(["", *map(part_of, offered), now]))
        return part_of(
            st.selectbox(
                label,
                listed,
                key=key,
                accept_new_options=True,
                format_func=lambda text: clipped(text) if text else "nothing",
                **options,
            )
            or ""
        )


LEAVE_OUT = Control(
    "leave_out",
    "Leave out jobs named",
    LeftOut(),
    "",
    "Jobs whose group or name contains this are not counted: warm-up runs, for example.",
)


def groups_of(history: History) -> list[str]:
    """Return the groups, and the names that several jobs share, the most frequent first."""
    jobs = history.frame("jobs")
    names = jobs["name"].value_counts()
    listed = [*jobs["group"].value_counts().index, *names.index[names > 1]]
    return list(dict.fromkeys(text for text in map(str, listed) if 0 < len(text) <= 60))[:50]


#: Key of the place for files, and where a session has what was dropped there when a tab was last chosen for
#: it, which of several logs is looked at, whether they are parts of one, and what was chosen of another tab.
FILES = "logs.files"
SEEN, ONE, PARTS, TO = "logs:seen", "logs:one", "logs:parts", "logs:to"
#: Where it has the log for which What-if has answered, and that answer.
ADVICE = "logs:advice"
#: Name, in a link, of the file of the runs after a change.
SECOND = "file2"
#: Controls of what is offered -> the tab that shows it.
SHOWN_BY = {"log": "diagnose", "runs": "beforeafter", "fleet": "fleet"}


def titles(name: str) -> dict[str, str]:
    """Return what a control offers, and what each is called."""
    pairs = {key: pair.title for key, pair in PAIRS.items()}
    return {"log": names(), "runs": pairs, "fleet": {one: FLEETS[one] for one in fleets()}}[name]


@dataclass(frozen=True, slots=True)
class Offered:
    """Logs, pairs of runs or fleets that are there without a drop; those of other tabs are in the menu."""

    name: str

    @property
    def known(self) -> Mapping[str, str]:
        """Name in a link -> title; of fleets also those that this server does not have."""
        return FLEETS if self.name == "fleet" else titles(self.name)

    def read(self, name: str, text: str) -> str:
        """Return the name if there is such a one.

        Examples
        --------
        >>> Offered("log").read("log", "/etc/passwd")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: log: '/etc/passwd' is not accepted; give one of slurm, spark-copies, spark
        """
        of_fleet = self.name == "log" and text.partition("/")[0] in fleets()
        if text not in self.known and not of_fleet:
            first = SAMPLES if self.name == "log" else self.known
            more = ", or a history that this server offers" if len(self.known) > len(first) else ""
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give one of {', '.join(first)}{more}")
        return text

    def write(self, value: str) -> str:
        """Return the name."""
        return value

    def show(self, value: str) -> str:
        """Return its title."""
        return clipped(self.known.get(value, value), 80)

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw the menu; what is gone stays in it while it is chosen."""
        known, now = self.known, st.session_state[key]
        shown = {one: clipped(known.get(one, one), 80) for one in [*titles(self.name), now]}
        others = {
            f"{other} {name}": clipped(title, 80)
            for other in SHOWN_BY
            if other != self.name
            for name, title in titles(other).items()
        }
        return st.selectbox(
            label,
            [*shown, *others],
            format_func=lambda one: (shown | others).get(one, one),
            key=key,
            on_change=_chosen,
            args=(key, others.keys()),
            **options,
        )


def _chosen(key: str, others: Sequence[str]) -> None:
    """Go to another tab if what has been chosen is shown there; this one stays as it is."""
    page, _, name = key.partition(".")
    if (value := st.session_state[key]) in others:
        st.session_state[TO] = value.split(" ", 1)
        st.session_state[key] = st.session_state[f"{page}:values"][name]


def go_where_chosen() -> None:
    """Open the tab of what has been chosen on another one."""
    if TO in st.session_state:
        name, value = st.session_state.pop(TO)
        open_with(SHOWN_BY[name], name, value)


def open_with(tab: str, name: str, value: str) -> None:
    """Open a tab with something else to look at, and all else as it was there.

    A link would do, too; then the way back from it has its parameters.
    """
    panel = import_module(f"pages.logs.{tab}.controls").PANEL
    left = st.session_state.get(f"{tab}:values", {})
    st.session_state.setdefault(f"{tab}:address", {})
    for control, known in (panel.defaults() | left | {name: value}).items():
        remember(tab, control, known)
    carry_over.chosen(tab, name, value)
    go(tab)


def menu(name: str, default: str) -> Control:
    """Return the control of what is looked at without a drop, with what a tab begins with."""
    return Control(name, "Or look at", Offered(name), default, "Logs of our own, with known truth.")


def draw_files() -> None:
    """Draw where files can be dropped, for all tabs."""
    st.file_uploader(
        "Drop the logs your cluster writes",
        accept_multiple_files=True,
        key=FILES,
        help="A Spark event log (several files, zstd, gzip), a MapReduce job history, sacct -P, ray list "
        "tasks, or a table: the template is under “Which files?”. Drop files, a folder of up to 32, or a zip "
        "of up to 1,000 logs, together 2 GiB. One log is diagnosed, two runs of one application are "
        "compared, and others are a fleet. They stay in this session and are gone when you leave.",
    )
    if has_files():
        file_in_link.warn_of_loss("“Your logs”")


def forget_removed() -> None:
    """Forget the files of links once a visitor has taken all away; a place that was left is not there."""
    if st.session_state.get(FILES) == [] and st.session_state.get(SEEN) and not was_sent():
        for page in ("whatif", *SHOWN_BY.values()):
            remember(page, file_in_link.NAME, "")
        remember("beforeafter", SECOND, "")


def has_files() -> bool:
    """Whether the visitor has dropped files, which may be gone since."""
    try:
        return bool(attached(FILES))
    except BadInput:
        return True


def dropped(needed: str = "") -> list[Upload]:
    """Return the files that were dropped, each with a name of its own.

    Parameters
    ----------
    needed : str, optional
        Text of the file of a link.

    Raises
    ------
    BadInput
        If one is needed and not there.
    """
    counts: dict[str, int] = {}
    found = []
    for file in file_in_link.there(FILES, needed):
        counts[file.name] = number = counts.get(file.name, 0) + 1
        found.append(file if number == 1 else Upload(f"{file.name} ({number})", file.data))
    return found


def open_fitting(here: str, needed: str) -> None:
    """Open the tab that fits what has been dropped, once for each drop, unless a link has chosen one.

    Parameters
    ----------
    here : str
        The tab that is open.
    needed : str
        Text of the file that its link was made with.
    """
    files = attached(FILES)
    before = st.session_state.get(SEEN, set())
    st.session_state[SEEN] = {(file.name, digest(file)) for file in files}
    if not (new := [file for file in files if (file.name, digest(file)) not in before]):
        return
    st.session_state.pop(ONE, None)
    st.session_state.pop(PARTS, None)
    carry_over.forget_shown()
    texts = [file_in_link.text_of([file]) for file in new]
    if file_in_link.is_of_link(here, needed) and any(file_in_link.same(needed, one) for one in texts):
        return
    if here not in (fitting := tabs_for(logs_of(dropped()))):
        go(fitting[0])


def own_logs(needed: str = "") -> list[Log]:
    """Return the logs that were dropped, in order of time; raises `BadInput`."""
    files = dropped(needed)
    return in_turn(logs_of(files)) if files else []


def draw_log(page: str, values: dict[str, Any]) -> tuple[Log, list[Log]]:
    """Return the log to look at, and those that were dropped; of several, draw the choice.

    Parameters
    ----------
    page : str
    values : dict
        Of the controls; the file for links is put there.

    Raises
    ------
    BadInput
        If a file is needed and not there, or a log is not offered.
    """
    logs = own_logs(values[file_in_link.NAME])
    if not logs:
        values[file_in_link.NAME] = file_in_link.note(page, [], values[file_in_link.NAME])
        return offered(values["log"]), []
    log = _one_of(page, logs) if len(logs) > 1 else logs[0]
    values[file_in_link.NAME] = file_in_link.note(page, log.files(), values[file_in_link.NAME])
    return log, logs


def _one_of(page: str, logs: Sequence[Log]) -> Log:
    """Draw the choice of a log, and the way to all of them."""
    left, middle, right = st.columns([5, 4, 2], vertical_alignment="bottom")
    listed = [log.name for log in logs]
    key, parts_key = f"{page}:one", f"{page}:parts"
    if st.session_state.get(key) not in listed:
        before = st.session_state.get(ONE)
        st.session_state[key] = before if before in listed else listed[-1]
    st.session_state.setdefault(parts_key, st.session_state.get(PARTS, False))
    with middle:
        parts = st.toggle("They are parts of one log", key=parts_key)
    with left:
        name = st.selectbox(
            "Log",
            listed,
            format_func=lambda one: clipped(one, 80),
            key=key,
            disabled=parts,
            help="Those that you dropped, in the order in which they began.",
        )
    with right:
        link("fleet", f"All {len(logs):,} logs", icon=":material/arrow_back:")
    st.session_state[ONE], st.session_state[PARTS] = name, parts
    return given(dropped()) if parts else logs[listed.index(name)]
