"""What to notice in a history."""

from __future__ import annotations

from collections.abc import Iterator

from pages.diagnose.charts.pairs import about_kept
from pages.logs.words.names import title_of
from pages.logs.words.units import spell
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import counted, listed, number, percent
from sim.traces.diagnosis import CAUSES, Diagnosis
from sim.traces.diagnosis.sentence import tells_luck
from sim.traces.diagnosis.shares import PARTS


def notices(found: Diagnosis) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    return [*_worst(found), *_shares(found), *_alone(found), *_law(found), *_copies(found)]


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


#: Share of the lost time below which a cause is said to cost nothing; and by how much the share of luck in
#: how unequal tasks are may differ from that in the lost time before it is said.
LEAST, APART = 0.005, 0.3


def _shares(found: Diagnosis) -> Iterator[str]:
    """Say what a copy cannot mend, and what the log cannot tell."""
    shares = found.shares
    if shares.luck is None:
        yield "No stage has two finished tasks, so nothing can be said of ratios, tail and shares."
        return
    parts = [
        f"{percent(share.value)} comes from {CAUSES[name].phrase}"
        for name in PARTS
        if (share := getattr(shares, name)) is not None
    ]
    if parts:
        yield (
            f"Of how unequal the tasks of a stage are, {percent(shares.luck.value)} is luck, which a second "
            f"copy draws anew; {listed(parts)}, which it does not mend.{_apart(found)}"
        )
    else:
        yield "This log cannot tell luck from unequal work, unequal hosts and first waves."
    if found.lost.seconds > 0 and tells_luck(found.causes):
        named = sorted(found.causes.items(), key=lambda one: -one[1].seconds)
        named = [one for one in named if one[1].seconds > LEAST * found.lost.seconds] or named
        hours = [
            f"{spell(max(cause.seconds, 0.0))} less without {CAUSES[name].phrase} "
            f"(95 %: {spell(max(cause.low, 0.0))} to {spell(max(cause.high, 0.0))})"
            for name, cause in named
        ]
        without = [CAUSES[name].phrase for name in found.causes if name not in dict(named)]
        nothing = f" Without {listed(without)} they would have taken about as long." if without else ""
        yield f"Replayed without one cause at a time, jobs would have taken {listed(hours)}.{nothing}"
    if found.hidden.signs:
        yield (
            f"That some slow tasks are slow by themselves, by work that the log does not count, has a "
            f"probability of {percent(found.hidden.probability)} ({'; '.join(found.hidden.signs)})."
        )


def _alone(found: Diagnosis) -> Iterator[str]:
    """Say of stages of one task that they have no peers, and what they took beyond their other runs."""
    one = found.alone
    if not one.stages:
        return
    said = (
        f"{counted(one.stages, 'stage')} had one task, which has no others to be compared with; "
        f"{'they' if one.stages > 1 else 'it'} took {spell(one.seconds)}."
    )
    if one.lost is None:
        recur = "They recur" if one.stages > 1 else "It recurs"
        yield f"{said} {recur} too seldom in jobs of the same name to be compared with other runs."
        return
    low, high = spell(max(one.lost.low, 0.0)), spell(max(one.lost.high, 0.0))
    yield (
        f"{said} {one.compared:,} of them recur in jobs of the same name: had each taken as long as is usual "
        f"for what it reads, jobs would have taken {spell(max(one.lost.seconds, 0.0))} less (95 %: {low} to "
        f"{high})."
    )


def _apart(found: Diagnosis) -> str:
    """Say that these are no shares of lost time, where that is misread most easily."""
    luck, lost = found.causes.get("luck"), found.lost.seconds
    if luck is None or found.shares.luck is None or not lost > 0 or not tells_luck(found.causes):
        return ""
    share = min(max(luck.seconds / lost, 0.0), 1.0)
    if abs(share - found.shares.luck.value) < APART:
        return ""
    return (
        " That counts short tasks as much as long ones; of the time that jobs lost, luck is "
        f"{percent(share)}."
    )


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
