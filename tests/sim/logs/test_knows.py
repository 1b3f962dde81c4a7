"""Each format declares what it tells, and no history of it says otherwise."""

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.sentence import no_copies
from sim.logs.formats import FORMATS, knows_of, read_history, table
from sim.logs.history import FINISHED, History
from sim.logs.knows import ALONE, FIRST, NO, SOME, YES, Knows
from sim.logs.samples import nightly, slurm, spark
from sim.logs.source import Upload
from tests.depth import each
from tests.sim.logs.damaged import PLAIN
from tests.sim.logs.known import known
from tests.sim.logs.logs import ended, lines, small
from tests.sim.logs.test_formats import rumen
from tests.sim.logs.test_tez import COUNTERS, counters, in_a_row


def reduced(job: dict) -> dict:
    """Return a job of Rumen whose first map is a reduce, too, that had to wait for its input."""
    attempt = dict(job["mapTasks"][0]["attempts"][0])
    attempt["sortFinished"] = attempt["startTime"] + 100
    return job | {"reduceTasks": [{"taskID": "r0", "attempts": [attempt]}]}


def waiting(entities: list[dict]) -> Iterator[dict]:
    """Yield entities of Tez, whose attempts have waited for a shuffle."""
    waits = counters(**{f"{COUNTERS}TaskCounter": {"SHUFFLE_PHASE_TIME": 1}})
    for one in entities:
        told = one["otherinfo"]
        yield one | {"otherinfo": told | {"counters": waits}} if "ATTEMPT" in one["entitytype"] else one


#: Files that tell what is in none of the others.
FULLER = {
    "table with starts of work": b"job_id,task_id,start_s,began_s,end_s\na,0,0,2,9\n",
    "tasks of Alibaba": b"M1,2,j_7,1,Terminated,86400,86460,100.0,0.3\n",
    "rumen with a reduce": json.dumps(reduced(rumen())).encode(),
    "spark with metrics": lines(
        [*small()[:-1], ended(99, 0, 0, 900, metrics={"Executor Deserialize Time": 20})]
    ),
    "tez with waits": json.dumps(list(waiting(in_a_row(known(jobs=1, stages=2, tasks=3))))).encode(),
}
SAMPLES = {
    **{f"spark {one}": lambda one=one: read_history(spark(speculation=one)) for one in (False, True)},
    "slurm sample": lambda: read_history(slurm(arrays=2)),
    "nightly": lambda: read_history(nightly(1, arrays=2)),
    **{name: lambda data=data: read_history(Upload("one", data)) for name, data in (PLAIN | FULLER).items()},
}


def told(history: History) -> dict[str, np.ndarray]:
    """Say of each row for which a format declares something whether its log has told it."""
    copies, stages = history.frame("copies"), history.frame("stages")
    done = copies[copies["fate"].eq(FINISHED)]
    sizes = {
        "read": [name for name in ("bytes", "records") if name in done],
        "written": [name for name in ("written", "records_written") if name in done],
    }
    found = {name: done[columns].notna().any(axis=1).to_numpy() for name, columns in sizes.items()}
    found["hosts"] = copies["host"].astype(str).ne("").to_numpy()
    found["slots"] = np.array([history.slots_from == "log"])
    found["submission"] = stages["submit"].notna().to_numpy()
    found["start"] = (copies["began"] > copies["launch"]).to_numpy() | copies["start"].notna().to_numpy()
    found["launch"] = copies["launch"].notna().to_numpy()
    found["order"] = stages["parents"].str.len().gt(0).to_numpy() & (history.order_from == "log")
    found["copies"] = copies["speculative"].to_numpy(bool)
    return found


def contradictions(history: History, knows: Knows) -> Iterator[str]:
    """Yield the fields of a declaration that a history contradicts."""
    for name, rows in told(history).items():
        declared = getattr(knows, name)
        if name == "launch":  # a reader makes up what is not recorded
            continue
        if declared in (NO, ALONE) and rows.any():
            yield name
        if declared in (YES, FIRST) and name not in ("copies", "order", "start") and not rows.all():
            yield name
    if knows.order == ALONE and history.frame("stages").groupby("job").size().gt(1).any():
        yield "order"


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.KEY)
def test_every_format_declares_what_it_knows(one):
    assert isinstance(one.KNOWS, Knows)
    assert knows_of(one.KEY) is one.KNOWS
    assert (one.KNOWS.copies == YES) == bool(one.KNOWS.how)  # what turns them on


@pytest.mark.parametrize("name", SAMPLES)
def test_no_history_contradicts_what_its_format_declares(name):
    history = SAMPLES[name]()
    assert list(contradictions(history, knows_of(history.format))) == []


def test_every_format_has_a_sample_and_what_is_declared_in_part_is_met_in_one():
    histories = [make() for make in SAMPLES.values()]
    assert {one.format for one in histories} == {one.KEY for one in FORMATS}
    met = {(one.format, name) for one in histories for name, rows in told(one).items() if rows.any()}
    declared = {
        (one.KEY, name)
        for one in FORMATS
        for name in ("read", "hosts", "slots", "submission", "start", "order")
        if getattr(one.KNOWS, name) in (YES, SOME, FIRST)
    }
    assert declared - met == set()


@pytest.mark.parametrize("name", ["spark True", "ray", "table", "wfformat", "kubernetes"])
@pytest.mark.parametrize("field", ["read", "hosts", "submission", "order", "copies"])
def test_a_wrong_declaration_would_be_noticed(name, field):
    history = SAMPLES[name]()
    knows, rows = knows_of(history.format), told(history)[field]
    wrong = NO if rows.any() else YES
    noticed = field in set(contradictions(history, replace(knows, **{field: wrong})))
    assert noticed or (field in ("copies", "order") and wrong == YES)  # a system may, and here none did


@each("one", FORMATS)
@each("name", ["order", "read", "hosts", "slots"])
def test_what_a_log_lacks_is_said_by_what_its_format_declares(one, name):
    """Of a format that never tells it nothing is asked."""
    told, declared = one.KNOWS.untold(name), getattr(one.KNOWS, name)
    assert told.startswith(one.KNOWS.system if declared in (NO, ALONE) else "this log does not tell")
    assert told.endswith(one.KNOWS.give.get(name, told))
    assert all(getattr(one.KNOWS, field) == SOME for field in one.KNOWS.give)


def test_hedges_name_the_system_or_what_to_give():
    ray, plain = SAMPLES["ray"](), SAMPLES["table"]()
    assert diagnose(ray).untold["idle"] == "Ray does not record how many slots there were"
    assert diagnose(replace(plain, slots_from="copies")).untold["idle"].endswith("give records of slots")


def test_a_declaration_of_another_word_is_refused():
    with pytest.raises(ValueError, match="Slurm: read is 'often', not of"):
        replace(knows_of("slurm"), read="often")
    with pytest.raises(ValueError, match="Slurm: read is 'one stage', not of"):
        replace(knows_of("slurm"), read=ALONE)


def test_second_copies_are_not_promised_where_the_system_never_runs_any():
    never = {one.KEY for one in FORMATS if one.KNOWS.no_copies}
    assert never >= {"slurm", "ray", "pbs", "sge", "lsf", "nextflow", "dask", "kubernetes", "wfformat"}
    assert not never & {"spark", "jhist", "rumen", "tez", "flink", "alibaba2018", "table"}
    for name in ("dask", "kubernetes", "wfformat"):
        assert no_copies(SAMPLES[name]()).endswith("never runs a second copy of a task")


def test_what_is_said_to_be_of_no_known_format_tells_what_a_table_tells():
    assert knows_of("of tomorrow") is table.KNOWS
