"""A log that knows less says less, and nothing else: histories written as formats that know less.

Samples, and generated worlds whose causes are known, are compared with what is left of them in each format,
and in files in the grammar of some.
"""

from __future__ import annotations

from functools import cache

import pytest

from sim.advice.diagnosis import Diagnosis, diagnose
from sim.advice.diagnosis.account import STATES, Account, account
from sim.advice.diagnosis.findings import LITTLE
from sim.advice.diagnosis.hierarchy import COUNTED
from sim.logs.formats import FORMATS, knows_of
from sim.logs.knows import ALONE, NO
from tests.depth import some
from tests.sim.logs.accounted import RUNNING, WAITING, vaguer
from tests.sim.logs.poorer import RECORDING, SLOWER, WRITERS, asked_alike, key_of, known_by, rewritten
from tests.sim.logs.test_knows import contradictions
from tests.sim.logs.told import EVERY, history

FEW = ("luck", "skew by output", "slow hosts", "failed", "late", "starts")
#: A world whose loss is far larger than what launches alone tell.
_LAUNCHED = ("slow executors and hidden skew", "dask")
#: Where the replay and the account may miss by that share of the recorded time: times are in milliseconds,
#: and which stage waits for which is taken from them.
_MISSED = 0.01
#: Share of the job time from which a finding is not to be lost without a word.
_MUCH = 0.05
#: What a cause looks like to a log that does not tell it: it slows what ran there.
_LOOKS_LIKE = {"executor": {"machine"}, "gc": {"machine", "executor"}}
#: How an action begins, or what it says, that asks for what would tell.
_ASKS = ("Tell luck from", "Look at task", "See whether", "does not tell", "cannot tell")


@cache
def richer(name: str, alone: bool, submitted: bool) -> Diagnosis:
    """Return the diagnosis of all that is known of the jobs that a format has."""
    key = next(key for key in RECORDING if _jobs(key) == (alone, submitted))
    return diagnose(asked_alike(history(name), key))


def _jobs(key: str) -> tuple[bool, bool]:
    return knows_of(key).order == ALONE, knows_of(key).submission != NO


@cache
def poorer(name: str, kind: str) -> Diagnosis:
    """Return the diagnosis of the files of a kind."""
    return diagnose(rewritten(history(name), kind))


def pairs(names: tuple[str, ...] = FEW) -> list[object]:
    """Return sources and kinds of files, every other of `names` usual; Nextflow runs nothing again."""
    known = [
        (name, kind) for name in EVERY for kind in WRITERS if (name, kind) != ("lost outputs", "nextflow")
    ]
    usual = {(name, kind) for name, kind in known if name in names and usually(name, kind, names)}
    return some(known, *(known.index(one) for one in usual | {_LAUNCHED}))


def usually(name: str, kind: str, names: tuple[str, ...]) -> bool:
    """Say whether a source is usually written as files of a kind: half of them, each kind as often."""
    return (names.index(name) + [*WRITERS].index(kind)) % 2 == 0


# What is written


@pytest.mark.parametrize("key", RECORDING)
def test_what_a_format_would_have_is_no_more_than_it_declares(key):
    for name in ("spark", "failed"):
        assert {*contradictions(known_by(history(name), key), knows_of(key))} <= {"submission", "slots"}


def test_every_format_is_a_poorer_one_or_makes_up_what_ran():
    assert {*RECORDING} | {one.KEY for one in FORMATS if one.KNOWS.launch == NO} == {
        one.KEY for one in FORMATS
    }
    assert {key_of(kind) for kind in WRITERS} <= {*RECORDING}


def summed(found: Account, scale: float) -> Account:
    """Return an account of all jobs as if they were one."""
    return Account(found.jobs.sum().to_frame().T / scale, found.states, found.left_out)


@pytest.mark.parametrize(("name", "kind"), pairs(("spark", *FEW)))
def test_files_tell_what_their_format_declares(name, kind):
    """Counts and span stay; and no state is told that the declaration does not allow.

    Ray, Dask and Nextflow end a job with its last task: what its driver does then is not told. Files of Dask
    and Nextflow have no names of jobs, so that fewer tasks are peers.
    """
    whole, read, key = history(name), rewritten(history(name), kind), key_of(kind)
    assert read.format == key
    assert read.copies.num_rows == whole.copies.num_rows
    assert sorted(read.stages["tasks"].to_pylist()) == sorted(whole.stages["tasks"].to_pylist())
    alone = knows_of(key).order == ALONE
    assert read.jobs.num_rows == (whole.stages if alone else whole.jobs).num_rows
    driver = account(whole).states.get("between stages", 0.0)
    declared = known_by(whole, key)
    assert read.span / SLOWER.get(key, 1.0) == pytest.approx(declared.span, abs=driver + 0.01)
    mine, theirs = summed(account(read), SLOWER.get(key, 1.0)), summed(account(declared), 1.0)
    vaguer(mine, theirs, parts(key), driver / theirs.jobs["recorded"].sum() + _MISSED)


# The account


def parts(key: str) -> list[tuple[str, ...]]:
    """Return states that are compared: without sizes tasks of a stage are alike, without starts all run."""
    knows = knows_of(key)
    running = ("starting", *RUNNING) if knows.start == NO else RUNNING
    found = [(one,) for one in ("between stages", *WAITING) if not STATES[one].merges] + [WAITING, running]
    told = knows.start != NO and NO not in (knows.read, knows.written)
    return found + ([("starting",), ("running",), ("waiting for the last",)] if told else [])


@pytest.mark.parametrize("key", RECORDING)
@pytest.mark.parametrize("name", some(EVERY, *(EVERY.index(name) for name in ("nightly", *FEW))))
def test_no_state_is_told_that_was_not(name, key):
    less, more = account(known_by(history(name), key)), account(asked_alike(history(name), key))
    for found in (less, more):
        assert found.jobs[list(STATES)].sum(axis=1).to_numpy() == pytest.approx(
            found.jobs["recorded"].to_numpy()
        )
    vaguer(less, more, parts(key), 0.0 if key == "table" else _MISSED)


# Causes


def uncounted(rich: Diagnosis, poor: Diagnosis) -> bool:
    """Say whether the richer log counts what the poorer does not: bytes or records, read or written."""
    mine, theirs = (one.history.copies.select([*COUNTED]).to_pandas().notna().any() for one in (poor, rich))
    return bool((theirs & ~mine).any())


def unseen(rich: Diagnosis, poor: Diagnosis) -> float:
    """Return the seconds of causes that only the richer log tells: in the poorer they are in others."""
    causes = {cause for cause in rich.causes if cause not in poor.causes}
    causes |= {"work"} if uncounted(rich, poor) else set()
    return sum(max(one.high, 0.0) for cause, one in rich.causes.items() if cause in causes)


@pytest.mark.parametrize(("name", "kind"), pairs())
def test_what_a_cause_cost_is_as_in_the_richer_log_or_not_told(name, kind):
    """Causes that the poorer log does not tell may be in what it does tell.

    Where bytes are alike and records are not counted, work is told as nothing: bytes are taken at their word.
    """
    key = key_of(kind)
    rich, poor, scale = richer(name, *_jobs(key)), poorer(name, kind), SLOWER.get(key, 1.0)
    little = 2 * _MISSED * rich.account.jobs["recorded"].sum()
    assert poor.lost.seconds / scale <= rich.lost.seconds + unseen(rich, poor) + 2 * little
    for cause, found in poor.causes.items():
        other = rich.causes.get(cause)
        low, high = (0.0, 0.0) if other is None else (other.low, other.high)
        assert found.low / scale <= max(high, 0.0) + unseen(rich, poor) + little, cause
        alike = cause == "work" and uncounted(rich, poor)
        assert found.high / scale >= low - little or alike, cause


# What to do first


def asks(found: Diagnosis) -> bool:
    """Say whether the answer says that the log does not tell, or what would."""
    first = found.findings[0].action if found.findings else found.first or found.cost
    return any(one in first for one in _ASKS)


@pytest.mark.parametrize(("name", "kind"), pairs())
def test_the_first_action_is_that_of_the_richer_log_or_asks(name, kind):
    rich, poor = richer(name, *_jobs(key_of(kind))), poorer(name, kind)
    likely = [one.key for one in rich.findings[:2]]
    looks = {other for one in likely for other in _LOOKS_LIKE.get(one, ())}
    if poor.findings:
        assert poor.findings[0].key in {*likely, *looks} or asks(poor)
    elif rich.findings and rich.findings[0].share >= _MUCH:
        assert asks(poor) or any(STATES[one].advice in poor.cost for one in ("waiting", "starting"))
    if likely[:1] == ["work"] and not asks(poor):
        assert poor.findings[0].key == "work"


# The answer agrees with itself


@pytest.mark.parametrize(("name", "kind"), pairs())
def test_no_cause_costs_more_than_all_and_what_is_found_is_above_nothing(name, kind):
    found = poorer(name, kind)
    recorded = found.account.jobs["recorded"].sum()
    for one in found.findings:
        assert 0 < one.low <= one.seconds <= min(one.high, recorded)
        assert one.share == pytest.approx(one.seconds / recorded, rel=_MISSED)
    for cause in found.causes.values():
        assert cause.low <= cause.seconds <= cause.high
        assert cause.seconds <= recorded


@pytest.mark.parametrize(("name", "kind"), pairs())
def test_little_is_to_mend_only_where_no_job_waited_for_its_last_tasks_and_nothing_cost_much(name, kind):
    found = poorer(name, kind)
    recorded = found.account.jobs["recorded"].sum()
    if "little to mend" in found.cost or "no time" in found.cost:
        assert found.account.states.get("waiting for the last", 0.0) < LITTLE * recorded
        assert max(one.low for one in found.causes.values()) < LITTLE * recorded
        assert not found.findings
