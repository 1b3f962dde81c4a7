"""A diagnosis as JSON for other programs, as text for a terminal, and as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pandas as pd

from sim.advice.diagnosis import CAUSES, Diagnosis
from sim.advice.diagnosis.account import STATES, is_made_up
from sim.advice.diagnosis.costs import Cause
from sim.advice.diagnosis.shares import PARTS, Share
from sim.telling import document
from sim.telling.document import Head, Part, Table
from sim.telling.words import clipped, compact, counted, fixed, within

# What the parts of the JSON of a diagnosis mean, each in one place: for other programs.

#: Part of the JSON of a diagnosis -> what it says.
MEANINGS = {
    "account": "seconds that jobs spent in each state, which add up to their time from submission to end; a "
    "state without any is left out, and what a log does not tell apart is one state: "
    + "; ".join(f"{key}: {state.meaning}" for key, state in STATES.items()),
    "lost": "time of the jobs minus what it would be with every task at the median of its stage, on the same "
    "slots; in all and job by job",
    "ratios": "slowest task over the median, by stage of ten finished tasks or more; share of copies above "
    "1.5 times the median",
    "tail": "the Pareto tail of luck: its index with a 95 % interval; null where none shows",
    "shares": "of how unequal the tasks of a stage are: luck, machine, work and first wave, each with an "
    "interval; null where it cannot be told",
    "causes": "job time that a replay without one cause saves, in seconds, with a 95 % interval; null where "
    "it cannot be told, and then untold says why",
    "untold": "causes whose cost cannot be told, and why",
    "one_task": "stages of one task, compared over jobs of the same name",
    "hidden": "probability that slow tasks are slow by themselves, for work that no count shows; the pairs "
    "of copies that tell, and what else does",
    "uneven": "where slow copies come together: a host in the stages of one name, or (stage null) launched "
    "from begin to end, in seconds of the history; by how much longer they take than others of their stages, "
    "and the share of luck that such groups explain; null where none shows",
    "slow_times": "when hosts were slow for a time: first and last launch in seconds of the history, the "
    "copies launched, and how much longer they took than at other times; empty where none was",
    "slow_hosts": "how much longer copies take on each host than on the median host, with an interval",
    "findings": "what to do, by the job time that its cause cost, the most first: the cause or state, its "
    "seconds with a 95 % interval, their share of the job time, and the action in a sentence",
    "speculation": "second copies as they ran: how many, how many won, slot time of those that were killed",
}


_WORST = 10


def as_json(found: Diagnosis) -> dict[str, Any]:
    """Return the contract of ``python -m sim trace --json``: numbers are plain, times in seconds."""
    history, spread, tail = found.history, found.spread, found.luck.tail
    jobs = found.lost.jobs[["job", "recorded", "without"]]
    return {
        "format": history.format,
        "files": list(history.files),
        "span": history.span,
        "unit": "s",
        **asdict(found.counts),
        "settings": dict(history.settings),
        "notes": list(history.notes),
        "account": dict(found.account.states),
        "lost": {
            "share": found.lost.share,
            "seconds": found.lost.seconds,
            "makespan": found.lost.makespan,
            "jobs": [
                {"job": str(job), "recorded": float(recorded), "without": float(without)}
                for job, recorded, without in jobs.itertuples(index=False)
            ],
        },
        "ratios": {
            "p50": spread.p50,
            "p90": spread.p90,
            "p99": spread.p99,
            "over_1_5": spread.over_1_5,
            "stages": spread.stages,
        },
        "tail": None
        if tail is None
        else {
            name: getattr(tail, name)
            for name in ("index", "low", "high", "x_min", "n", "censored", "ks", "better")
        },
        "shares": {
            name: None if (share := getattr(found.shares, name)) is None else asdict(share)
            for name in ("luck", "machine", "work", "first_wave")
        },
        "causes": {name: asdict(found.causes[name]) if name in found.causes else None for name in CAUSES},
        "untold": dict(found.untold),
        "one_task": asdict(found.alone),
        "hidden": {
            "probability": found.hidden.probability,
            "pairs": found.hidden.pairs,
            "signs": list(found.hidden.signs),
        },
        "uneven": asdict(found.uneven) if found.uneven else None,
        "slow_times": [asdict(one) | {"factor": factor} for one, factor in found.shares.fit.spells().items()],
        "slow_hosts": [
            {"host": str(host), "copies": int(copies), "factor": factor, "low": low, "high": high}
            for host, copies, factor, low, high in found.shares.hosts.itertuples(index=False)
        ],
        "sentence": found.sentence,
        "findings": [asdict(one) for one in found.findings],
        "speculation": {
            name: getattr(found.speculation, name)
            for name in ("copies", "won", "killed_time", "killed_share")
        },
    }


def sections(found: Diagnosis) -> list[tuple[str, pd.DataFrame]]:
    """Return what is shown below the sentence: titles and small tables of text."""
    history, counts = found.history, found.counts
    read = {
        "format": history.format,
        "files": ", ".join(history.files),
        "span": f"{fixed(history.span, 1)} s",
        "jobs, stages, tasks": f"{counts.jobs:,}, {counts.stages:,}, {counts.tasks:,}",
        "copies": f"{counts.copies:,} ({counts.speculative:,} speculative)",
        "finished, killed": f"{counts.finished:,}, {counts.killed:,}",
        "failed, unfinished": f"{counts.failed:,}, {counts.unfinished:,}",
        "hosts": f"{counts.hosts:,}",
        "slots at most": f"{counts.slots:,} ({_SLOTS_FROM[history.slots_from]})",
    }
    listed = [
        ("What to do", _pairs({one.title: one.action for one in found.findings})),
        ("What was read", _pairs(read)),
    ]
    if history.settings:
        listed.append(("Settings the log names", _pairs(history.settings)))
    listed += [
        ("Where the time of jobs went", _pairs(_account(found))),
        ("Jobs that lost most (s)", _rounded(found.lost.jobs.head(_WORST))),
        ("Stages that lost most (s)", _rounded(found.lost.stages.head(_WORST))),
        ("Slowest task against the median, by stage", _pairs(_spread(found))),
        ("Luck", _pairs(_luck(found))),
        ("Where unequal durations come from", _pairs(_shares(found))),
        ("Job time saved without one cause", _pairs(_causes(found))),
        ("The whole run", _pairs(_makespan(found))),
    ]
    if len(found.shares.hosts):
        listed.append(("Slowest hosts, against the median host", _rounded(found.shares.hosts.head(_WORST))))
    listed.append(("Speculation as it ran", _pairs(_speculation(found))))
    if history.notes:
        listed.append(("Notes", pd.DataFrame({"note": list(history.notes)})))
    return [(title, table) for title, table in listed if len(table)]


_SLOTS_FROM = {"log": "as the log tells", "copies": "the most copies that ran together"}


def _makespan(found: Diagnosis) -> dict[str, str]:
    """Say what a pipeline pays: when its last job ends."""
    if not found.lost.makespan > 0:
        return {}
    saved = found.lost.makespan
    return {
        "ends sooner without stragglers by": f"{fixed(saved, 1)} s of {fixed(found.history.span, 1)} s, "
        f"{compact(saved / found.history.span, 1)}"
    }


def _account(found: Diagnosis) -> dict[str, str]:
    total = sum(found.account.states.values())
    told = {
        STATES[key].title: f"{fixed(seconds, 1)} s ({compact(seconds / total, 1)}): {STATES[key].meaning}"
        for key, seconds in found.account.states.items()
    }
    if told and is_made_up(found.history):
        told["starts"] = "not recorded: these are made up"
    if found.account.left_out:
        told["left out"] = f"{counted(found.account.left_out, 'job')} without both times or tasks"
    return told


def _spread(found: Diagnosis) -> dict[str, str]:
    spread = found.spread
    if spread.p50 is None or spread.over_1_5 is None:
        return {"stages with ten finished tasks": "none"}
    return {
        "stages with ten finished tasks": f"{spread.stages:,}",
        "median, 90 %, 99 % of stages": f"{spread.p50:.2f}, {spread.p90:.2f}, {spread.p99:.2f}",
        "copies above 1.5 times the median": compact(spread.over_1_5, 1),
    }


def _luck(found: Diagnosis) -> dict[str, str]:
    told = {"verdict": found.luck.verdict}
    if (tail := found.luck.tail) is not None:
        told |= {
            "index, 95 % interval": f"{tail.index:.2f}, {tail.low:.2f} to {tail.high:.2f}",
            "copies in the tail": f"{tail.n:,} ({tail.censored:,} killed: counted as longer)",
            "distance of the fit (KS)": f"{tail.ks:.3f}",
            "an alternative that fits better": tail.better or "none",
            "index without killed copies": f"{tail.naive:.2f}",
        }
    return told


def _shares(found: Diagnosis) -> dict[str, str]:
    told = {}
    for name in ("luck", *PARTS):
        share: Share | None = getattr(found.shares, name)
        told[CAUSES[name].title] = (
            f"cannot be told: {found.shares.reasons[name]}"
            if share is None
            else within(share.value, share.low, share.high, compact, "")
        )
    if for_a_time := found.shares.fit.spells():
        told["slow for a time"] = "; ".join(
            f"host {clipped(one.host)}, launched {one.when(found.history.origin)}: {factor:.1f} times as long"
            for one, factor in for_a_time.items()
        )
    if found.uneven:
        told["slow together"] = f"{found.uneven.place}: {found.uneven.factor:.1f} times as long as others"
    return told


def _causes(found: Diagnosis) -> dict[str, str]:
    told = {CAUSES[name].title: _seconds(one) for name, one in found.causes.items()}
    told |= {CAUSES[name].title: f"cannot be told: {reason}" for name, reason in found.untold.items()}
    one = found.alone
    if one.stages:
        told["stages of one task"] = f"{one.stages:,}, whose tasks took {fixed(one.seconds, 1)} s"
    if one.lost is not None:
        told[f"slower than usual in {one.compared:,} of them"] = _seconds(one.lost)
    return told


def _seconds(one: Cause) -> str:
    """Return a time in seconds, as all times of these tables are, with its interval."""
    return f"{fixed(one.seconds, 1)} s ({fixed(one.low, 1)} to {fixed(one.high, 1)})"


def _speculation(found: Diagnosis) -> dict[str, str]:
    one = found.speculation
    if not one.copies:
        return {"second copies": "none"}
    told = {
        "second copies": f"{one.copies:,}, of which {one.won:,} won",
        "slot time of killed copies": f"{fixed(one.killed_time, 1)} s ({compact(one.killed_share, 1)})",
    }
    if one.launched:
        low, middle, high = one.launched
        told["launched after"] = f"{middle:.2f} times the median (80 %: {low:.2f} to {high:.2f})"
    if one.kept:
        told["slowness a copy shares with its original"] = within(*one.kept, compact, "")
    return told


def _pairs(told: Any) -> pd.DataFrame:
    return pd.DataFrame({"what": list(told), "value": [str(value) for value in told.values()]})


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table as text, numbers with two decimals."""
    shown = table.copy()
    for column in shown:
        if pd.api.types.is_float_dtype(shown[column]):
            shown[column] = [f"{value:,.2f}" for value in shown[column]]
    return shown.astype(str)


def parts(found: Diagnosis) -> Iterator[Part]:
    """Yield the diagnosis as it is read: the answer, then the tables behind it."""
    yield Head(found.sentence, 1)
    for title, table in sections(found):
        yield Head(title)
        headed = not set(table.columns) <= {"what", "value", "note"}
        yield Table(table, headed=headed, wraps=not headed)


def as_text(found: Diagnosis) -> str:
    """Return the diagnosis for a terminal."""
    return document.as_text(parts(found))


def as_html(found: Diagnosis) -> str:
    """Return the diagnosis as one HTML file without scripts."""
    return document.as_html(f"Stragglers in {', '.join(found.history.files)}", parts(found))
