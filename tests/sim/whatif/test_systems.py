"""The lines to paste are those the systems document, and settings named in a log are read back."""

from __future__ import annotations

import dataclasses

import pytest

from sim.advice.whatif.price import executor_slots, linger, middle_pair
from sim.advice.whatif.systems import HADOOP as MAPREDUCE
from sim.advice.whatif.systems import SPARK, SYSTEMS, options_of, today
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.history import FINISHED
from sim.logs.records import Records
from sim.logs.samples import spark
from tests.sim.logs.truth import generated, pareto

SPECULATION, HADOOP, TEZ = "spark.speculation", "mapreduce.job.speculative", "tez.am"
FLINK = "execution.batch.speculative"
TIMES = "slow-task-detector.execution-time.baseline"
#: For each policy what is pasted, as the systems document it.
PASTED = {
    "fifo+spark:multiplier=1.5,quantile=0.75,interval=0.25": {
        SPECULATION: "true",
        f"{SPECULATION}.multiplier": "1.5",
        f"{SPECULATION}.quantile": "0.75",
        f"{SPECULATION}.interval": "250ms",
        f"{SPECULATION}.minTaskRuntime": "100ms",
    },
    "fifo+spark:threshold=90": {
        SPECULATION: "true",
        f"{SPECULATION}.multiplier": "3",
        f"{SPECULATION}.quantile": "0.9",
        f"{SPECULATION}.interval": "100ms",
        f"{SPECULATION}.minTaskRuntime": "100ms",
        f"{SPECULATION}.task.duration.threshold": "90000ms",
    },
    "fifo+hadoop:pause=5,running_share=0.3": {
        "mapreduce.map.speculative": "true",
        "mapreduce.reduce.speculative": "true",
        f"{HADOOP}.retry-after-no-speculate": "1000",
        f"{HADOOP}.retry-after-speculate": "5000",
        f"{HADOOP}.minimum-allowed-tasks": "10",
        f"{HADOOP}.speculative-cap-total-tasks": "0.01",
        f"{HADOOP}.speculative-cap-running-tasks": "0.3",
    },
    "fifo+tez:single_timeout=30": {
        f"{TEZ}.speculation.enabled": "true",
        f"{TEZ}.soonest.retry.after.no.speculate": "1000",
        f"{TEZ}.soonest.retry.after.speculate": "15000",
        f"{TEZ}.minimum.allowed.speculative.tasks": "10",
        f"{TEZ}.proportion.total.tasks.speculatable": "0.01",
        f"{TEZ}.proportion.running.tasks.speculatable": "0.1",
        f"{TEZ}.legacy.speculative.single.task.vertex.timeout": "30000",
    },
    "fifo+flink:lower_bound=1,ratio=0.5": {
        f"{FLINK}.enabled": "true",
        f"{FLINK}.max-concurrent-executions": "2",
        f"{FLINK}.block-slow-node-duration": "60000ms",
        "slow-task-detector.check-interval": "1000ms",
        f"{TIMES}-ratio": "0.5",
        f"{TIMES}-multiplier": "1.5",
        f"{TIMES}-lower-bound": "1000ms",
    },
}


@pytest.mark.parametrize("text", PASTED)
def test_settings_have_the_names_and_units_of_their_system(text):
    policy = read_policy(text)
    assert SYSTEMS[policy.speculation.key].settings(policy) == PASTED[text]


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.key)
def test_every_option_is_of_its_system_and_copies_can_be_switched_off(system):
    off = system.settings(read_policy("fifo+none"))
    assert set(off.values()) == {"false"}
    for text in system.options:
        settings = system.settings(read_policy(text))
        assert read_policy(text).speculation.key == system.key
        assert {settings[name] for name in off} == {"true"}


@pytest.mark.parametrize(
    ("settings", "slots", "pair"),
    [
        ({"spark.version": "3.4.4", "spark.executor.cores": "4"}, 4, True),
        ({"spark.version": "3.5.0", "spark.executor.cores": "5", "spark.task.cpus": "2"}, 2, False),
        ({}, 1, False),
    ],
)
def test_executors_and_the_median_are_those_of_the_log(settings, slots, pair):
    history = dataclasses.replace(generated(1, pareto(1.5), stages=3), format="spark", settings=settings)
    assert (executor_slots(history), middle_pair(history)) == (slots, pair)


def test_how_long_losers_hold_their_slots_is_read_from_the_log_or_said():
    """The sample with copies has many that lost; the other has none."""
    history = read_history(spark(speculation=True))
    copies = history.frame("copies")
    late = []
    for copy in copies[copies["fate"].eq("killed")].itertuples():
        same = copies[copies["stage"].eq(copy.stage) & copies["task"].eq(copy.task)]
        late += [copy.end - end for end in same["end"][same["fate"].eq("finished")]]
    seen, told = linger(history)
    assert seen == pytest.approx(sum(late) / len(late))
    assert 0.005 < seen < 0.5
    assert f"the mean of {len(late)} in the log" in told
    assert linger(read_history(spark(speculation=False)))[0] == 0.06


@pytest.mark.parametrize("text", [text for text in PASTED if "spark" in text])
def test_what_is_pasted_into_spark_is_what_its_log_tells(text):
    settings = SPARK.settings(read_policy(text)) | {"spark.version": "3.5.1"}
    history = dataclasses.replace(generated(1, pareto(1.5), stages=3), format="spark", settings=settings)
    assert today(history) == read_policy(text).text


@pytest.mark.parametrize(
    ("key", "text"),
    [("jhist", "fifo+hadoop"), ("tez", "fifo+tez"), ("flink", "fifo+flink"), ("ray", "fifo+none")],
)
def test_copies_in_a_history_tell_that_its_system_made_them(key, text):
    copied = dataclasses.replace(read_history(spark(speculation=True)), format=key)
    assert today(copied) == text
    assert today(dataclasses.replace(generated(1, pareto(1.5), stages=3), format=key)) == "fifo+none"


def test_thresholds_are_tried_where_stages_of_few_tasks_take_a_tenth_of_the_time():
    """Two slots an executor; stages of two tasks of 4 s, one in ten 9 s, beside one of four tasks."""

    def options(few: float, version: str = "3.5.1", system=SPARK) -> set[float]:
        records, now = Records(per_second=1), 0.0
        records.job(0)
        for stage, (tasks, lasts) in enumerate([(2, few)] * 10 + [(4, 40.0)]):
            row = records.stage_row(stage)
            records.stages[row].job, records.stages[row].tasks = 0, tasks
            for task in range(tasks):
                end = now + lasts * (2.25 if stage == task == 0 else 1.0)
                records.copy(row, task, launch=now, end=end, fate=FINISHED, host=f"h{task}", slot=f"{task}")
            records.stages[row].submit, records.stages[row].end = now, end
            now = end
        records.jobs[0].submit, records.jobs[0].end, records.jobs[0].fate = 0.0, now, FINISHED
        records.settings.update({"spark.executor.cores": "2", "spark.version": version})
        history = dataclasses.replace(
            records.history("generated", ("generated",), origin=0.0), format="spark"
        )
        texts = options_of(system, history)
        return {read_policy(text).speculation.as_dict.get("threshold", 0.0) for text in texts} - {0.0}

    assert options(4.0) == {8.0}
    assert options(0.4) == set()  # 4 s of 44
    assert options(4.0, "2.4.8") == options(4.0, system=MAPREDUCE) == set()
