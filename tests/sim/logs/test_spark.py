"""Spark event logs: each trap of real logs, and invariants whatever is missing."""

import json
import random
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.speculation import speculation
from sim.model.fields import BadInput
from tests.sim.logs.logs import (
    HOUR,
    ended,
    executor,
    fates,
    job,
    job_end,
    launched,
    lines,
    read,
    small,
    stage,
    start,
)


def copies(history):
    return history.frame("copies").astype({"host": str, "slot": str, "fate": str})


def test_a_small_log_is_read_whole():
    history = read(small())
    assert history.jobs.to_pylist()[0] == {
        "job": "0",
        "name": "",
        "group": "",
        "pool": "",
        "submit": 0.05,
        "end": 4.6,
        "fate": "finished",
    }
    assert history.stages["parents"].to_pylist() == [[], [0]]
    assert history.stages["tasks"].to_pylist() == [2, 1]
    found = copies(history)
    assert found["fate"].tolist() == ["finished", "killed", "finished", "failed", "finished"]
    assert found["copy"].tolist() == [0, 0, 1, 0, 1]
    assert found["speculative"].tolist() == [False, False, True, False, False]
    assert found["bytes"].tolist()[0] == 50
    assert found["bytes"].tolist()[2] == 47
    assert (found["end"] - found["launch"]).round(3).tolist() == [1.0, 2.9, 1.0, 0.4, 1.0]
    assert history.slots.to_pylist() == [{"time": 0.0, "slots": 4}]
    assert history.settings["spark.version"] == "4.0.0"
    assert history.origin == HOUR / 1000
    assert history.notes == ()


def metrics(*, gc=20, shuffle=None, taken=None, **more):
    """Return metrics of a task in the order in which Spark writes them."""
    found = {"Executor Run Time": 5, "JVM GC Time": gc, "Memory Bytes Spilled": 0}
    if shuffle is not None:
        wait, remote, here, records = shuffle
        found["Shuffle Read Metrics"] = {
            "Remote Blocks Fetched": 1,
            "Local Blocks Fetched": 1,
            "Fetch Wait Time": wait,
            "Remote Bytes Read": remote,
            "Remote Bytes Read To Disk": 4,
            "Local Bytes Read": here,
            "Total Records Read": records,
            "Push Based Shuffle": {"Merged Remote Bytes Read": 3, "Merged Fetch Fallback Count": 0},
        }
    found["Shuffle Write Metrics"] = {"Shuffle Bytes Written": 9, "Shuffle Records Written": 9}
    if taken is not None:
        method, read, records = taken
        of = {"Data Read Method": method} if method else {}
        found["Input Metrics"] = of | {"Bytes Read": read, "Records Read": records}
    return found | {"Output Metrics": {"Bytes Written": 8, "Records Written": 8}} | more


BLOCKS = [{"Block ID": "rdd_0_6", "Status": {"Memory Size": 3, "Disk Size": 0}}]


@pytest.mark.parametrize("more", [{}, {"Updated Blocks": []}, {"Updated Blocks": BLOCKS}])
@pytest.mark.parametrize("order", [list, reversed])
def test_what_a_copy_read_collected_and_waited_is_summed_over_all_it_read(more, order):
    told = [
        (metrics(gc=1500, shuffle=(250, 1000, 200, 30), taken=("", 40, 5), **more), (1240, 35, 1.5, 0.25)),
        (metrics(gc=0, shuffle=(0, 0, 0, 0), taken=("", 2_000_000, 7), **more), (2_000_000, 7, 0, 0)),
        (metrics(taken=("Hadoop", 700, 0), **more), (700, 0, 0.02, np.nan)),  # of Spark 1.x
        (metrics(shuffle=(4, 0, 60, 6), **more), (60, 6, 0.02, 0.004)),
        (metrics(**more), (np.nan, np.nan, 0.02, np.nan)),
        (None, (np.nan,) * 4),
    ]
    log = [job(0, [0]), stage(0, len(told), 0)]
    for key, (given_metrics, _) in enumerate(told):
        event = ended(key, key, 0, 100, metrics=given_metrics)
        log.append(dict(order(event.items())))
    found = copies(read(log))[["bytes", "records", "gc", "fetch_wait"]].to_numpy()
    np.testing.assert_allclose(found, [expected for _, expected in told])


def test_how_near_its_input_a_copy_was_and_the_pool_of_a_job_are_read():
    log = [job(0, [0], **{"spark.scheduler.pool": "etl"}), job(1, [1]), stage(0, 2, 0), stage(1, 1, 0)]
    near = launched(0, 0, 0)
    near["Task Info"]["Locality"] = "NODE_LOCAL"
    log += [near, ended(1, 1, 0, 100), ended(2, 0, 0, 100, of=1)]
    del log[-1]["Task Info"]["Locality"]
    history = read(log)
    assert history.jobs["pool"].to_pylist() == ["etl", ""]
    assert history.copies["locality"].to_pylist() == ["NODE_LOCAL", "ANY", ""]


def test_a_killed_copy_is_censored_but_not_one_that_had_done_its_work():
    log = [job(0, [0]), stage(0, 2, 0)]
    log += [
        ended(0, 0, 0, 100, reason="TaskKilled", kill="another attempt succeeded"),
        ended(1, 0, 0, 100, reason="TaskKilled", kill="Stage cancelled: Stage finished"),
        ended(
            2,
            0,
            0,
            100,
            reason="TaskKilled",
            kill="Finish but did not commit due to another attempt succeeded",
        ),
    ]
    found = copies(read(log))
    assert found["fate"].tolist() == ["killed"] * 3
    assert sorted(found["complete"]) == [False, False, True]


def test_a_copy_that_never_ended_is_censored_at_the_end_of_its_stage_or_of_the_log():
    log = [job(0, [0, 1]), stage(0, 2, 0), launched(0, 0, 10), launched(1, 1, 10), ended(1, 1, 10, 400)]
    log += [stage(0, 2, 0, 500), stage(1, 1, 500), launched(2, 0, 600, of=1), job(1, [], 900)]
    found = copies(read(log))
    assert found["fate"].tolist() == ["unfinished", "finished", "unfinished"]
    assert found["end"].tolist() == [0.5, 0.4, 0.9]
    assert not found["complete"][0]
    history = read(log)
    assert any(note.startswith("copies launched and never ended") and "(2)" in note for note in history.notes)
    assert any("jobs that had not ended (2, first: job 0)" in note for note in history.notes)


def test_a_resubmitted_copy_is_not_counted_twice():
    log = [*small(), ended(0, 0, 100, 1100, reason="Resubmitted")]
    history = read(log)
    assert history.digest == read(small()).digest
    assert any("reported again" in note for note in history.notes)


@pytest.mark.parametrize(
    "reason", ["FetchFailed", "ExceptionFailure", "ExecutorLostFailure", "TaskResultLost"]
)
def test_a_failure_is_counted_and_no_duration(reason):
    history = read([job(0, [0]), stage(0, 1, 0), ended(0, 0, 0, 100, reason=reason)])
    assert fates(history) == {"failed": 1}
    assert not history.frame("copies")["complete"].any()


def second(key, launch, end, **how):
    """Return a second copy of task 0 beside copy 0, which finishes at 3000."""
    return ended(key, 0, launch, end, speculative=True, host="h2", executor="2", **how)


def race(*others, log=()):
    first = ended(0, 0, 0, 3000)
    return read([job(0, [0]), stage(0, 1, 0), first, *others, stage(0, 1, 0, 3000), job_end(0, 3000), *log])


@pytest.mark.parametrize("reason", ["ExceptionFailure", "UnknownReason", "TaskResultLost"])
@pytest.mark.parametrize(
    ("launch", "end", "fate"),
    [
        (2000, 3000, "killed"),
        (2000, 3120, "killed"),
        (2000, 2999, "failed"),  # before the other had finished: by itself
        (3000, 3120, "failed"),  # launched when the other had finished: its output was lost
    ],
)
def test_a_copy_that_fails_when_the_other_has_finished_lost_the_race(reason, launch, end, fate):
    history = race(second(1, launch, end, reason=reason))
    assert copies(history)["fate"].tolist() == ["finished", fate]
    assert copies(history)["complete"].tolist() == [True, False]
    assert speculation(history).killed_time == pytest.approx((end - launch) / 1000 * (fate == "killed"))
    assert any("had finished: killed, not failed (1)" in note for note in history.notes) == (fate == "killed")


def test_a_copy_that_failed_beside_one_that_failed_too_lost_no_race():
    log = [job(0, [0]), stage(0, 2, 0), ended(0, 0, 0, 900, reason="ExceptionFailure")]
    log += [second(1, 100, 1000, reason="ExceptionFailure"), ended(2, 1, 0, 500)]
    assert fates(read(log)) == {"failed": 2, "finished": 1}


def test_a_copy_that_may_not_commit_had_done_its_work():
    found = copies(race(second(1, 2000, 2990, reason="TaskCommitDenied")))
    assert found["fate"].tolist() == ["finished", "killed"]
    assert found["complete"].tolist() == [True, True]


@pytest.mark.parametrize("told_by", ["task", "executor"])
@pytest.mark.parametrize(
    ("why", "fate"),
    [
        ("Container container_1_0001_01_000007 on host: h2 was preempted.", "killed"),
        ("Container marked as failed: container_1. Exit status: -102. Diagnostics: none", "killed"),
        ("Executor decommission: spot", "failed"),
        ("Container killed by YARN for exceeding memory limits. Exit status: 143", "failed"),
    ],
)
def test_a_copy_whose_executor_was_preempted_did_not_fail(told_by, why, fate):
    lost = ended(1, 1, 0, 900, reason="ExecutorLostFailure", executor="2", host="h2")
    lost["Task End Reason"]["Loss Reason"] = why if told_by == "task" else ""
    removed = {"Event": "SparkListenerExecutorRemoved", "Timestamp": HOUR + 890, "Executor ID": "2"}
    removed["Removed Reason"] = why if told_by == "executor" else ""
    log = [executor("1", 0), executor("2", 0, host="h2"), job(0, [0]), stage(0, 3, 0), ended(0, 0, 0, 800)]
    log += [ended(2, 2, 0, 890, executor="1", reason="ExceptionFailure")]
    history = read([*log, lost, removed])
    assert copies(history)["fate"].tolist() == ["finished", fate, "failed"]
    assert history.slots["slots"].to_pylist() == [4, 2]


def test_executors_that_come_and_go_by_demand_or_decommission_are_slots_over_time():
    log = [job(0, [0], 50)]
    slots = {0: 0}
    random_changes = random.Random(3)
    there = {}
    for time in range(0, 40_000, 1000):
        name = str(time)
        if there and random_changes.random() < 0.45:
            gone = random_changes.choice(sorted(there))
            reason = random_changes.choice(["Executor decommission: spot", "Idle for 60 s", ""])
            log.append(
                {
                    "Event": "SparkListenerExecutorRemoved",
                    "Timestamp": HOUR + time,
                    "Executor ID": gone,
                    "Removed Reason": reason,
                }
            )
            there.pop(gone)
        else:
            there[name] = random_changes.randint(1, 4)
            log.append(executor(name, time, host=f"h{time % 3}", cores=there[name]))
        slots[time] = sum(there.values())
    history = read(log)
    found = dict(zip(history.slots["time"].to_pylist(), history.slots["slots"].to_pylist(), strict=True))
    assert {round(time * 1000): number for time, number in found.items()} == slots


def test_fields_that_spark_1_lacks_are_not_needed():
    events = [json.loads(json.dumps(event)) for event in small()]
    for event in events:
        event.pop("Submission Time", None)
        event.pop("Completion Time", None)
        for absent in ("Killed", "Speculative", "Attempt"):
            event.get("Task Info", {}).pop(absent, None)
    del events[0], events[0], events[0]
    history = read(events)
    assert history.jobs["submit"].to_pylist() == [0.0]
    assert history.jobs["end"].to_pylist() == [4.44]
    assert history.slots_from == "copies"
    assert history.notes == ()


def test_a_stage_belongs_to_the_job_that_submitted_it():
    log = [
        job(0, [0, 1], 0),
        stage(0, 1, 10),
        stage(1, 1, 20),
        job_end(0, 100),
        job(1, [1, 2], 200),
        stage(2, 1, 210, parents=[1]),
        job_end(1, 300),
        job(2, [2, 3], 400),
        stage(3, 1, 410, parents=[2]),
    ]
    history = read(log)
    assert history.stages["job"].to_pylist() == [0, 0, 1, 2]
    late = read([*log, stage(1, 1, 420, attempt=1)])
    assert late.stages["stage"].to_pylist()[-1] == "1.1"


def test_with_adaptive_execution_the_stages_of_a_query_are_jobs_and_a_join_reads_shuffles():
    """Stage 1, of the same shuffle as 0, is listed with the second job and never runs."""
    log = [
        job(0, [0], 0),
        stage(0, 1, 10),
        job_end(0, 100),
        job(1, [1, 2], 200),
        stage(2, 1, 210, parents=[1]),
    ]
    history = read(log)
    assert history.stages["parents"].to_pylist() == [[], []]
    assert history.stages["reads"].to_pylist() == ["", "shuffle"]


def test_a_stage_tried_again_is_a_stage_of_its_own_after_the_first():
    log = [job(0, [0]), stage(0, 2, 0), ended(0, 0, 0, 50), stage(0, 2, 0, 60), stage(0, 2, 70, attempt=1)]
    history = read([*log, ended(1, 0, 80, 90, attempt=1), stage(0, 2, 70, 95, attempt=1)])
    assert history.stages["stage"].to_pylist() == ["0", "0.1"]
    assert history.stages["parents"].to_pylist() == [[], [0]]


def test_executors_come_and_go_and_hold_as_many_slots_as_their_cores_allow():
    log = [
        {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": {"spark.task.cpus": "2"}},
        executor("1", 0, cores=4),
        executor("2", 100, cores=5, host="h1"),
        executor("2", 100, cores=5),
        {"Event": "SparkListenerExecutorRemoved", "Timestamp": HOUR + 300, "Executor ID": "1"},
        job(0, [0], 50),
    ]
    history = read(log)
    assert history.slots.to_pylist() == [
        {"time": 0.0, "slots": 2},
        {"time": 0.1, "slots": 4},
        {"time": 0.3, "slots": 2},
    ]
    assert history.hosts.to_pylist() == [{"host": "h1", "slots": 4}]
    assert any("executors added twice" in note for note in history.notes)


def test_a_platform_is_known_by_its_settings_of_which_none_is_kept():
    said = {
        "spark.databricks.clusterUsageTags.clusterName": "secret",
        "spark.master": "spark://10.0.0.1:7077",
    }
    found = read([{"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": said}, *small()])
    assert {"platform": "Databricks", "spark.master": "spark"}.items() <= found.settings.items()
    assert "secret" not in str(found.settings)


def test_slots_of_two_resource_profiles_are_not_told():
    """The task of the second profile waits beside a free slot of the first, which cannot take it."""
    events = small()
    assert read(events).slots_from == "log"
    for event in events:
        if event["Event"].startswith("SparkListenerStage"):
            event["Stage Info"]["Resource Profile Id"] = int(event["Stage Info"]["Stage ID"])
    found = diagnose(read(events))
    assert found.history.slots_from == "copies"
    assert any("of several resource profiles" in note for note in found.history.notes)
    assert not {"slot idle", "no executor"} & set(found.account.states)
    assert not {"idle", "no executor"} & set(found.causes)


def test_what_is_told_twice_is_counted_once_and_noted():
    log = small()
    twice = [event for event in log for _ in range(2)]
    history = read(twice)
    assert history.copies.equals(read(log).copies)
    assert history.jobs.equals(read(log).jobs)
    told = " ".join(history.notes)
    for what in (
        "jobs started twice",
        "copies launched twice",
        "copies ended twice",
        "executors added twice",
    ):
        assert what in told


@pytest.mark.parametrize("tasks", [0, 1])
def test_a_stage_of_no_or_one_task_is_read_and_diagnosed(tasks):
    log = [job(0, [0]), stage(0, tasks, 0), *(ended(key, key, 0, 900) for key in range(tasks))]
    history = read([*log, stage(0, tasks, 0, 1000), job_end(0, 1100)])
    assert history.stages["tasks"].to_pylist() == [tasks]
    assert history.copies.num_rows == tasks
    found = diagnose(history)
    assert (found.counts.stages, found.counts.tasks, found.luck.tail) == (1, tasks, None)


def test_two_applications_stand_side_by_side():
    from sim.logs.formats import read_history
    from sim.logs.source import Upload

    data = lines(small())
    both = read_history(Upload("app-1", data), Upload("app-2", data))
    assert both.jobs["job"].to_pylist() == ["1/0", "2/0"]
    assert both.copies.num_rows == 10
    assert max(both.slots["slots"].to_pylist()) == 8


def test_names_come_from_description_and_group():
    named = {"spark.job.description": "Nightly", "spark.jobGroup.id": "etl"}
    assert read([job(0, [0], **named)]).jobs.to_pylist()[0]["name"] == "Nightly"
    assert read([job(0, [0], **named)]).jobs.to_pylist()[0]["group"] == "etl"


def test_lines_that_are_no_event_are_counted_with_file_and_line():
    log = lines(small()).splitlines(keepends=True)
    log[5:5] = [
        b'{"Event":"SparkListenerTaskEnd", broken\n',
        b"\xff\xfe garbage\n",
        b'{"Event":"SparkListenerJobStart"}\n',
    ]
    history = read(b"".join(log))
    assert history.digest == read(small()).digest
    assert history.notes[0].startswith("lines that are no event: left out (3, first: app-1, line 6:")


def test_a_clock_that_goes_backwards_costs_the_duration_only():
    history = read([job(0, [0]), stage(0, 1, 0), ended(0, 0, 500, 100)])
    assert fates(history) == {"finished": 1}
    assert not history.frame("copies")["complete"].any()
    assert any("ended before they began" in note for note in history.notes)


def test_a_log_in_which_nothing_ran_is_refused():
    with pytest.raises(BadInput, match="no job and no task"):
        read([start()])


def test_a_message_with_the_words_of_a_field_does_not_deceive_the_reader():
    event = ended(0, 0, 0, 100, reason="ExceptionFailure")
    event["Task End Reason"]["Description"] = (
        ',"Accumulables":[ "Event":"SparkListenerJobEnd" "Task Metrics":{'
    )
    assert fates(read([job(0, [0]), stage(0, 1, 0), event])) == {"failed": 1}


def test_keys_in_another_order_or_with_spaces_are_read_too():
    events = [dict(reversed(event.items())) for event in small()]
    for event in events:
        if "Task Info" in event:
            event["Task Info"] = dict(reversed(event["Task Info"].items()))
    loose = "".join(json.dumps(event) + "\n" for event in events).encode()
    assert read(loose).digest == read(small()).digest


def check(history):
    """Assert what holds of every history, however it was damaged."""
    found = history.frame("copies")
    assert sum(fates(history).values()) == len(found)
    assert not (found["end"] < found["began"]).any()
    assert found["stage"].between(0, history.stages.num_rows - 1).all() or found.empty
    assert not found[found["complete"]][["began", "end"]].isna().any().any()
    assert not found.duplicated(["stage", "task", "copy"]).any()


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_events_does_not_matter(shuffled):
    events = small()
    shuffled.shuffle(events)
    history = read(events)
    check(history)
    assert fates(history) == fates(read(small()))
    assert history.jobs.equals(read(small()).jobs)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, len(lines(small()))))
def test_a_log_cut_off_anywhere_gives_the_events_that_are_whole(place):
    data = lines(small())[:place]
    try:
        history = read(data)
    except BadInput:
        assert b"JobStart" not in b"".join(data.split(b"\n")[:-1])
        return
    check(history)
    whole = [json.loads(line) for line in data.split(b"\n")[:-1]]
    if data and not data.endswith(b"\n"):
        try:
            whole.append(json.loads(data.rpartition(b"\n")[2]))
        except ValueError:
            assert any("cut off" in note for note in history.notes)
    ids = {event["Task Info"]["Task ID"] for event in whole if "Task Info" in event}
    assert history.copies.num_rows == len(ids)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, len(small()) - 1), max_size=8))
def test_any_lines_may_be_missing(missing):
    events = [event for place, event in enumerate(small()) if place not in missing]
    try:
        history = read(events)
    except BadInput:
        return
    check(history)
    ids = {event["Task Info"]["Task ID"] for event in events if "Task Info" in event}
    assert history.copies.num_rows == len(ids)
    assert history.jobs.num_rows == sum(event["Event"] == "SparkListenerJobStart" for event in events)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_bytes_changed_at_random_never_end_in_an_error(seed):
    chosen = random.Random(seed)
    data = bytearray(lines(small()))
    for _ in range(chosen.randint(1, 30)):
        data[chosen.randrange(len(data))] = chosen.randrange(256)
    with suppress(BadInput):
        check(read(bytes(data)))
