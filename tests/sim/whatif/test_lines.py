"""Every line to paste is read by the grammar of its target: name, form, unit and range.

The grammars are those of the systems' documentation and know nothing of ours: Spark and Flink as they read
durations and sizes, Hadoop and Tez whole numbers of milliseconds and bytes, Slurm and Kubernetes names.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.remedies.judged import REMEDIES, longest_pause
from sim.advice.whatif.remedies.splitting import skew
from sim.advice.whatif.remedies.variant import SettingLines
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.systems import SPARK, SYSTEMS, System, pasted
from sim.engines.slots.scenario import SlotPolicy, read_policy
from tests.sim.whatif.test_remedies import READ, recorded

Value = float | str
Reader = Callable[[str], Value]
HOUR, DAY, GIGABYTE = 3600, 86400, 1e9


def amount(form: str, units: dict[str, float], low: float, high: float, *, of: float = 0.0) -> Reader:
    """Return what reads numbers of this form with one of these units; `of`: kept in whole multiples of it."""

    def read(text: str) -> float:
        found = re.fullmatch(f"({form}) ?({'|'.join(units)})", text)
        if not found:
            raise ValueError(f"{text!r} is no number of any of {list(units)}")
        value = float(found[1]) * units[found[found.lastindex or 0]]
        if not low <= value <= high or (
            of and abs(value / of - round(value / of)) > 1e-9 * max(1, value / of)
        ):
            raise ValueError(f"{text!r} is {value:g}: not from {low:g} to {high:g} in multiples of {of:g}")
        return value

    return read


def words(form: str) -> Reader:
    """Return what reads texts of this form."""

    def read(text: str) -> str:
        if not re.fullmatch(form, text):
            raise ValueError(f"{text!r} is not {form}")
        return text

    return read


WHOLE, PLAIN = r"-?\d+", {"": 1.0}
NODE = r"[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?"
BOOLEAN, NODES = words("true|false"), words(f"{NODE}(,{NODE})*")
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
BYTES = {"b": 1.0, "kb?": 2.0**10, "mb?": 2.0**20, "gb?": 2.0**30}


def number(low: float, high: float) -> Reader:
    return amount(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", PLAIN, low, high)


def whole(low: float, high: float) -> Reader:
    return amount(WHOLE, PLAIN, low, high)


def milliseconds(low: float, high: float) -> Reader:
    return amount(WHOLE, {"": 1e-3}, low, high)


def spark_time(low: float, high: float, of: float = 1e-3) -> Reader:
    """Return what reads a duration of Spark, which cuts it to its setting's own unit; it must have a unit."""
    return amount(WHOLE, SECONDS, low, high, of=of)


def flink_time(low: float, high: float) -> Reader:
    """Return what reads a duration of Flink; without a unit it is of milliseconds."""
    return amount(WHOLE, SECONDS | {"": 1e-3}, low, high)


MAPREDUCE, TEZ = "mapreduce.job.speculative", "tez.am"
FLINK, SLOW = "execution.batch.speculative", "slow-task-detector.execution-time.baseline"
#: File -> name -> what reads its value. Of what is set to be safe the range is what an operator would.
GRAMMAR: dict[str, dict[str, Reader]] = {
    "spark-defaults.conf": {
        "spark.speculation": BOOLEAN,
        "spark.speculation.multiplier": number(0, math.inf),
        "spark.speculation.quantile": number(0, 1),
        "spark.speculation.interval": spark_time(1e-3, math.inf),
        "spark.speculation.minTaskRuntime": spark_time(0, math.inf),
        "spark.speculation.task.duration.threshold": spark_time(0, math.inf),
        "spark.scheduler.mode": words("FIFO|FAIR"),
        "spark.yarn.exclude.nodes": NODES,
        "spark.sql.files.maxPartitionBytes": amount(WHOLE, BYTES, 1e3, 10 * GIGABYTE),
        "spark.sql.adaptive.enabled": BOOLEAN,
        "spark.sql.adaptive.skewJoin.enabled": BOOLEAN,
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor": number(1, 100),
        "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": amount(WHOLE, BYTES, 1e3, math.inf),
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": amount(WHOLE, BYTES, 1e3, math.inf),
        "spark.dynamicAllocation.minExecutors": whole(1, 1e5),
        "spark.dynamicAllocation.initialExecutors": whole(1, 1e5),
        "spark.dynamicAllocation.executorIdleTimeout": spark_time(60, 30 * DAY, of=1.0),
    },
    "flink-conf.yaml": {
        f"{FLINK}.enabled": BOOLEAN,
        f"{FLINK}.max-concurrent-executions": whole(1, 100),
        f"{FLINK}.block-slow-node-duration": flink_time(0, math.inf),
        "slow-task-detector.check-interval": flink_time(1e-3, math.inf),
        f"{SLOW}-ratio": number(0, 1),
        f"{SLOW}-multiplier": number(0, math.inf),
        f"{SLOW}-lower-bound": flink_time(0, math.inf),
        "resourcemanager.taskmanager-timeout": flink_time(30, 30 * DAY),
    },
    "config.yaml": {"table.optimizer.skewed-join-optimization.strategy": words("forced|auto|none")},
    "mapred-site.xml": {
        "mapreduce.map.speculative": BOOLEAN,
        "mapreduce.reduce.speculative": BOOLEAN,
        f"{MAPREDUCE}.retry-after-no-speculate": milliseconds(1e-3, math.inf),
        f"{MAPREDUCE}.retry-after-speculate": milliseconds(1e-3, math.inf),
        f"{MAPREDUCE}.minimum-allowed-tasks": whole(0, 2**31 - 1),
        f"{MAPREDUCE}.speculative-cap-total-tasks": number(0, 1),
        f"{MAPREDUCE}.speculative-cap-running-tasks": number(0, 1),
        "mapreduce.task.progress-report.interval": milliseconds(0, math.inf),
        "mapreduce.input.fileinputformat.split.maxsize": whole(1e3, 10 * GIGABYTE),
    },
    "tez-site.xml": {
        f"{TEZ}.speculation.enabled": BOOLEAN,
        f"{TEZ}.soonest.retry.after.no.speculate": milliseconds(1e-3, math.inf),
        f"{TEZ}.soonest.retry.after.speculate": milliseconds(1e-3, math.inf),
        f"{TEZ}.minimum.allowed.speculative.tasks": whole(0, 2**31 - 1),
        f"{TEZ}.proportion.total.tasks.speculatable": number(0, 1),
        f"{TEZ}.proportion.running.tasks.speculatable": number(0, 1),
        f"{TEZ}.legacy.speculative.single.task.vertex.timeout": milliseconds(-1, math.inf),
        f"{TEZ}.container.reuse.enabled": BOOLEAN,
        f"{TEZ}.session.min.held-containers": whole(1, 1e6),
        "tez.grouping.max-size": whole(1e3, 10 * GIGABYTE),
    },
}
#: A command in a sentence -> all that may follow it.
COMMANDS = {
    r"--exclude=": rf"{NODE}(,{NODE})*",
    r"kubectl cordon (?!them)": r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?( [a-z0-9]([a-z0-9.-]*[a-z0-9])?)*",
    r"decommission-worker\.sh on ": rf"{NODE}(,{NODE})*",
    r"yarn rmadmin ": "-refreshNodes",
}


def lines(text: str, file: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of what is pasted into a file."""
    if file.endswith(".xml"):
        for one in ET.fromstring(f"<configuration>{text}</configuration>"):
            assert [part.tag for part in one] == ["name", "value"]
            yield one.findtext("name", ""), one.findtext("value", "")
        return
    for line in text.splitlines():
        name, _, value = line.partition(": " if file.endswith(".yaml") else " ")
        yield name, value


def read(text: str, file: str) -> dict[str, Value]:
    """Return what a target reads of what is pasted into its file.

    Raises
    ------
    ValueError
        If it has no such setting, or does not accept the value.
    """
    found = {}
    for name, value in lines(text, file):
        if name not in GRAMMAR[file]:
            raise ValueError(f"{file} has no {name!r}")
        found[name] = GRAMMAR[file][name](value)
    return found


def assert_is_read_as_meant(system: System, policy: SlotPolicy, now: SlotPolicy | None = None) -> None:
    settings = system.settings(policy, now)
    found = read(pasted(settings, system.file), system.file)
    assert found.keys() == settings.keys()
    if policy.speculation.key != "none":
        values = policy.speculation.as_dict
        for one in policy.speculation.declared:
            if one.setting in found:
                assert found[one.setting] == pytest.approx(values[one.name], rel=1e-5, abs=6e-4), one.name
    assert {found[switch] for switch in system.switches} == {
        "false" if policy.speculation.key == "none" else "true"
    }


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_the_lines_of_every_option_of_what_if_are_read_as_meant(system):
    for text in ("fifo+none", *system.options):
        assert_is_read_as_meant(system, read_policy(text))
    assert_is_read_as_meant(SPARK, read_policy("fair+spark"), read_policy("fifo+none"))


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_the_lines_of_the_least_and_the_most_that_a_rule_takes_are_read_as_meant(system):
    for one in read_policy(f"fifo+{system.key}").speculation.declared:
        for end in (one.about.low, one.about.high):
            assert_is_read_as_meant(system, read_policy(f"fifo+{system.key}:{one.name}={end:g}"))


@given(data=st.data(), key=st.sampled_from([*SYSTEMS]))
def test_the_lines_of_any_policy_of_what_if_are_read_as_meant(data, key):
    given = []
    for one in read_policy(f"fifo+{key}").speculation.declared:
        drawn = (st.integers if one.whole else st.floats)(one.about.low, one.about.high)
        given.append(f"{one.name}={data.draw(drawn, one.name)!r}")
    assert_is_read_as_meant(SYSTEMS[key], read_policy(f"fifo+{key}:{','.join(given)}"))


def questions() -> Iterator[Replay]:
    """Yield questions with a slow host, with large tasks, with pauses and executors that come and go."""
    dynamic = {"spark.dynamicAllocation.enabled": "true", "spark.executor.cores": "2"}
    for master in ("yarn", "spark", "k8s", ""):
        yield Replay(
            fit(recorded(machines=(4, 2), tasks=24, slow={"h3": 3.0}, settings={"spark.master": master}))
        )
    skewed = fit(recorded(read=READ))
    yield Replay(skewed)
    yield Replay(shuffling(skewed))
    yield Replay(fit(recorded(machines=(3, 2), tasks=12, frozen=4.0, settings=dynamic)))


def shuffling(model: Model) -> Model:
    """Return a model whose stages read shuffles."""
    table = model.history.stages
    place = table.schema.get_field_index("reads")
    told = table.set_column(place, "reads", pa.array(["shuffle"] * len(table)))
    return replace(model, history=replace(model.history, stages=told))


@pytest.fixture(scope="module")
def shown() -> list[tuple[Replay, str, SettingLines]]:
    """What every remedy says to every system, of every question."""
    systems = (*SYSTEMS, "slurm", "ray", "csv")
    return [
        (question, system, remedy.paste(question, system, way))
        for question in questions()
        for remedy in REMEDIES
        for way in remedy.ways
        for system in systems
    ]


def test_every_line_of_a_remedy_is_read_by_its_target(shown):
    names = {
        name for _, _, one in shown if one.settings for name in read(pasted(one.settings, one.file), one.file)
    }
    policies = (read_policy(text) for system in SYSTEMS.values() for text in system.options)
    tried = {one.setting for policy in policies for one in policy.speculation.declared}
    tried |= {switch for system in SYSTEMS.values() for switch in system.switches} | {SPARK.mode}
    assert names | tried == {name for of in GRAMMAR.values() for name in of}
    followed = set()
    for _, _, one in shown:
        for command, form in COMMANDS.items():
            for found in re.finditer(command, one.told):
                followed.add(command)
                assert re.match(rf"({form})(?=[,.;:]?( |$))", one.told[found.end() :]), one.told
    assert followed == {*COMMANDS}


def test_an_amount_is_the_same_in_every_system_and_the_one_that_is_meant(shown):
    """Idle executors live a minute longer than the longest pause; parts are as large as the usual task's."""
    meant = {
        "spark.dynamicAllocation.executorIdleTimeout": lambda one: math.ceil(longest_pause(one)) + 60,
        "resourcemanager.taskmanager-timeout": lambda one: math.ceil(longest_pause(one)) + 60,
        "spark.sql.files.maxPartitionBytes": lambda one: skew(one.model).median["input"],
        "mapreduce.input.fileinputformat.split.maxsize": lambda one: skew(one.model).median["input"],
        "tez.grouping.max-size": lambda one: skew(one.model).median["input"],
    }
    seen = set()
    for question, _, one in shown:
        found = read(pasted(one.settings, one.file), one.file) if one.settings else {}
        for name in found.keys() & meant.keys():
            seen.add(name)
            assert found[name] == pytest.approx(meant[name](question), abs=1), name
    assert seen == meant.keys()


WRONG = {
    "spark-defaults.conf": (
        "spark.speculation True",
        "spark.speculation.quantile 75",
        "spark.speculation.interval 0.25s",
        "spark.speculation.interval 250",
        "spark.dynamicAllocation.executorIdleTimeout 90500ms",  # which Spark cuts to seconds
        "spark.dynamicAllocation.minExecutors 2.5",
        "spark.yarn.exclude.nodes h1, h2",
        "spark.speculation.multiplyer 2",
    ),
    "flink-conf.yaml": (
        "resourcemanager.taskmanager-timeout: 61",  # a thousandth of what is meant
        "slow-task-detector.check-interval: 1.5s",
        f"{FLINK}.max-concurrent-executions: 0",
    ),
    "mapred-site.xml": (
        f"<property><name>{MAPREDUCE}.retry-after-speculate</name><value>5000ms</value></property>",
        f"<property><name>{MAPREDUCE}.minimum-allowed-tasks</name><value>1e+06</value></property>",
    ),
}


def test_a_line_with_a_wrong_name_form_unit_or_range_would_be_noticed():
    for file, wrong in WRONG.items():
        for text in wrong:
            with pytest.raises(ValueError, match=r"has no|is no|not"):
                read(text, file)
