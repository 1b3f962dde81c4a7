"""Prices: per slot-hour, per executor-hour, or as billed; sizes of executors are those the log tells."""

from __future__ import annotations

import dataclasses
import json
from types import SimpleNamespace

import pytest

from sim.advice.whatif.price import ASSUMED, KINDS, Price, executor_of, tariff
from sim.advice.whatif.report import cost
from sim.advice.whatif.setting_effect import SettingEffect
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history
from sim.logs.samples import spark
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.logs.logs import executor, job, job_end, launched, lines, read, small, stage, start


def log(settings=(), cores=(4, 4), profile=None):
    """Return a history with executors of so many cores, settings and what the profile asks for."""
    asked = {name: {"Resource Name": name, "Amount": amount} for name, amount in (profile or {}).items()}
    event = {
        "Event": "SparkListenerResourceProfileAdded",
        "Resource Profile Id": 0,
        "Executor Resource Requests": asked,
    }
    events = [
        start(),
        *([event] if profile else []),
        *(executor(str(number), 0, cores=each) for number, each in enumerate(cores)),
        {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": dict(settings)},
    ]
    return read([*events, job(0, [0]), stage(0, 1, 0), launched(0, 0, 100), job_end(0, 4600)])


MEMORY = "spark.executor.memory"
YARN = {"spark.master": "yarn"}
KUBERNETES = {"spark.master": "k8s://https://10.0.0.1:443"}


@pytest.mark.parametrize(
    ("settings", "gigabytes"),
    [
        # heap of 8 GB and a tenth of it; of 2 GB and 384 MB
        (YARN | {MEMORY: "8g"}, 8.8),
        (YARN | {MEMORY: "2g"}, 2.375),
        (YARN | {MEMORY: "2048"}, 2.375),
        (YARN | {MEMORY: "8g", "spark.executor.memoryOverhead": "2g"}, 10.0),
        (YARN | {MEMORY: "8g", "spark.yarn.executor.memoryOverhead": "1024"}, 9.0),
        (YARN | {MEMORY: "8g", "spark.executor.memoryOverheadFactor": "0.25"}, 10.0),
        (YARN | {MEMORY: "2g", "spark.executor.minMemoryOverhead": "1g"}, 3.0),
        (YARN | {MEMORY: "8g", "spark.executor.pyspark.memory": "1g"}, 9.8),
        (
            YARN
            | {MEMORY: "8g", "spark.memory.offHeap.enabled": "true"}
            | {"spark.memory.offHeap.size": str(2**31)},
            10.8,
        ),
        (YARN | {MEMORY: "8g", "spark.memory.offHeap.size": "2g"}, 8.8),  # which is not switched on
        (KUBERNETES | {MEMORY: "10g"}, 11.0),
        (KUBERNETES | {MEMORY: "10g", "spark.kubernetes.resource.type": "python"}, 14.0),
        (KUBERNETES | {MEMORY: "10g", "spark.kubernetes.memoryOverheadFactor": "0.2"}, 12.0),
        ({"spark.master": "spark://10.0.0.1:7077", MEMORY: "8g"}, 8.0),
        ({"spark.master": "*********(redacted)", MEMORY: "8g"}, 8.8),
    ],
)
def test_the_memory_that_is_billed_is_the_heap_and_what_lies_beside_it(settings, gigabytes) -> None:
    found, missing = executor_of(log(settings))
    assert not missing
    assert found.memory == pytest.approx(gigabytes)
    assert (found.cores, found.slots) == (4, 4)
    assert found.overhead == pytest.approx(
        gigabytes - float(settings[MEMORY].rstrip("g").replace("2048", "2"))
    )


def test_cores_are_those_that_executors_brought_and_a_task_may_take_several() -> None:
    found, _ = executor_of(log({"spark.task.cpus": "2", "spark.executor.cores": "1"}, cores=(16, 16, 8)))
    assert found.cores == pytest.approx(40 / 3)
    assert found.slots == pytest.approx(20 / 3)


def test_a_resource_profile_tells_the_memory_that_no_setting_names() -> None:
    found, missing = executor_of(log(YARN, profile={"cores": 4, "memory": 4096, "memoryOverhead": 1024}))
    assert (found.memory, missing) == (5.0, "")
    named, _ = executor_of(log(YARN | {MEMORY: "6g"}, profile={"memory": 4096, "memoryOverhead": 1024}))
    assert named.memory == 7.0


def test_what_a_log_does_not_tell_is_named() -> None:
    assert executor_of(log(YARN))[1] == "memory of executors (spark.executor.memory)"
    assert executor_of(log(cores=()))[1] == "executors: no event says that one came"
    local = [
        executor("driver", 0),
        {
            "Event": "SparkListenerEnvironmentUpdate",
            "Spark Properties": {"spark.master": "local[4]", MEMORY: "8g"},
        },
    ]
    assert executor_of(read([*local, *small()[3:]]))[1] == "executors: it ran in local mode"
    assert "only logs of Spark" in executor_of(dataclasses.replace(log(), format="jhist"))[1]


def test_no_host_is_kept_of_the_master_and_the_compact_file_has_the_sizes() -> None:
    history = log(KUBERNETES | {MEMORY: "8g"}, cores=(4, 8))
    assert history.settings["spark.master"] == "k8s"
    assert history.settings["executors"] == "1 of 4 cores, 1 of 8 cores"
    again = read_history(Upload("history.parquet", as_parquet(history)))
    assert executor_of(again) == executor_of(history)
    assert again.digest == history.digest


def test_applications_of_other_sizes_are_noted_and_one_of_them_is_not() -> None:
    def events(memory: str) -> bytes:
        profile = {
            "Event": "SparkListenerResourceProfileAdded",
            "Resource Profile Id": 0,
            "Executor Resource Requests": {"memory": {"Amount": 1024}},
        }
        settings = {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": {MEMORY: memory}}
        return lines([start(), profile, settings, *small()[1:]])

    def noted(*memories: str) -> bool:
        logs = [Upload(f"app-{number}", events(memory)) for number, memory in enumerate(memories)]
        found = read_history(*logs)
        assert found.settings["executors"] == f"{2 * len(logs)} of 2 cores"
        return any("size of executors that differ" in note for note in found.notes)

    assert not noted("8g")
    assert not noted("8g", "8g")
    assert noted("8g", "4g")


#: 2 executors of 4 cores, 4 slots and 8.8 GB.
SIZED = YARN | {MEMORY: "8g"}


@pytest.mark.parametrize(
    ("price", "slot_hour"),
    [
        (Price(slot=0.05), 0.05),
        (Price(executor=0.4), 0.4 / 4),
        (Price(executor=0.4, slot=9.0), 0.4 / 4),
        (Price(vcpu=0.05), 0.05),
        (Price(vcpu=0.05, gb=0.005), (4 * 0.05 + 8.8 * 0.005) / 4),
        (Price(gb=0.005), 8.8 * 0.005 / 4),
        (Price(), 0.0),
    ],
)
def test_a_slot_costs_its_part_of_an_executor(price, slot_hour) -> None:
    found = tariff(price, log(SIZED))
    assert found.slot_hour == pytest.approx(slot_hour)
    assert found.missing == ""
    assert bool(found.sentence) == bool(found.as_json) == bool(slot_hour)
    if slot_hour:
        assert f"{slot_hour:.4g}" in found.sentence
        assert found.as_json["priced_slot_hour"] == pytest.approx(slot_hour)
        assert found.as_json["assumed"] == found.assumed


@pytest.mark.parametrize("price", [Price(vcpu=0.05, gb=0.005), Price(slot=0.02, vcpu=0.05, gb=0.005)])
def test_without_sizes_slots_are_priced_only_if_that_was_given(price) -> None:
    found = tariff(price, log(YARN))
    assert found.missing == "memory of executors (spark.executor.memory)"
    assert found.slot_hour == price.slot
    assert found.as_json["used"] == ("slot" if price.slot else None)
    assert found.as_json["missing"] == found.missing
    assert found.missing in found.sentence
    assert ("Give the price of a slot-hour" in found.sentence) == (not price.slot)
    alone = tariff(Price(vcpu=0.05), log(YARN))  # for which no memory is needed
    assert (alone.missing, alone.slot_hour) == ("", pytest.approx(0.05))


def test_whether_executors_are_given_back_in_this_log_is_said() -> None:
    stayed = tariff(Price(executor=0.4), log(SIZED)).assumed
    went = tariff(Price(executor=0.4), log(SIZED | {"spark.dynamicAllocation.enabled": "true"})).assumed
    untold = tariff(Price(0.1), dataclasses.replace(log(), format="jhist")).assumed
    assert all(one.startswith(ASSUMED) for one in (stayed, went, untold))
    assert "gave no executor back" in stayed
    assert "came and went by demand" in went
    assert untold == ASSUMED


def test_executors_have_one_price_and_a_kind_takes_its_own_numbers() -> None:
    with pytest.raises(BadInput, match=r"^price-executor: not accepted together with price-vcpu"):
        Price(executor=1.0, gb=0.1)
    given = {"price": 1.0, "price_executor": 2.0, "price_vcpu": 3.0, "price_gb": 4.0}
    assert [Price.of(kind, given) for kind in KINDS] == [Price(1), Price(1, 2), Price(1, 0, 3, 4)]
    assert [Price.of(kind, given).kind for kind in KINDS] == list(KINDS)


@pytest.mark.parametrize("rate", [1.0, 2.0])
def test_a_month_is_that_of_the_jobs_an_hour_with_its_interval(rate) -> None:
    """30 jobs that take 12 slot-hours in half an hour: 60 an hour, and 24 slot-hours of work an hour."""
    effect = SettingEffect(-0.25, -0.5, 0.125)
    figures = {"slot_time": 12 * 3600.0, "makespan": 1800.0}
    answer = SimpleNamespace(
        today="now",
        figure=lambda text, name: figures[name],
        tariff=tariff(Price(executor=0.4), log(SIZED)),
        question=SimpleNamespace(kept=SimpleNamespace(sum=lambda: 30), rate=rate),
    )
    found = cost(answer, SimpleNamespace(change={"slot_time": effect}))
    assert found.slot_hours.value == pytest.approx(-3.0)
    assert found.jobs_an_hour == pytest.approx(60)
    month = found.money_a_month
    assert [month.value, month.low, month.high] == pytest.approx(
        [0.1 * 730 * 24 * one for one in (-0.25, -0.5, 0.125)]
    )
    assert found.money_a_day.value == pytest.approx(month.value * 24 / 730)
    recorded = "at the recorded rate of 60 jobs an hour."
    assert found.sentence.endswith(
        recorded if rate == 1 else "at 60 jobs an hour, 2 times the recorded rate."
    )
    assert "an estimate of -438 (-876 to +219) a month" in found.sentence


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the shell answers about a log with executors of three slots, by the price of an executor."""
    folder = tmp_path_factory.mktemp("price")
    (folder / "app.zstd").write_bytes(spark(speculation=False).data)
    asked = ["--policy", "fifo+spark:multiplier=1.5,quantile=0.75", "--replications", "8"]
    names = ["--price-executor", "0.3", "--html", str(folder / "a.html"), "--json", str(folder / "a.json")]
    assert main(["whatif", str(folder / "app.zstd"), *asked, *names]) == 0
    return folder


def test_every_report_has_the_same_price(told, capsys) -> None:
    found = json.loads((told / "a.json").read_text())
    price = found["price"]
    assert (price["asked"], price["used"], price["executor_hour"]) == ("executor", "executor", 0.3)
    assert price["executor"]["slots"] == 3
    assert price["priced_slot_hour"] == found["question"]["price"] == pytest.approx(0.1)
    for policy in found["policies"].values():
        one = policy["cost"]
        assert one["money_a_month"]["low"] == pytest.approx(0.1 * one["slot_hours_a_month"]["low"])
    for remedy in found["remedies"]["each"].values():
        assert (remedy["cost"] is None) == (remedy["change"] is None)
    page = (told / "a.html").read_text()
    assert price["sentence"] in page
    assert ASSUMED in page
    assert "<th>money a month</th>" in page


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--price-gb", "-1"], "price-gb: "),
        (["--price-vcpu", "1", "--price-executor", "1"], "price-executor: not accepted together"),
    ],
)
def test_bad_prices_are_refused_by_name(told, capsys, given, said) -> None:
    assert main(["whatif", str(told / "app.zstd"), *given]) == 2
    assert said in capsys.readouterr().err
