"""Controls of the Diagnose page: which of the logs that are offered is shown; files are the session's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.diagnose.question import DEFAULT, SAMPLES, names
from pages.diagnose.words.names import brief
from pages.shared.controls import needed
from pages.shared.controls.control import Control
from pages.shared.controls.links import key
from pages.shared.controls.panel import Panel
from sim.fields import BadInput
from theory.shown import quoted

PAGE = "diagnose"
#: Key of the uploader.
FILES = key(PAGE, "files")


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

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw the menu; a history that is gone stays in it while it is chosen."""
        known = names()
        now = st.session_state[key]
        listed = [*known, *([now] if now not in known else [])]
        return st.selectbox(
            label, listed, format_func=lambda name: brief(known.get(name, name), 80), key=key, **options
        )


LOG = Control("log", "Or look at", OfferedLog(), DEFAULT, "Logs of our own, with known truth.")
PANEL = Panel(PAGE, [LOG, needed.CONTROL])


def draw_files() -> None:
    """Draw where files can be dropped."""
    st.file_uploader(
        "Drop the log your cluster writes",
        accept_multiple_files=True,
        key=FILES,
        on_change=needed.forget_removed,
        args=(PAGE, FILES),
        help="A Spark event log (several files, a zip, zstd, gzip), a MapReduce job history, sacct -P, "
        "ray list tasks, or the CSV template. It stays in this session and is gone when you leave.",
    )
