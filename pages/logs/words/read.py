"""Sentences about a log that was read: its contents, what was odd, what was left out."""

from __future__ import annotations

from typing import Protocol

from pages.logs.question import Log
from pages.logs.words.names import brief
from pages.logs.words.units import spell
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import counted, listed
from sim.traces.diagnosis.counts import Counts
from sim.traces.formats import title_of_format
from sim.traces.history import History

#: Notes of a log shown at first sight.
FIRST_NOTES = 4
#: Where the number of slots comes from.
FROM = {"log": "as the log tells", "copies": "the most copies that ran together: the log names no slots"}


class Read(Protocol):
    """What was made of a log."""

    @property
    def history(self) -> History:
        """What it recorded."""

    @property
    def counts(self) -> Counts:
        """How much of what."""


def whose(log: Log) -> str:
    """Say that a log is a sample, before the summary of its contents; empty for a real history."""
    return "**A sample** · " if log.kind == "sample" else ""


def briefly_read(found: Read) -> str:
    """Say in a line how much the log holds."""
    counts, history = found.counts, found.history
    files = f"{literal(brief(history.files[0]))} · " if len(history.files) == 1 else ""
    return (
        f"{title_of_format(history.format)} · {files}{counted(counts.jobs, 'job')}, "
        f"{counted(counts.tasks, 'task')} · {counted(counts.hosts, 'host')}, at most "
        f"{counted(counts.slots, 'slot')} · {spell(history.span)}"
    )


def what_was_read(found: Read) -> str:
    """Say how much of what the log holds, and where that is from."""
    counts, history = found.counts, found.history
    fates = [f"{number:,} {fate}" for fate, number in (
        ("finished", counts.finished), ("killed", counts.killed), ("failed", counts.failed),
        ("unfinished", counts.unfinished),
    ) if number]  # fmt: skip
    files = listed([literal(brief(name)) for name in history.files[:3]])
    more = f" and {len(history.files) - 3:,} more" if len(history.files) > 3 else ""
    copies = f"{counted(counts.copies, 'copy', 'copies')} ({', '.join(fates)})" if fates else "no copies"
    return (
        f"{title_of_format(history.format)} · {files}{more} · {counted(counts.jobs, 'job')}, "
        f"{counted(counts.stages, 'stage')}, {counted(counts.tasks, 'task')}, {copies}, of which "
        f"{counts.speculative:,} speculative · {counted(counts.hosts, 'host')}, at most "
        f"{counted(counts.slots, 'slot')} ({FROM[history.slots_from]}) · {spell(history.span)} from first to "
        "last"
    )


def odd(found: Read) -> tuple[str, list[str]]:
    """Return the notes of the log in Markdown: those shown at first sight, and the others."""
    notes = [literal(brief(note, 300)) for note in found.history.notes]
    if not notes:
        return "", []
    shown = "\n".join(f"- {note}" for note in notes[:FIRST_NOTES])
    return f"**What was odd, or left out**\n\n{shown}", notes[FIRST_NOTES:]
