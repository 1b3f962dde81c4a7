"""What was read of a log, what to notice in it, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator

from pages.diagnose.charts.pairs import about_kept
from pages.diagnose.charts.slots import FROM
from pages.diagnose.words.names import brief, title_of
from pages.diagnose.words.units import spell
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import counted, listed, number, percent
from sim.traces.diagnosis import Diagnosis
from sim.traces.formats import title_of_format

#: Notes of a log shown at first sight.
FIRST_NOTES = 4


def what_was_read(found: Diagnosis) -> str:
    """Say how much of what the log holds."""
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


def notices(found: Diagnosis) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    return [*_worst(found), *_shares(found), *_law(found), *_copies(found)]


def _worst(found: Diagnosis) -> Iterator[str]:
    """Say how the loss is measured, and name the worst job and stage."""
    lost = found.lost
    if lost.share is None or lost.share <= 0:
        return
    recorded = float(lost.jobs["recorded"].sum())
    job = lost.jobs.iloc[0]
    yield (
        f"{counted(len(lost.jobs), 'job')} took {spell(recorded)} in all, and would have taken "
        f"{spell(recorded - lost.seconds)} with every task at the median of its stage on the same slots. "
        f"{literal(title_of('Job', job['job'], job['name']))} lost most: {spell(job['lost'])} of "
        f"{spell(job['recorded'])}."
    )


def _shares(found: Diagnosis) -> Iterator[str]:
    """Say what a copy cannot mend, and what the log cannot tell."""
    shares = found.shares
    if shares.luck is None:
        yield "No stage has ten finished tasks, so nothing can be said of ratios, tail and shares."
        return
    parts = [
        f"{percent(share.value)} is {meaning}"
        for share, meaning in (
            (shares.machine, "unequal speed of hosts"),
            (shares.work, "unequal work"),
            (shares.first_wave, "slow first waves"),
        )
        if share is not None
    ]
    if parts:
        yield (
            f"Of how unequal the tasks of a stage are, {percent(shares.luck.value)} is luck, which a second "
            f"copy draws anew; {listed(parts)}, which it does not mend."
        )
    else:
        yield "This log cannot tell luck from unequal work, unequal hosts and first waves."


def _law(found: Diagnosis) -> Iterator[str]:
    """Say whether luck has a heavy tail, and what killed copies do to it."""
    tail = found.luck.tail
    killed = ""
    if tail is not None and tail.censored:
        killed = (
            f" {counted(tail.censored, 'copy', 'copies')} in it did not end and would have taken longer; "
            f"without them the index would seem {number(tail.naive)}."
        )
    yield f"{found.luck.verdict}{killed}"


def _copies(found: Diagnosis) -> Iterator[str]:
    """Say what speculation did."""
    one = found.speculation
    if one.copies:
        yield (
            f"{counted(one.copies, 'second copy', 'second copies')} ran and {percent(one.won / one.copies)} "
            f"of them won; killed copies held slots for {spell(one.killed_time)}, "
            f"{percent(one.killed_share)} of the slot-time. {about_kept(one)}"
        )
    elif found.counts.hosts == 1:
        yield "All copies ran on one host, where no scheduler launches second copies."


def odd(found: Diagnosis) -> tuple[str, list[str]]:
    """Return the notes of the log in Markdown: those shown at first sight, and the others."""
    notes = [literal(brief(note, 300)) for note in found.history.notes]
    if not notes:
        return "", []
    shown = "\n".join(f"- {note}" for note in notes[:FIRST_NOTES])
    return f"**What was odd, or left out**\n\n{shown}", notes[FIRST_NOTES:]
