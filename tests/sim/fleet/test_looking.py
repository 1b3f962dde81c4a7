"""A fleet is looked at log by log: numbers, what is kept, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.findings import Finding
from sim.advice.fleet import report, survey
from sim.advice.fleet.first_look import NOTHING, UNTOLD, Advised, Look
from sim.advice.fleet.survey import Kept, advise_on_most, items_of, look_at_all, most_first
from sim.advice.whatif.price import Executor, Price
from sim.logs import samples
from sim.logs.formats import read_history
from sim.model.fields import BadInput
from sim.running.code_digest import of_logs
from sim.running.processes.worker import Ended
from sim.shell import fleet as command
from sim.shell.verbs import main
from sim.telling.words import percent, spell
from tests.sim.fleet.served import listed, serving
from tests.sim.logs import logs

FINDING = Finding("luck", 90.0, 60.0, 120.0, 0.5, "Try second copies.")
ADVICE = Advised("split", "Split large tasks", "Splitting.", -0.25, -0.5, -0.125, 0.5, 0.25, 1.0)


def a_log(slow: int, name: str = "nightly") -> bytes:
    """Return a job of ten tasks on ten slots: nine of a second, one of so many.

    With every task at the median the job is slow - 1 seconds faster.
    """
    places = [{"executor": f"{one}", "host": f"h{one}"} for one in range(10)]
    started = {"Event": "SparkListenerApplicationStart", "App Name": name, "App ID": "app-1", "Timestamp": 0}
    events = [logs.start(), started, *(logs.executor(f"{one}", 0, f"h{one}", 1) for one in range(10))]
    events += [logs.job(0, [0], 100), logs.stage(0, 10, 100)]
    events += [logs.launched(one, one, 100, **places[one]) for one in range(10)]
    ends = [1100] * 9 + [100 + 1000 * slow]
    events += [logs.ended(one, one, 100, ends[one], **places[one]) for one in range(10)]
    return logs.lines([*events, logs.stage(0, 10, 100, max(ends)), logs.job_end(0, max(ends))])


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Return a folder of three logs and a file that is none."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for slow in (2, 9, 5):
        (folder / f"app-{slow}").write_bytes(a_log(slow, f"job of {slow}"))
    (folder / "notes.txt").write_text("not a log")
    return folder


class Here:
    """Does in this process what a worker does in another, and notes what it is asked for."""

    asked: list[tuple[str, str]]
    ends: dict[str, str]

    def __init__(self, limits: object) -> None:
        pass

    def call(self, function: Callable[..., Any], item: survey.Item, **options: Any) -> Any:
        self.asked.append((function.__name__, item.log.name))
        if reason := self.ends.get(item.log.name):
            raise Ended(reason)
        return ADVICE if function.__name__ == "advise_on" else function(item)

    def close(self) -> None:
        pass


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> type[Here]:
    monkeypatch.setattr(survey, "Worker", Here)
    Here.asked, Here.ends = [], {}
    return Here


def names(asked: list[tuple[str, str]], what: str) -> list[str]:
    return [name for function, name in asked if function == what]


def test_a_log_says_in_a_fleet_what_it_says_alone(tmp_path: Path, here: type[Here]) -> None:
    """Causes and states of the fleet are the sums of those of its logs."""
    files = [samples.spark(speculation=True), samples.spark(speculation=False), samples.slurm()]
    for file in files:
        (tmp_path / file.name).write_bytes(file.data)
    looks = look_at_all(items_of([str(tmp_path)]), Kept(None), processes=2)
    alone = {file.name: diagnose(read_history(file)) for file in files}
    assert {one.name: (one.first, one.findings, one.account) for one in looks} == {
        name: (one.answer, one.findings, one.account.states) for name, one in alone.items()
    }
    told = report.as_json(looks)
    everything = [one for found in alone.values() for one in found.findings]
    for cause in told["findings"]:
        own = [one for one in everything if (one.key, one.acts) == (cause["key"], cause["acts"])]
        assert cause["logs"] == len(own)
        for end in ("seconds", "low", "high"):
            assert cause[end] == pytest.approx(sum(getattr(one, end) for one in own))
        assert cause["action"] == max(own, key=lambda one: one.seconds).action
    ranks = [(not one["acts"], -one["seconds"]) for one in told["findings"]]
    assert ranks == sorted(ranks)
    assert {one["key"] for one in told["findings"]} == {one.key for one in everything}
    recorded = sum(one.account.jobs["recorded"].sum() for one in alone.values())
    assert sum(told["account"].values()) == pytest.approx(recorded)
    for key, seconds in told["account"].items():
        assert seconds == pytest.approx(sum(one.account.states.get(key, 0.0) for one in alone.values()))
    first = told["findings"][0]
    sentence = report.sentence(looks)
    cost = f"{spell(first['seconds'])}, {percent(first['seconds'] / recorded)} ("
    assert sentence.startswith(f"slurm_arrays.txt: {first['action']} ")
    assert f"Over all logs hosts of unequal speed cost most: {cost}" in sentence
    text = report.as_text(looks)
    assert all(one.answer in text for one in alone.values())
    assert f"waiting for the last {percent(told['account']['waiting for the last'] / recorded)}" in text


def test_what_cannot_be_mended_leads_only_where_nothing_else_is_found() -> None:
    """As in a diagnosis: luck where no second copy can run comes last, however much it cost."""
    luck = replace(FINDING, seconds=900.0, acts=False)
    looks = [Look("a", format="slurm", hours=1.0, findings=(luck,))]
    assert report.first(looks) == f"a: {luck.action}"
    looks.append(Look("b", format="spark", hours=1.0, findings=(replace(FINDING, key="machine"), FINDING)))
    assert [(one.finding.key, one.logs) for one in report.findings(looks)] == [
        ("machine", 1),
        ("luck", 1),
        ("luck", 1),
    ]
    assert " Over all logs hosts of unequal speed cost most: " in report.first(looks)
    assert report.first([Look("c", format="spark", hours=1.0)]) == ""


def test_each_log_has_its_numbers_and_a_broken_one_its_reason(fleet: Path, here: type[Here]) -> None:
    looks = look_at_all(items_of([str(fleet)]), Kept(None), processes=1)
    told = {one.name: one for one in looks}
    for slow in (2, 5, 9):
        one = told[f"app-{slow}"]
        assert (one.application, one.format, one.jobs, one.tasks) == (f"job of {slow}", "spark", 1, 10)
        assert one.hours == pytest.approx(slow / 3600)
        assert one.lost == pytest.approx((slow - 1) / 3600)
        assert one.slot_hours == pytest.approx((slow - 1) / 3600)
        whole = diagnose(read_history(fleet / one.name))
        assert one.lost == pytest.approx(whole.lost.seconds / 3600)
        assert (one.jobs, one.tasks) == (whole.counts.jobs, whole.counts.tasks)
    assert told["notes.txt"].no_log
    assert report.no_logs(looks) == "1 file is no log: notes.txt."
    assert "notes.txt" not in report.table(looks)["log"].tolist()
    assert "not the start of a known log" in told["notes.txt"].reason
    assert [one.name for one in most_first(looks)] == ["app-9", "app-5", "app-2", "notes.txt"]


@pytest.mark.parametrize("source", [".", "app-2"])
def test_a_process_in_another_folder_finds_what_was_given_from_here(
    fleet: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet)
    items = survey.items_of([source])
    monkeypatch.chdir("/")
    assert items
    assert all(Path(file).is_file() for item in items for file in item.log.files)


def test_a_log_whose_process_ends_is_a_row_and_is_tried_again(fleet: Path, here: type[Here]) -> None:
    here.ends = {"app-5": "memory"}
    kept, items = Kept(None), items_of([str(fleet)])
    looks = look_at_all(items, kept, processes=2)
    assert len(looks) == 4
    assert {one.name: one.reason for one in looks}["app-5"] == survey.WHY["memory"]
    here.ends = {}
    assert all(one.is_read for one in look_at_all(items, kept, processes=1) if one.name != "notes.txt")


def test_a_second_look_reads_only_what_is_new(fleet: Path, tmp_path: Path, here: type[Here]) -> None:
    file = tmp_path / "deep" / "looks.jsonl"
    items = items_of([str(fleet)])
    first = look_at_all(items, Kept(file), processes=1)
    (fleet / "app-2").rename(fleet / "moved")
    (fleet / "app-5").write_bytes(a_log(6))
    here.asked.clear()
    again = look_at_all(items_of([str(fleet)]), Kept(file), processes=1)
    assert names(here.asked, "look_at") == ["app-5", "moved", "notes.txt"]
    assert {one.name: one.lost for one in again}["app-9"] == {one.name: one.lost for one in first}["app-9"]
    here.asked.clear()
    look_at_all(items_of([str(fleet)]), Kept(file), processes=1)
    assert names(here.asked, "look_at") == ["notes.txt"]


def test_what_was_kept_by_other_code_or_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    file, look = (
        tmp_path / "looks.jsonl",
        Look("a", "a", "spark", executor=Executor(4.0, 4.0), advised=ADVICE, findings=(FINDING,)),
    )
    kept = Kept(file)
    kept.keep("one", look)
    kept.keep("two", look)
    first, one, two = file.read_text().splitlines()
    assert Kept(file).get("one") == look
    odd = [
        one.replace(of_logs(), "0" * 16),
        "nonsense",
        "[]",
        "[" * 200_000,
        one.replace('"hours": 0.0', '"hours": NaN'),
        one.replace('"hours": 0.0', '"hours": "many"'),
        one.replace('"tasks": 0', '"tasks": true'),
        one.replace('"cores": 4.0', '"cores": [4.0]'),
        one.replace('"account": {}', '"account": {"running": "long"}'),
        one.replace('"account": {}', '"account": [["running", 1.0]]'),
        one.replace('"account": {}', '"account": {"asleep": 1.0}'),
        one.replace('"account": {}', '"account": "running"'),
        one.replace('"key": "luck"', '"key": 1'),
        one.replace('"key": "luck"', '"key": "fate"'),
        one.replace('"acts": true', '"acts": 1'),
        one.replace('"remedy": "split"', '"remedy": null'),
        one.replace('"remedy"', '"cure"'),
        two[:-20],
    ]
    assert len(set(odd) - {one, two}) == len(odd)
    file.write_text("\n".join([first, *odd]))
    assert [Kept(file).get(name) for name in ("one", "two")] == [None, None]
    with pytest.raises(BadInput, match="keep: "):
        Kept(tmp_path)


def test_the_remedy_is_computed_for_those_that_lost_most_and_kept(
    fleet: Path, tmp_path: Path, here: type[Here]
) -> None:
    file, items = tmp_path / "looks.jsonl", items_of([str(fleet)])
    kept = Kept(file)
    looks = advise_on_most(items, look_at_all(items, kept, processes=1), kept, 2)
    assert names(here.asked, "advise_on") == ["app-9", "app-5"]
    assert {one.name for one in looks if one.advised} == {"app-9", "app-5"}
    here.asked.clear()
    kept = Kept(file)
    again = advise_on_most(items, look_at_all(items, kept, processes=1), kept, 3)
    assert names(here.asked, "advise_on") == ["app-2"]
    remedies = report.table(again).set_index("log")["remedy"].to_dict()
    assert remedies == dict.fromkeys(["app-9", "app-5", "app-2"], "Split large tasks")


def test_a_process_that_ends_while_it_plays_is_no_end_of_the_fleet(fleet: Path, here: type[Here]) -> None:
    items, kept = items_of([str(fleet)]), Kept(None)
    looks = look_at_all(items, kept, processes=1)

    class Ending(Here):
        def call(self, function: Callable[..., Any], item: survey.Item, **options: Any) -> Any:
            if function.__name__ == "advise_on":
                raise Ended("late")
            return super().call(function, item)

    survey.Worker = Ending  # type: ignore[misc]  # set back by the fixture
    (one,) = [one for one in advise_on_most(items, looks, kept, 1) if one.advised]
    assert one.advised is not None
    assert one.advised.remedy == UNTOLD
    assert "too busy" in one.advised.told
    assert one.to_win == one.lost
    again = look_at_all(items, kept, processes=1)
    assert not any(one.advised for one in again)  # the next time the machine need not be busy


def test_fleets_are_sorted_by_gain_where_it_is_known_and_by_loss_where_not() -> None:
    dice = random.Random(3)
    looks = [Look(f"{number}", format="spark", hours=10.0, lost=dice.random()) for number in range(9)]
    looks[4] = replace(looks[4], advised=ADVICE)
    looks[5] = replace(looks[5], advised=Advised(NOTHING, "nothing surely pays", ""))
    found = most_first(looks)
    assert found[0] is looks[4]
    assert found[0].to_win == pytest.approx(2.5)
    assert found[-1] is looks[5]
    rest = [one.lost or 0.0 for one in found[1:-1]]
    assert rest == sorted(rest, reverse=True)


def test_money_is_slot_time_times_the_price_of_a_slot_hour() -> None:
    executor = Executor(cores=4.0, slots=2.0, memory=8.0)
    looks = [
        Look(
            "a",
            format="spark",
            jobs=1,
            hours=4.0,
            lost=1.0,
            slot_hours=3.0,
            executor=executor,
            advised=ADVICE,
        ),
        Look("b", format="slurm", jobs=2, hours=4.0, lost=1.0, slot_hours=5.0, executor_untold="its sizes"),
        Look("c", reason="broken"),
    ]
    price = Price(vcpu=0.5, gb=0.25)  # an executor costs 4, a slot 2 an hour
    found = report.totals(looks, price)
    assert (found.money, found.unpriced, found.unread, found.computed) == (6.0, 1, 1, 1)
    assert report.totals(looks, Price(slot=2.0)).money == 16.0
    assert report.totals(looks).money is None
    assert (found.lost, found.slot_hours, found.hours, found.gain) == (2.0, 8.0, 8.0, 1.0)
    table = report.table(looks, price)
    assert table["its slot-time (money)"].tolist()[0] == 1.0
    told = report.as_json(looks, price)
    assert told["logs"][0]["remedy"]["gain_hours"] == {"value": 1.0, "low": 0.5, "high": 2.0}
    assert told["logs"][2]["reason"] == "broken"
    assert "which cost 6 (1 without a price)" in report.sentence(looks, price)


def test_the_line_of_the_shell_reads_in_processes_and_writes_files(fleet: Path, tmp_path: Path) -> None:
    sheet, told = tmp_path / "fleet.csv", tmp_path / "fleet.json"
    (fleet / "=evil").write_bytes(a_log(3, "=1+1"))
    words = ["fleet", str(fleet), "--compute", "0", "--keep", str(tmp_path / "kept"), "--processes", "1"]
    assert main([*words, "--price", "2", "--csv", str(sheet), "--json", str(told)]) == 0
    found = json.loads(told.read_text())
    assert found["totals"]["logs"] == 4
    assert found["totals"]["unread"] == 0
    assert found["no_logs"] == ["notes.txt"]
    assert found["totals"]["lost_hours"] == pytest.approx((1 + 8 + 4 + 2) / 3600)
    assert found["totals"]["money"] == pytest.approx(2 * 15 / 3600)
    rows = list(csv.DictReader(io.StringIO(sheet.read_text())))
    assert [row["log"] for row in rows] == ["app-9", "app-5", "'=evil", "app-2"]
    assert rows[2]["application"] == "'=1+1"


def test_many_files_that_are_no_logs_are_one_line() -> None:
    looks = [Look("a", "a", "spark", lost=1.0), *(Look(f"{one}.txt", no_log=True) for one in range(40))]
    lines = [line for line in report.as_text(looks).splitlines() if ".txt" in line]
    assert lines == ["40 files are no logs: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 35 more."]
    assert report.totals(looks).logs == 1
    assert report.as_text(looks[1:]).startswith(report.NONE)


def test_the_shell_says_how_far_it_is_where_no_terminal_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "LINE_S", 0.05)
    with command._progress("remedies computed", 2) as told:
        told(0.5)
        time.sleep(0.5)
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("sim: fleet: remedies computed 0.5 of 2 logs, ")
    assert line.endswith(" left")


def test_the_remedy_says_how_far_it_is(fleet: Path) -> None:
    """In a process of its own, and up to the whole."""
    (item,) = items_of([str(fleet / "app-9")])
    told: list[float] = []
    looks = look_at_all([item], Kept(None), processes=1)
    advise_on_most([item], looks, Kept(None), 1, told=told.append)
    assert sum(told) == pytest.approx(1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-folder"], "give a folder or an address"),
        (["{fleet}", "--compute", "many"], "compute: 'many' is not accepted"),
        (["{fleet}", "--csv", "-"], "csv: '-' is not accepted"),
        (["{fleet}", "--again", "--keep", "x"], "again: not accepted together"),
        (["http://ann:secret@"], "address: give http://HOST:PORT"),
    ],
)
def test_bad_lines_are_refused(
    words: list[str], said: str, fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", *(word.replace("{fleet}", str(fleet)) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "secret" not in error


def test_the_logs_of_a_history_server_are_looked_at_and_kept_by_when_they_changed(here: type[Here]) -> None:
    answers = {
        "/api/v1/applications": listed(app_1=["1"], app_2=[""]),
        "/api/v1/applications/app-1/1/logs": logs.zipped({"eventlog_v2_x/events_1_x": a_log(4)}),
    }
    kept = Kept(None)
    with serving(answers) as address:
        items = items_of([f"http://{address}"])
        one, two = look_at_all(items, kept, processes=1)
        assert (one.name, one.application, one.lost) == ("app-1/1", "the app_1", pytest.approx(3 / 3600))
        assert (two.application, two.is_read) == ("the app_2", False)
        assert "no such thing" in two.reason
        here.asked.clear()
        assert look_at_all(items, kept, processes=1)[0] == one
        assert names(here.asked, "look_at") == ["app-2"]
