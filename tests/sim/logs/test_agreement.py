"""What holds for every log: what changes nothing in a cluster changes nothing in what is said of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sim.advice.diagnosis import Diagnosis, diagnose
from sim.logs.history import FINISHED, SCHEMAS, History
from tests.depth import some
from tests.sim.logs.poorer import with_columns
from tests.sim.logs.told import EVERY, history

_FEW = ("skew by output", "slow hosts")
_USUAL = some(EVERY, *(EVERY.index(name) for name in _FEW))
#: What two ways to one number may differ by, as a share of the recorded time.
_NEAR = 0.01
_TIMES = {"jobs": ["submit", "end"], "stages": ["submit", "end"], "copies": ["launch", "began", "end"]}
_SECONDS = ("gc", "fetch_wait", "start")


@cache
def found(name: str) -> Diagnosis:
    return diagnose(history(name))


def moved(one: History, seconds: float = 0.0, times: float = 1.0) -> History:
    """Return a history on another clock."""
    for table, columns in (_TIMES | {"slots": ["time"]}).items():
        frame = one.frame(table)
        one = with_columns(one, table, **{name: seconds + times * frame[name].to_numpy() for name in columns})
    copies = one.frame("copies")
    return with_columns(one, "copies", **{name: times * copies[name].to_numpy() for name in _SECONDS})


def renamed(one: History, text: str) -> History:
    """Return a history in which all that has a name has another."""
    for table, columns in (("jobs", ["job", "name"]), ("stages", ["stage", "name"]), ("hosts", ["host"])):
        frame = one.frame(table)
        new = {name: [value and f"{text}{value}" for value in frame[name]] for name in columns}
        one = with_columns(one, table, **new)
    for name in ("host", "slot"):
        values = [value and f"{text}{value}" for value in one.frame("copies")[name].astype(str)]
        column = pa.array(values).dictionary_encode()
        place = one.copies.schema.get_field_index(name)
        one = replace(one, copies=one.copies.set_column(place, name, column))
    return one


def both(one: History, other: History) -> History:
    """Return two histories, neither of which has what the other has, as one."""
    other = with_columns(
        other,
        "stages",
        job=[job + one.jobs.num_rows if job >= 0 else -1 for job in other.stages["job"].to_pylist()],
        parents=[
            [row + one.stages.num_rows for row in parents] for parents in other.stages["parents"].to_pylist()
        ],
    )
    stage = np.asarray(other.copies["stage"]) + one.stages.num_rows
    other = with_columns(other, "copies", stage=stage)
    tables = {
        name: pa.Table.from_pandas(
            pd.concat([one.frame(name), other.frame(name)], ignore_index=True).astype(
                {"fate": "category"} if name in ("jobs", "copies") else {}
            ),
            SCHEMAS[name],
            preserve_index=False,
        )
        for name in SCHEMAS
    }
    return replace(one, **tables)


def near(mine: Diagnosis, theirs: Diagnosis, times: float = 1.0) -> None:
    """Check that two diagnoses say the same, but for a factor of all seconds."""
    recorded = float(theirs.account.jobs["recorded"].sum())
    less = _NEAR * recorded
    assert mine.lost.seconds / times == pytest.approx(theirs.lost.seconds, abs=less)
    for state, seconds in theirs.account.states.items():
        assert mine.account.states[state] / times == pytest.approx(seconds, abs=less)
    assert mine.causes.keys() == theirs.causes.keys()
    for cause, one in theirs.causes.items():
        assert abs(mine.causes[cause].seconds / times - one.seconds) <= (one.high - one.low) / 2 + less, cause
    sure = [one.key for one in theirs.findings if one.low > less]
    assert not sure or mine.findings[0].key == theirs.findings[0].key


@pytest.mark.parametrize("name", _USUAL)
def test_names_change_nothing(name):
    near(diagnose(renamed(history(name), "new ")), found(name))


@pytest.mark.parametrize("name", _USUAL)
def test_seconds_scale_with_the_clock(name):
    near(diagnose(moved(history(name), times=5)), found(name), 5)


@pytest.mark.parametrize("name", _USUAL)
def test_nothing_is_as_little_as_a_byte(name):
    """The tasks of each stage that read and write least read and write nothing, or one byte."""
    copies = history(name).frame("copies")
    told = []
    for least in (0.0, 1.0):
        columns = {}
        for column in ("bytes", "written"):
            few = copies[column] <= copies.groupby("stage")[column].transform(lambda one: one.quantile(0.2))
            columns[column] = copies[column].mask(few, least).to_numpy()
        told.append(diagnose(with_columns(history(name), "copies", **columns)))
    near(*told)


def _known(**reasons: str) -> list[object]:
    """Return all sources, those that are known to fail with why."""
    usual = dict(zip(EVERY, _USUAL, strict=True))
    return [
        pytest.param(name, marks=[pytest.mark.slow, pytest.mark.xfail(strict=True, reason=reasons[name])])
        if name in reasons
        else usual[name]
        for name in EVERY
    ]


_LOOP = "a loop is looked for in all jobs of a log together: those that wait for none are taken into it"
_COLD = "one effect of cold slots is fitted to both logs, of which one has none"


@pytest.mark.parametrize("name", _known(luck=_LOOP, cold=_COLD))
def test_two_logs_read_together_give_the_sum(name):
    """Of a log and another after it, on other hosts, with what has other names."""
    one, after = history(name), history("slow hosts")
    other = renamed(moved(after, one.limits[1] + 60.0 - after.limits[0]), "other ")
    mine, theirs, together = found(name), diagnose(other), diagnose(both(one, other))
    recorded = sum(float(part.account.jobs["recorded"].sum()) for part in (mine, theirs))
    assert float(together.account.jobs["recorded"].sum()) == pytest.approx(recorded)
    less = _NEAR * recorded
    for state, seconds in together.account.states.items():
        parts = (part.account.states.get(state, 0.0) for part in (mine, theirs))
        assert seconds == pytest.approx(sum(parts), abs=less), state
    assert together.lost.seconds == pytest.approx(mine.lost.seconds + theirs.lost.seconds, abs=less)
    for cause in mine.causes.keys() & theirs.causes.keys():
        parts, whole = (mine.causes[cause], theirs.causes[cause]), together.causes[cause]
        assert whole.high + less >= sum(part.low for part in parts), cause
        assert whole.low - less <= sum(part.high for part in parts), cause


def warmed(one: History, tasks: int = 1000) -> History:
    """Return a history before which a job of short tasks ran on all its slots, equally fast on each."""
    random, copies = np.random.default_rng(5), one.frame("copies")
    slots = copies[["host", "slot"]].astype(str).drop_duplicates().to_numpy()
    begin = one.limits[0] - 1000.0
    turn, place = np.divmod(np.arange(tasks), len(slots))
    launch = begin + 0.6 * turn
    end = launch + 0.4 * np.exp(random.normal(0, 0.05, tasks))
    new = pd.DataFrame(
        {name: np.nan for name in copies.columns if copies[name].dtype == float} | {"stage": np.zeros(tasks)}
    )
    new = new.assign(
        stage=one.stages.num_rows, task=np.arange(tasks), copy=0, launch=launch, began=launch, end=end
    )
    new = new.assign(fate=FINISHED, complete=True, speculative=False, locality="")
    new["host"], new["slot"] = slots[place].T
    job = {"job": "warm", "name": "warm-up", "group": "", "pool": "", "submit": begin, "end": end.max()}
    stage = {"stage": "warm", "job": one.jobs.num_rows, "name": "warm", "parents": [], "tasks": tasks}
    stage |= {"submit": begin, "end": end.max(), "writes": "", "reads": ""}
    rows = {"jobs": [job | {"fate": FINISHED}], "stages": [stage], "copies": new}
    tables = {}
    for name, more in rows.items():
        frame = one.frame(name)
        frame = frame.astype(
            {name: str for name in frame if isinstance(frame[name].dtype, pd.CategoricalDtype)}
        )
        frame = pd.concat([frame, pd.DataFrame(more)], ignore_index=True)
        tables[name] = pa.Table.from_pandas(frame, SCHEMAS[name], preserve_index=False)
    slots_before = one.frame("slots")
    slots_before.loc[0, "time"] = begin - 1.0
    told = pa.Table.from_pandas(slots_before, SCHEMAS["slots"], preserve_index=False)
    return replace(one, **tables, slots=told)


@pytest.mark.parametrize("name", _known(luck=_LOOP))
def test_a_warm_up_of_a_thousand_short_tasks_changes_no_host(name):
    mine, theirs = diagnose(warmed(history(name))), found(name)
    factors = mine.shares.hosts.set_index("host")["factor"]
    for one in theirs.shares.hosts.itertuples():
        assert one.low - 0.02 <= factors[one.host] <= one.high + 0.02, one.host
    of_jobs, others = (one.lost.jobs.set_index("job")["lost"] for one in (mine, theirs))
    less = _NEAR * float(theirs.account.jobs["recorded"].sum())
    assert of_jobs.drop("warm").sum() == pytest.approx(others.sum(), abs=less)
