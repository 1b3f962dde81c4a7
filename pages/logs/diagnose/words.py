"""Texts of the Diagnose page on a history, besides its charts."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pages.logs.diagnose.charts import about_kept
from pages.logs.words import titled
from pages.shared.live.cards import Card
from pages.shared.words.foreign import literal
from sim.advice.diagnosis import Diagnosis
from sim.advice.diagnosis.sentence import mended, no_copies, tells_luck
from sim.advice.diagnosis.shares import PARTS
from sim.telling.words import begun, clipped, counted, number, percent, spell

UNKNOWN = "not known"
#: Causes that have a card.
LARGEST = 3


def cards(found: Diagnosis) -> list[Card]:
    """Return the cards of a diagnosis."""
    return [_lost(found), _mend(found), *_causes(found)]


def _lost(found: Diagnosis) -> Card:
    lost = found.lost
    if lost.share is None:
        return Card("Lost to stragglers", UNKNOWN, "", details=("no job has both its times",))
    recorded = float(lost.jobs["recorded"].sum())
    return Card(
        "Lost to stragglers",
        percent(max(lost.share, 0.0)),
        "",
        details=(f"{spell(max(lost.seconds, 0.0))} of {spell(recorded)} of job time",),
    )


def _mend(found: Diagnosis) -> Card:
    luck, name = found.anew, "A copy could save, at most"
    if luck is None or found.lost.share is None:
        return Card(name, UNKNOWN, "", details=("no stage has two finished tasks",))
    if not found.lost.seconds > 0:
        return Card(name, "nothing", "", details=("no time was lost",))
    if reason := no_copies(found.history):
        return Card(name, "nothing", "", hint=literal(reason))  # the sentence above says it
    if not tells_luck(found.causes):
        return Card(name, UNKNOWN, "", details=("the log tells luck from nothing else",))
    low, high = (spell(max(0.0, min(one, found.lost.seconds))) for one in (luck.low, luck.high))
    interval = f"95 %: {low} to {high}"
    share = mended(found.lost, found.anew, found.hidden)
    return Card(name, f"{percent(share)} of it", "", details=(interval,))


def _causes(found: Diagnosis) -> Iterator[Card]:
    """Return the largest causes: what each cost, and what to do about it."""
    for one in found.findings[:LARGEST]:
        low, high = (spell(max(0.0, end)) for end in (one.low, one.high))
        cost = spell(one.seconds) + (f" ({low} to {high})" if high != low else "")
        yield Card(begun(one.title), percent(one.share), "", details=(cost,), hint=literal(one.action))


def after_the_answer(found: Diagnosis) -> str:
    """Say what stragglers cost, and what to do next; empty where that is the answer itself."""
    if not found.first:
        return ""
    nearest = [one.action for one in found.findings[1:2] if one.acts]
    return literal(" Then: ".join([found.cost, *nearest]))


def notices(found: Diagnosis) -> list[str]:
    """Return what to notice that no chart shows, a sentence or two each, computed from the numbers."""
    return [*_shares(found), *_alone(found), *_law(found), *_copies_told(found)]


def _shares(found: Diagnosis) -> Iterator[str]:
    """Say what the log cannot tell, where slow tasks come together, and how likely hidden work is."""
    shares = found.shares
    if shares.luck is None:
        yield "No stage has two finished tasks, so nothing can be said of ratios, tail and shares."
        return
    if all(getattr(shares, name) is None for name in PARTS):
        yield "This log cannot tell luck from unequal work, unequal hosts and first waves."
    for one, factor in shares.fit.spells().items():
        yield (
            f"Host {literal(clipped(one.host))} was slow for a time: {counted(one.copies, 'copy', 'copies')} "
            f"launched {one.when(found.history.origin)} took {factor:.1f} times as long as at other times."
        )
    if found.uneven:
        yield (
            f"{literal(found.uneven.place)}: tasks took {found.uneven.factor:.1f} times as long as others of "
            f"their stages. Such groups make {percent(found.uneven.share)} of what is called luck: a copy "
            "helps if it runs on another host."
        )
    if found.hidden.signs:
        chance = found.hidden.probability
        word = "unlikely" if chance < 0.2 else "possible" if chance < 0.8 else "likely"
        yield (
            f"Hidden skew, which is work that the log does not count, is {word} here: {percent(chance)} "
            f"({'; '.join(found.hidden.signs)})."
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


def _copies_told(found: Diagnosis) -> Iterator[str]:
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


def jobs(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each job that was replayed, the worst first."""
    table = found.lost.jobs
    return titled(
        table.assign(share=100 * table["lost"] / table["recorded"]),
        "job name group recorded without lost share",
        "job, name, group, recorded (s), without stragglers (s), lost (s), lost (%)",
    )


def stages(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each stage that ran, the worst first; ratios where ten tasks finished."""
    table = found.lost.stages.join(found.spread.table.set_index("stage")[["slowest", "over_1_5"]])
    return titled(
        table.assign(over=100 * table["over_1_5"]),
        "stage job name tasks median slowest over lost",
        "stage, job, name, tasks, median task (s), slowest ÷ median, copies over 1.5 × median (%), lost (s)",
    )


def hosts(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each host that is compared, the slowest first."""
    titles = "host, copies, time against the median host (×), 95 % from, 95 % to"
    return titled(found.shares.hosts, "host copies factor low high", titles)


def pairs(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each second copy and its original, as ratios to the median of the stage."""
    table = found.speculation.pairs
    names = found.history.stages["stage"].to_pandas()
    titles = "stage, task, original ÷ median, copy ÷ median, original ended by itself, copy ended by itself"
    return titled(
        table.assign(stage=names.reindex(table["stage"]).to_numpy()),
        "stage task original copy original_complete copy_complete copy_won",
        f"{titles}, copy won",
    )


def settings(found: Diagnosis) -> pd.DataFrame:
    """Return the settings of scheduling and speculation that the log names."""
    return pd.DataFrame(list(found.history.settings.items()), columns=["setting", "value"], dtype=str)
