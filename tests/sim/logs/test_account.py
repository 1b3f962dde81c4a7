"""The account of each job adds up, and is what a loop over all instants says."""

import math
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.account import FEWEST, STATES, account, usual
from sim.logs.formats import read_history
from sim.logs.history import FAILED, FATES, FINISHED, KILLED
from sim.logs.records import Measured, Records
from sim.logs.samples import nightly, slurm, spark
from sim.logs.source import Upload
from tests.sim.logs.accounted import RUNNING, WAITING, Naive, vaguer
from tests.sim.logs.logs import HOUR, ended, executor, job, job_end, lines, read, stage, start
from tests.sim.logs.truth import generated, pareto
from tests.sim.logs.written import WRITTEN
from tests.strategies import search

NAMES = ("map", "reduce", "")

_TIME = st.integers(0, 40).map(float)
_SIZE = st.sampled_from([math.nan, 0.0, 1.0, 3.0, 1000.0, 1100.0, 5e6])


@st.composite
def _copies(draw, records, stage, task, begin):
    """Launch a task once or several times, one after the other or beside each other."""
    launch = begin + draw(st.integers(0, 6))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        held = draw(st.integers(0, 12))
        end = draw(st.sampled_from([launch + held] * 9 + [math.nan]))
        records.copy(
            stage,
            task,
            launch=launch,
            began=launch + draw(st.integers(0, held)) if held else math.nan,
            end=end,
            fate=draw(st.sampled_from([FINISHED, FINISHED, FAILED, KILLED])),
            measured=Measured(draw(_SIZE), draw(_SIZE)),
        )
        launch += draw(st.integers(0, 14))


@st.composite
def histories(draw, kind="spark", slots=None, submitted=None):
    """Return a small history in which anything may be missing."""
    records = Records(per_second=1)
    for number in range(draw(st.integers(1, 3))):
        row = records.job(number)
        told = records.jobs[row]
        told.name, told.submit = draw(st.sampled_from(["a", "b", ""])), draw(_TIME)
        told.end = draw(st.sampled_from([told.submit + draw(_TIME)] * 5 + [math.nan]))
        told.fate = draw(st.sampled_from(FATES))
        rows = []
        for place in range(draw(st.integers(0, 3))):
            stage = records.stage_row((number, place))
            one = records.stages[stage]
            one.job, one.name = draw(st.sampled_from([row] * 9 + [-1])), draw(st.sampled_from(NAMES))
            one.parents = draw(st.lists(st.sampled_from(rows), unique=True)) if rows else []
            begin = told.submit + draw(_TIME) / 2
            one.submit = begin if submitted or draw(st.booleans()) else math.nan
            one.end = draw(st.sampled_from([math.nan, begin + draw(_TIME)]))
            one.tasks = draw(st.integers(0, 9))
            for task in range(draw(st.sampled_from([0, 1, 2, 7, 8]))):
                draw(_copies(records, stage, task, begin))
            rows.append(stage)
    if slots or (slots is None and draw(st.booleans())):
        records.slot_changes = [
            (draw(_TIME), draw(st.sampled_from([-2, -1, 1, 2, 3, 8]))) for _ in range(draw(st.integers(1, 5)))
        ]
    return records.history(kind, ("drawn",), origin=0.0)


def adds_up(found):
    return (
        np.abs(found.jobs[list(STATES)].sum(axis=1) - found.jobs["recorded"]).max()
        if len(found.jobs)
        else 0.0
    )


# Against a loop over all instants


@pytest.mark.parametrize(("kind", "together"), [("spark", True), ("nextflow", False)])
@given(st.data())
@search(150)
def test_every_instant_is_told_as_by_a_loop_over_all(kind, together, data):
    history = data.draw(histories(kind))
    found, naive = account(history), Naive(history, together)
    for row, told in zip(found.jobs.index, found.jobs[list(STATES)].to_dict("records"), strict=True):
        expected = naive.account(row)
        assert {state: one for state, one in told.items() if one} == pytest.approx(expected), row
    assert adds_up(found) < 1e-9
    assert found.states == pytest.approx(
        {key: found.jobs[key].sum() for key in STATES if found.jobs[key].any()}
    )


# By hand


def one_job(*tasks, slots=2, submit=100, end=9000, other=()):
    """A job of one stage whose tasks are (index, launch, end) in milliseconds; others are another job's."""
    log = [executor("1", 0, cores=slots)] if slots else []
    log += [job(0, [0]), stage(0, len(tasks), submit)]
    log += [ended(key, index, launch, end) for key, (index, launch, end) in enumerate(tasks)]
    log += [stage(0, len(tasks), submit, max(end for _, _, end in tasks)), job_end(0, end)]
    for key, (launch, over) in enumerate(other):
        log += [
            job(1 + key, [1 + key]),
            stage(1 + key, 1, launch),
            ended(50 + key, 0, launch, over, of=1 + key),
        ]
    return account(read(log))


def told(found, row=0):
    seconds = found.jobs.loc[row, list(STATES)]
    return {state: round(one, 6) for state, one in seconds.items() if one}


def test_states_of_one_job_by_hand():
    """Six tasks of 1 s on two slots, the last of which takes 3 s: the driver takes the rest."""
    tasks = [
        (index, 1000 * (1 + index // 2), 1000 * (2 + index // 2) + 2000 * (index == 5)) for index in range(6)
    ]
    assert told(one_job(*tasks)) == {
        "slot idle": 0.9,  # 0.1 to 1 s
        "no executor": 2.0,  # two more wait than there are slots, until the last wave is launched
        "running": 1.0,
        "waiting for the last": 2.0,
        "between stages": 0.1 + 3.0,
    }


def test_tasks_behind_other_jobs():
    found = one_job((0, 3000, 4000), (1, 3000, 4000), slots=2, other=[(0, 3000), (50, 3000)])
    assert told(found)["behind other jobs"] == pytest.approx(2.9)


def test_a_job_alone_with_fewer_slots_than_tasks_lacks_slots():
    found = one_job((0, 100, 4000), (1, 4000, 5000), slots=1)
    assert told(found)["no executor"] == pytest.approx(3.9)


def test_before_the_first_executor_there_is_none():
    log = [job(0, [0]), stage(0, 1, 0), executor("1", 2000), ended(0, 0, 2500, 3000), stage(0, 1, 0, 3000)]
    assert told(account(read([*log, job_end(0, 3000)]))) == {
        "no executor": 2.0,
        "slot idle": 0.5,
        "running or waiting for the last": 0.5,
    }


def test_tasks_of_a_job_that_never_got_a_slot_wait_until_its_end():
    log = [job(0, [0]), stage(0, 4, 1000), job_end(0, 9000, "JobFailed")]
    assert told(account(read(log))) == {"between stages": 1.0, "waiting": 8.0}


def test_a_task_that_failed_waits_until_it_is_launched_again():
    log = [executor("1", 0), job(0, [0]), stage(0, 1, 0), ended(0, 0, 0, 1000, reason="ExceptionFailure")]
    log += [ended(1, 0, 4000, 5000), stage(0, 1, 0, 5000), job_end(0, 5000)]
    assert told(account(read(log))) == {"slot idle": 3.0, "running or waiting for the last": 2.0}


def test_a_second_copy_does_not_make_a_task_run_anew():
    """The original is over its second of usual time at 1 s, also after it is killed."""

    def log(copied):
        events = [executor("1", 0, cores=8), job(0, [0]), stage(0, 6, 0)]
        events += [ended(key, key, 0, 1000) for key in range(5)]
        if copied:
            events += [ended(5, 5, 0, 3000, reason="TaskKilled")]
        events += [ended(6, 5, 2000 if copied else 0, 4000, speculative=copied)]
        return [*events, stage(0, 6, 0, 4000), job_end(0, 4000)]

    for copied in (False, True):
        assert told(account(read(log(copied)))) == {"running": 1.0, "waiting for the last": 3.0}


def test_tasks_that_have_not_begun_their_work_start():
    rows = "record,job_id,stage_id,task_id,start_s,began_s,end_s,submit_s\n"
    rows += "job,a,,,,,10,0\nstage,a,s,,,,10,0\ncopy,a,s,0,0,4,10,\n"
    found = account(read_history(Upload("t.csv", rows.encode())))
    assert told(found) == {"starting": 4.0, "running or waiting for the last": 6.0}


def test_jobs_without_both_times_are_left_out_and_counted():
    assert (account(read([job(0, [0]), stage(0, 1, 0), ended(0, 0, 0, 50)])).left_out) == 1
    rows = b"record,job_id,stage_id,task_id,start_s,end_s,tasks,status,submit_s\n"
    rows += b"job,a,,,,9,,finished,0\nstage,a,s,,,9,3,,0\njob,b,,,,9,,finished,0\ncopy,b,,0,0,9,,,\n"
    found = account(read_history(Upload("t.csv", rows)))
    assert (found.left_out, found.jobs.index.tolist()) == (1, [1])  # of the first no task is shown


def test_a_history_without_jobs_has_an_empty_account():
    found = account(read_history(Upload("t.csv", b"job_id,task_id,start_s,end_s\na,0,,\n")))
    assert (len(found.jobs), dict(found.states), found.left_out) == (0, {}, 1)


def test_jobs_that_are_left_out_hold_their_slots():
    log = [executor("1", 0, cores=1), job(0, [0], **{"spark.jobGroup.id": "warm-up"}), stage(0, 1, 0)]
    log += [ended(0, 0, 0, 3000), stage(0, 1, 0, 3000), job_end(0, 3000)]
    log += [
        job(1, [1]),
        stage(1, 1, 1000),
        ended(1, 0, 3000, 4000, of=1),
        stage(1, 1, 1000, 4000),
        job_end(1, 4000),
    ]
    history = read(log)
    assert told(diagnose(history, leave_out="warm-up").account)["behind other jobs"] == pytest.approx(2)


# What is usual


def naive_usual(stage, kind, name_of, duration, sizes):
    """Do the same task by task, the slope by trying all that go through a task."""
    count = len(stage)
    size, power, best = [1.0] * count, [0.0] * count, [0.0] * count

    def median(values):
        return float(np.median(values)) if values else math.nan

    def log(name, one):
        return math.log(max(sizes[name][one], 1))

    for name in sizes:
        known = [one for one in range(count) if sizes[name][one] == sizes[name][one]]
        middle = {s: median([log(name, one) for one in known if stage[one] == s]) for s in set(stage)}
        timed = [one for one in range(count) if duration[one] > 0]
        usually = {
            s: median([math.log(duration[one]) for one in timed if stage[one] == s]) for s in set(stage)
        }
        for k in set(kind):
            points = [
                (log(name, one) - middle[stage[one]], math.log(duration[one]) - usually[stage[one]])
                for one in timed
                if kind[one] == k and one in known
            ]
            points = [(x, y) for x, y in points if abs(x) > 1e-9]
            tried = sorted((sum(abs(y - s * x) for x, y in points), s) for s in [y / x for x, y in points])
            if not tried:
                continue
            slope = min(max(min(s for cost, s in tried if cost < tried[0][0] + 1e-9), 0), 1)
            gain = sum(abs(y) - abs(y - slope * x) for x, y in points)
            for one in range(count):
                if kind[one] == k and gain > best[one]:
                    best[one], power[one] = gain, slope
                    logs = middle[stage[one]] if one not in known else log(name, one)
                    size[one] = math.exp(logs if logs == logs else 0)

    def among(one, group, like, taken, large):
        others = [
            other
            for other in range(count)
            if other != one and group[other] == group[one] and taken[other] == taken[other]
        ]
        if power[one] > 0 and like:
            others = [
                o for o in others if math.floor(math.log2(large[o])) == math.floor(math.log2(large[one]))
            ]
        reach = [large[other] for other in others]
        if len(others) < FEWEST:
            return math.nan
        if power[one] > 0 and not like and not min(reach) / 2 <= large[one] <= 2 * max(reach):
            return math.nan
        return median([taken[o] / large[o] ** power[o] for o in others]) * large[one] ** power[one]

    found, timed = [], [one for one in range(count) if duration[one] == duration[one]]
    middle, usually = (
        [median([values[o] for o in timed if stage[o] == s]) for s in stage] for values in (size, duration)
    )
    shares, times = (
        [a / b for a, b in zip(*both, strict=True)] for both in ((duration, usually), (size, middle))
    )
    for one in range(count):
        tried = [
            among(one, group, like, duration, size)
            for group, like in ((stage, True), (kind, True), (stage, False), (kind, False))
        ]
        if times[one] == times[one]:
            others = [duration[o] for o in timed if stage[o] == stage[one] and o != one]
            tried.append(
                among(one, name_of, True, shares, times) * median(others if len(others) >= FEWEST else [])
            )
        found.append(next((one for one in tried if one == one), math.nan))
    return found


@given(st.data())
@search(150)
def test_what_is_usual_is_found_task_by_task(data):
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    stage = np.sort(random.integers(0, data.draw(st.integers(1, 6)), data.draw(st.integers(1, 40))))
    name = stage % data.draw(st.integers(1, 3))
    kind = name + 3 * (stage % data.draw(st.integers(1, 2)))
    sizes = {
        measure: np.where(
            random.random(stage.size) < data.draw(st.sampled_from([0, 0.2])),
            math.nan,
            np.exp(random.normal(3, data.draw(st.sampled_from([0.1, 1, 4])), stage.size)),
        )
        for measure in ("bytes", "records")
    }
    duration = np.exp(random.normal(0, 0.5, stage.size)) * np.nan_to_num(sizes["bytes"], nan=9) ** 0.5
    duration[random.random(stage.size) < data.draw(st.sampled_from([0, 0.3]))] = math.nan
    assert usual(stage, kind, name, duration, sizes) == pytest.approx(
        naive_usual(stage.tolist(), kind.tolist(), name.tolist(), duration.tolist(), sizes), nan_ok=True
    )


def shuffled(count, read, *, noise=0.02, seed=3):
    """Durations of tasks of one stage that grow with what they read, beside 2 s."""
    random = np.random.default_rng(seed)
    read = np.asarray(read, float)
    return (2 + read / 5e6) * np.exp(random.normal(0, noise, count)), read


def test_where_many_tasks_read_nothing_those_that_read_much_are_not_late():
    duration, size = shuffled(128, [0.0] * 79 + [14e9] * 20 + [21e9] * 29)
    stage = np.zeros(128, int)
    assert usual(stage, stage, stage, duration, {"bytes": size}) == pytest.approx(duration, rel=0.1)


def test_a_straggler_does_not_raise_what_is_usual_for_it():
    for size in (np.full(20, 7.0), np.linspace(50, 90, 20), np.full(20, math.nan)):
        duration, stage = np.linspace(10, 11, 20), np.zeros(20, int)
        before = usual(stage, stage, stage, duration, {"bytes": size})[10]
        duration[10] *= 50
        assert usual(stage, stage, stage, duration, {"bytes": size})[10] == pytest.approx(before, rel=0.05)


def test_what_a_task_takes_that_is_larger_than_all_others_only_other_jobs_tell():
    duration, size = shuffled(20, [1e9] * 19 + [16e9])
    stage = np.zeros(20, int)
    found = usual(stage, stage, stage, duration, {"bytes": size})
    assert np.isnan(found[19])
    assert np.isfinite(found[:19]).all()
    stages = np.repeat(np.arange(6), 20)
    found = usual(stages, np.zeros(120, int), stages, np.tile(duration, 6), {"bytes": np.tile(size, 6)})
    assert found == pytest.approx(np.tile(duration, 6), rel=0.1)


def test_stages_of_the_same_name_tell_what_a_task_takes_that_is_larger_than_its_peers():
    """In each of twelve jobs, which take longer and longer, one of eight tasks reads five times as much."""
    random, stage = np.random.default_rng(4), np.repeat(np.arange(12), 8)
    read = np.tile([1e8] * 7 + [5e8], 12) * random.lognormal(0, 0.01, 96)
    duration = (1 + stage) * read / 1e8
    duration[95] *= 3
    found = usual(stage, stage, np.zeros(96, int), duration, {"bytes": read})
    duration[95] /= 3
    assert found == pytest.approx(duration, rel=0.1)


def test_nothing_read_is_as_little_as_one_byte():
    duration, size = shuffled(40, [0.0, 1.0] * 4 + [1e9] * 32)
    stage = np.zeros(40, int)
    found, other = (
        usual(stage, stage, stage, duration, {"bytes": one}) for one in (size, np.maximum(size, 1))
    )
    assert found.tolist() == other.tolist()


def test_of_several_sizes_that_counts_which_goes_along_with_durations():
    duration, written = shuffled(32, [1e8] * 26 + [8e8] * 6)
    stage, read = np.zeros(32, int), np.random.default_rng(1).lognormal(15, 0.01, 32)
    sizes = {"bytes": read, "written": written}
    assert usual(stage, stage, stage, duration, sizes) == pytest.approx(duration, rel=0.1)


# What holds for every log


def samples():
    yield "generated", lambda: generated(5, pareto(1.5), bytes_spread=0.5)
    for speculating in (False, True):
        yield (
            f"spark {speculating}",
            lambda speculating=speculating: read_history(spark(speculation=speculating)),
        )
    yield "slurm", lambda: read_history(slurm(arrays=4))
    yield "nightly", lambda: read_history(nightly(1, arrays=4))
    for key, text in WRITTEN.items():
        yield key, lambda key=key, text=text: read_history(Upload(key, text))


EVERY = dict(samples())


@pytest.mark.parametrize("name", EVERY)
def test_states_of_each_job_add_up_in_every_format(name):
    found = account(EVERY[name]())
    assert adds_up(found) < 1e-6
    assert (found.jobs >= 0).all(axis=None)
    assert sum(found.states.values()) == pytest.approx(found.jobs["recorded"].sum())


def test_the_largest_part_of_a_log_with_stragglers_is_waiting_for_them():
    found = account(EVERY["spark False"]())
    assert max(found.states, key=found.states.__getitem__) == "waiting for the last"


def with_columns(history, table, **columns):
    one = getattr(history, table)
    for name, values in columns.items():
        field = one.schema.field(name)
        one = one.set_column(one.schema.get_field_index(name), field, pa.array(values, field.type))
    return replace(history, **{table: one})


def renamed(history):
    jobs, stages, copies = history.frame("jobs"), history.frame("stages"), history.frame("copies")
    history = with_columns(history, "jobs", name=[name and f"<{name}>" for name in jobs["name"]])
    history = with_columns(history, "stages", name=[name and f"new {name}" for name in stages["name"]])
    hosts = pa.array([f"h{one}" for one in copies["host"]]).dictionary_encode()
    place = history.copies.schema.get_field_index("host")
    return replace(history, copies=history.copies.set_column(place, "host", hosts))


def later(history, factor):
    """Return the history with all times multiplied."""
    for table, columns in (
        ("jobs", ("submit", "end")),
        ("stages", ("submit", "end")),
        ("copies", ("launch", "began", "end")),
        ("slots", ("time",)),
    ):
        frame = history.frame(table)
        history = with_columns(history, table, **{name: factor * frame[name] for name in columns})
    return history


def same(one, other, rel=1e-9):
    return one.jobs.to_numpy() == pytest.approx(other.jobs.to_numpy(), rel=rel, abs=1e-6)


@given(histories())
@search(40)
def test_names_change_nothing_and_time_scales(history):
    found = account(history)
    assert same(account(renamed(history)), found)
    assert account(later(history, 4)).jobs.to_numpy() == pytest.approx(4 * found.jobs.to_numpy(), abs=1e-6)


@pytest.mark.parametrize("name", EVERY)
def test_names_change_nothing_and_time_scales_in_every_format(name):
    history = EVERY[name]()
    found = account(history)
    assert same(account(renamed(history)), found)
    assert account(later(history, 2)).jobs.to_numpy() == pytest.approx(2 * found.jobs.to_numpy(), abs=1e-5)


def test_two_logs_read_together_give_the_sum():
    """Of tables, whose jobs follow one another; each has peers enough of its own."""

    def table_of(name, begin):
        rows = "record,job_id,stage_id,task_id,start_s,end_s,submit_s\n" if begin == 0 else ""
        rows += f"job,{name},,,,{begin + 60},{begin}\nstage,{name},s{name},,,{begin + 50},{begin + 1}\n"
        return rows + "".join(
            f"copy,{name},s{name},{task},{begin + 2 + task},{begin + 12 + task + 20 * (task == 3)},\n"
            for task in range(8)
        )

    both = [table_of("a", 0), table_of("b", 100)]
    alone = [
        account(read_history(Upload("t.csv", (both[0].splitlines()[0] + "\n" + one).encode())))
        for one in both
    ]
    together = account(read_history(Upload("t.csv", "".join(both).encode())))
    assert together.states == pytest.approx(
        {key: sum(one.states.get(key, 0) for one in alone) for key in together.states}
    )


def of_application(name, at):
    """The log of an application of one executor, whose job waits for it."""
    log = [executor("1", at + 2000, cores=1), job(0, [0], at), stage(0, 2, at)]
    log += [ended(0, 0, at + 2000, at + 3000), ended(1, 1, at + 3000, at + 4000), stage(0, 2, at, at + 4000)]
    log += [job_end(0, at + 4000), {"Event": "SparkListenerApplicationEnd", "Timestamp": HOUR + at + 4000}]
    return Upload(name, lines([start(), *log]))


def test_applications_one_after_the_other_give_the_sum_and_beside_each_other_do_not_tell_whose_a_slot_is():
    alone = account(read_history(of_application("a", 0))).states
    assert dict(alone) == {"no executor": 3.0, "running or waiting for the last": 1.0}
    after = account(read_history(of_application("a", 0), of_application("b", 4000))).states
    assert dict(after) == {state: 2 * seconds for state, seconds in alone.items()}
    beside = account(read_history(of_application("a", 0), of_application("b", 1000))).states
    assert dict(beside) == {"waiting": 6.0, "running or waiting for the last": 2.0}


def test_a_stage_of_more_tasks_than_can_be_is_waited_for():
    log = [executor("1", 0, cores=1), job(0, [0]), stage(0, 2**62, 0), job_end(0, 9000, "JobFailed")]
    assert told(account(read(log))) == {"slot idle": 9.0}


@given(histories(slots=True))
@search(30)
def test_where_slots_change_too_often_waiting_is_not_split(history):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[account.__module__], "_MOST", 3)
        found = account(history)
    assert adds_up(found) < 1e-9
    vaguer(found, account(history))


# A log that knows less


@given(histories(slots=True))
@search(60)
def test_without_slots_the_three_kinds_of_waiting_are_one(history):
    found, less = account(history), account(replace(history, slots_from="copies"))
    assert less.jobs["waiting"].to_numpy() == pytest.approx(found.jobs[list(WAITING)].sum(axis=1).to_numpy())
    others = [key for key in STATES if key not in WAITING]
    assert less.jobs[others].equals(found.jobs[others])


@given(histories(slots=True, submitted=True))
@search(60)
def test_without_submissions_and_order_no_state_is_told_that_was_not(history):
    rows = history.stages.num_rows
    history = with_columns(history, "stages", parents=[[]] * rows)
    job = history.stages["job"].to_numpy()
    submit = np.append(history.jobs["submit"].to_numpy(), np.nan)[job]
    launch = history.frame("copies").groupby("stage")["launch"].min().reindex(range(rows)).to_numpy(float)
    first = np.fmin(np.fmax(history.stages["submit"].to_numpy(), submit), launch)
    history = with_columns(history, "stages", submit=first)
    vaguer(account(with_columns(history, "stages", submit=[math.nan] * rows)), account(history))


@given(histories(submitted=True))
@search(40)
def test_where_only_the_first_submission_is_known_no_state_is_told_that_was_not(history):
    vaguer(account(replace(history, format="nextflow")), account(history))


@given(histories())
@search(40)
def test_without_sizes_the_same_time_is_running_or_waiting_for_the_last(history):
    nothing = [math.nan] * history.copies.num_rows
    found, less = account(history), account(with_columns(history, "copies", bytes=nothing, records=nothing))
    assert less.jobs[list(RUNNING)].sum(axis=1).to_numpy() == pytest.approx(
        found.jobs[list(RUNNING)].sum(axis=1).to_numpy()
    )
    others = [key for key in STATES if key not in RUNNING]
    assert less.jobs[others].equals(found.jobs[others])


@given(histories())
@search(20)
def test_hosts_tell_nothing(history):
    place = history.copies.schema.get_field_index("host")
    empty = pa.array([""] * history.copies.num_rows).dictionary_encode()
    less = replace(history, copies=history.copies.set_column(place, "host", empty))
    assert account(less).jobs.equals(account(history).jobs)


def test_every_merged_state_is_of_states_that_are_told_apart():
    single = {key for key, state in STATES.items() if not state.merges}
    assert all(set(state.merges) <= single for state in STATES.values())
    assert len({state.title for state in STATES.values()}) == len(STATES)
