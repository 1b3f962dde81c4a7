"""The functions of `import sim` about logs: the answers of the shell, as objects, tables and figures."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sim
from sim.advice.diagnosis import CAUSES, charts
from sim.advice.diagnosis.library import DiagnosisResult
from sim.advice.fleet import charts as worst
from sim.advice.several import charts as changes
from sim.advice.whatif import steps
from sim.advice.whatif.document import as_text, parts
from sim.advice.whatif.library import WhatIfResult
from sim.logs.samples import nightly, slurm
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.shell.verbs import main
from sim.telling.document import Drawn, typed, typeset


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the accounting sample as a file."""
    path = tmp_path_factory.mktemp("logs") / slurm().name
    path.write_bytes(slurm().data)
    return path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    """Return what the shell answers as JSON."""
    assert main([*words, "--json=-"]) == 0
    return json.loads(capsys.readouterr().out)


# diagnose


@pytest.fixture(scope="module")
def diagnosed(log: Path) -> DiagnosisResult:
    return sim.diagnose(log)


def test_a_diagnosis_has_the_numbers_of_the_shell(diagnosed, log, capsys) -> None:
    said = told(capsys, "trace", str(log))
    assert diagnosed.sentence == said["sentence"]
    assert diagnosed.account.states == said["account"]
    rows = diagnosed.table.to_dict("records")
    for row, one in zip(rows, said["findings"], strict=False):
        assert {name: row[name] for name in one if name != "acts"} == {
            name: value for name, value in one.items() if name != "acts"
        }
    unknown = {row["key"]: row["untold"] for row in rows if row["untold"]}
    assert unknown == said["untold"]
    assert {row["key"] for row in rows} >= CAUSES.keys()
    assert all(np.isnan(row["seconds"]) == bool(row["untold"]) for row in rows)


def test_a_cause_that_is_no_finding_has_its_seconds_and_share(diagnosed) -> None:
    found = {one.key for one in diagnosed.findings}
    others = diagnosed.table[~diagnosed.table.key.isin(found) & (diagnosed.table.untold == "")]
    whole = diagnosed.lost.jobs["recorded"].sum()
    assert len(others) > 1
    for row in others.itertuples():
        cost = diagnosed.costs[row.key]
        assert (row.seconds, row.low, row.high, row.action) == (cost.seconds, cost.low, cost.high, "")
        assert row.share == cost.seconds / whole


def test_the_figure_is_the_first_of_the_page_in_both_themes(diagnosed) -> None:
    for dark in (False, True):
        assert diagnosed.plot(dark=dark).to_json() == charts.draw(diagnosed, dark).to_json()


def test_a_table_is_written_as_a_file_that_a_spreadsheet_does_not_run(diagnosed, tmp_path) -> None:
    diagnosed.to_csv(tmp_path / "found.csv")
    read = pd.read_csv(tmp_path / "found.csv", keep_default_na=False, na_values={"seconds": [""]})
    assert read.action.tolist() == diagnosed.table.action.tolist()
    np.testing.assert_allclose(read.seconds, diagnosed.table.seconds)
    rows = b"record,job_id,task_id,start_s,end_s,name\njob,a,,,9,=1+1\ncopy,a,0,0,1,\ncopy,a,1,0,9,\n"
    assert "<td>" in sim.diagnose(Upload("one.csv", rows))._repr_html_()


def test_jobs_are_left_out_as_in_the_shell(log, capsys) -> None:
    said = told(capsys, "trace", str(log), "--leave-out=sweep-5", "--left-out=gone")
    assert sim.diagnose(log, leave_out="sweep-5", left_out="gone").sentence == said["sentence"]
    assert said["jobs"] == 29


def test_a_log_without_times_of_jobs_has_no_figure() -> None:
    rows = b"record,job_id,task_id,start_s,end_s\njob,a,,,\ncopy,a,0,1,9\n"
    found = sim.diagnose(Upload("one.csv", rows))
    with pytest.raises(BadInput, match=r"^plot: the log does not tell where the time of its jobs went"):
        found.plot()


# whatif


@pytest.fixture(scope="module", autouse=True)
def no_group_of_jobs_is_tried() -> Iterator[None]:
    """Try no groups of jobs where the model is poor, which takes most of the time of a small log.

    What is found so is held in `tests/sim/whatif/test_narrowed.py`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "TRIED", 0)
        yield


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small accounting table as a file."""
    path = tmp_path_factory.mktemp("small") / "slurm.txt"
    path.write_bytes(slurm(arrays=6, tasks=16).data)
    return path


@pytest.fixture(scope="module")
def answered(small: Path) -> WhatIfResult:
    return sim.whatif(small, replications=4, rate=1.1, budget=0.2, objective="p95", seed=3)


@pytest.mark.compiled
def test_a_what_if_has_the_numbers_of_the_shell(answered, small, capsys) -> None:
    line = ("--replications=4", "--rate=1.1", "--budget=20%", "--objective=p95", "--seed=3")
    said = told(capsys, "whatif", str(small), *line)
    table = answered.table.set_index("policy")
    assert table.index.tolist() == list(said["policies"])
    for policy, one in said["policies"].items():
        row = table.loc[policy]
        for name in ("mean", "p50", "p95"):
            assert row[name] == pytest.approx(one["job_time"][name]["value"])
        for name, change in one["change"].items():
            ends = [row[f"change_{name}{end}"] for end in ("", "_low", "_high")]
            assert ends == [change["value"], change["low"], change["high"]]
        assert row.copies == one["copies"]["value"]
    assert answered.check.verdict == said["check"]["verdict"]
    assert table.standing[said["today"]] == "today"
    assert (answered.question.rate, answered.budget, answered.objective) == (1.1, 0.2, "p95")


@pytest.mark.compiled
def test_a_what_if_says_what_the_report_says_first_and_draws_its_chart(answered) -> None:
    assert as_text(answered).startswith(typed(typeset(answered.headline)))
    places = {one.place: one.figures for one in parts(answered) if isinstance(one, Drawn)}
    for dark in (False, True):
        values = answered.plot(dark=dark).to_plotly_json()
        assert values["layout"]["uirevision"] == places["front"][dark]["layout"]["uirevision"]
        assert [one["name"] for one in values["data"]] == [
            one["name"] for one in places["front"][dark]["data"]
        ]


@pytest.mark.compiled
def test_chosen_policies_on_other_slots_at_a_load_without_some_jobs(small) -> None:
    found = sim.whatif(small, policies=["fifo+late"], slots=9, load=0.5, replications=4, threads=1)
    assert found.table.policy.tolist() == [found.today, "fifo+late"]
    assert found.question.slots == 9
    assert found.question.load == pytest.approx(0.5)
    fewer = sim.whatif(small, replications=2, leave_out="sweep-1", left_out="gone")
    assert len(fewer.question.model.jobs) == 5
    more = sim.whatif(small, replications=4, papers=True, system="spark")
    assert more.system.key == "spark"
    assert set(more.options) > set(sim.whatif(small, replications=4, system="spark").options)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"policies": "fifo+late"}, r"^policies: 'fifo\+late' is not accepted; give a list of policies$"),
        ({"budget": -0.1}, "^budget: -0.1 is not accepted; give a number from 0 to 10$"),
        ({"objective": "p99"}, "^objective: 'p99' is not accepted; give mean or p95$"),
        ({"replications": 1}, "^replications: 1 is not accepted; give a whole number from 2 to 100000$"),
        ({"slots": -1}, "^slots: -1 is not accepted; give a whole number from 1"),
        ({"rate": 0}, "^rate: 0 is not accepted; give a number from 0.001"),
        ({"rate": 2, "load": 0.5}, "^load: not accepted together with rate, which it would change"),
        ({"seed": 0.5}, "^seed: 0.5 is not accepted"),
        ({"threads": 0}, "^threads: 0 is not accepted"),
        ({"system": "sparc"}, "^system: 'sparc'"),
        ({"leave_out": "nobody"}, "^leave-out: 'nobody' is in no job's"),
    ],
)
def test_what_cannot_be_asked_of_a_what_if_is_refused_by_name(small, options, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        sim.whatif(small, **options)


# after


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return four runs of the same arrays as files."""
    folder = tmp_path_factory.mktemp("nights")
    for run in range(4):
        (folder / f"{run}.txt").write_bytes(nightly(run, arrays=8, tasks=12).data)
    return sorted(folder.iterdir())


@pytest.mark.compiled
@pytest.mark.parametrize("each", [1, 2])
def test_a_change_has_the_numbers_of_the_shell(nights, capsys, each: int) -> None:
    before, after = (nights[:each], nights[2 : 2 + each])
    more = [f"--more-before={one}" for one in before[1:]] + [f"--more-after={one}" for one in after[1:]]
    said = told(capsys, "after", str(before[0]), str(after[0]), *more, "--replications=20")
    found = sim.after(*(runs if each > 1 else runs[0] for runs in (before, after)), replications=20)
    assert (found.sentence, found.assumed) == (said["sentence"], said["assumed"])
    table = found.table.set_index("figure")
    assert table.index.tolist() == list(said["figures"])
    for name, one in said["figures"].items():
        row, share = table.loc[name], one["change"]
        assert (row.before, row.after, row.over, row.reason) == (
            *(one["before"], one["after"]),
            *(one["over"], one["reason"]),
        )
        known = [np.nan if share[end] is None else share[end] for end in ("value", "low", "high")]
        np.testing.assert_array_equal([row.change, row.change_low, row.change_high], known)
    for name, band in said["promise"]["figures"].items():
        row = table.loc[name]
        ends = (band["middle"], band["low"], band["high"])
        assert (row.promised, row.promised_low, row.promised_high) == ends
    assert found.plot(dark=True).to_json() == changes.draw(found, True).to_json()


def test_runs_without_a_job_in_common_have_no_figure(nights, small) -> None:
    found = sim.after(nights[0], small, replications=0)
    assert found.table.empty
    assert found.table.columns[:4].tolist() == ["figure", "title", "before", "after"]
    with pytest.raises(BadInput, match=r"^plot: no job is in all runs by its name"):
        found.plot()


# fleet


def test_a_fleet_has_the_rows_of_the_shell(log, small, tmp_path, capsys) -> None:
    for one in (log, small):
        (tmp_path / one.name).write_bytes(one.read_bytes())
    (tmp_path / "notes.json").write_text("{}")
    line = ("--compute=0", "--again", f"--csv={tmp_path.parent / 'fleet.csv'}")
    said = told(capsys, "fleet", str(tmp_path), *line)
    found = sim.fleet(tmp_path, compute=0, again=True)
    assert found.table["log"].tolist() == [one["log"] for one in said["logs"]]
    assert (found.totals.lost, found.account) == (said["totals"]["lost_hours"], said["account"])
    assert [one.finding.seconds for one in found.findings] == [one["seconds"] for one in said["findings"]]
    assert found.table["lost (h)"].dropna().is_monotonic_decreasing
    assert found.sentence.startswith("slurm_arrays.txt: Replace node03 and node06")
    found.to_csv(tmp_path.parent / "ours.csv")
    ours, theirs = ((tmp_path.parent / name).read_text().strip() for name in ("ours.csv", "fleet.csv"))
    assert ours == theirs
    assert found.plot().to_json() == worst.draw(found.looks, False).to_json()
    with pytest.raises(BadInput, match=r"^plot: no log tells what it lost"):
        sim.fleet(tmp_path / "notes.json", compute=0, again=True).plot()


def test_what_is_found_in_a_fleet_is_kept_in_the_file_that_is_named(small, tmp_path) -> None:
    sim.fleet(small, compute=0, keep=tmp_path / "kept.jsonl", processes=1)
    assert (tmp_path / "kept.jsonl").read_text().count("\n") == 2


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda log: sim.diagnose(), "^paths: none is given; give a log"),
        (lambda log: sim.whatif(), "^paths: none is given; give a log"),
        (lambda log: sim.after([], log), "^before: none is given; give a log"),
        (lambda log: sim.after(log, None), "^after: None is not accepted; give a log"),
        (lambda log: sim.after([log, log], log), "^runs: '.*slurm_arrays.txt' is the run of"),
        (lambda log: sim.after(log, log, replications=1), "^replications: 1 is not accepted; give 0, or 2"),
        (lambda log: sim.fleet(), "^sources: none is given; give a folder or an address$"),
        (lambda log: sim.fleet(3), "^sources: 3 is not accepted; give a folder or an address$"),
        (lambda log: sim.fleet(log, compute=-1), "^compute: -1 is not accepted; give a whole number from 0"),
        (lambda log: sim.fleet(log, processes=0), "^processes: 0 is not accepted"),
        (lambda log: sim.fleet(log, again=True, keep="k"), "^again: not accepted together with keep"),
        (lambda log: sim.diagnose(3), "^paths: 3 is not accepted; give a log"),
        (lambda log: sim.diagnose(log, left_out="there"), "^left-out: 'there' is not accepted"),
        (lambda log: sim.diagnose(log, leave_out="nobody"), "^leave-out: 'nobody' is in no job's"),
        (lambda log: sim.diagnose(log).to_csv("-"), "^path: '-' is not accepted; give the name of a file"),
        (lambda log: sim.diagnose(log).to_csv(log.parent), "^path: .* give the name of a file"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(log, ask, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        ask(log)


def test_to_ask_for_a_comparison_loads_nothing_of_logs() -> None:
    code = (
        "import sim, sys; sim.compare; "
        "sys.exit(any(one in sys.modules for one in ('sim.advice.diagnosis', 'plotly.graph_objects')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
