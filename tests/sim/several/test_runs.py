"""Histories of the same job, from the files to the answer: matching, naming, promises, the shell."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path

import numpy as np
import pytest

from sim.advice.several.after import compared
from sim.advice.several.change import TITLES
from sim.advice.several.matching import job_keys, paired_jobs, paired_tasks
from sim.advice.several.report import after_json, read_both
from sim.advice.several.reruns import repeated
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history
from sim.logs.leaving_out import without_jobs
from sim.logs.samples import HOSTS, SLOW_TASK, SLOW_WORK, nightly, spark
from sim.model.fields import BadInput
from sim.shell.verbs import main
from sim.telling.document import typed
from tests.sim.several.runs import history

#: A folder with logs of a workflow that ran several times, to measure on.
REAL = os.environ.get("STRAGGLER_LAB_REPEATED_RUNS", "")


@pytest.fixture(scope="module")
def runs():
    return [read_history(nightly(run)) for run in (1, 2, 3)]


def test_the_sample_is_measured_as_it_was_made(runs):
    found = repeated(runs)
    luck, machine = 1 / 2.5**2, np.var(np.log(list(HOSTS.values())))
    work = 0.2**2 + np.log(SLOW_WORK) ** 2 * (1 / 40) * (39 / 40)
    for part, value in (("luck", luck), ("machine", machine), ("work", work)):
        share = found.measured.shares[part]
        assert share.low - 0.02 <= value / (luck + machine + work) <= share.high + 0.02, part
    slow = found.measured.slow
    assert (slow["task"] == SLOW_TASK).sum() >= 22
    assert slow["task"].iloc[:20].eq(SLOW_TASK).all()  # others have up to twice the usual work
    slowest = found.measured.hosts.head(2)
    assert list(slowest["host"]) == ["node03", "node06"]
    assert slowest["factor"].tolist() == pytest.approx([1.8, 1.6], abs=0.15)
    assert found.inferred["luck"].value > luck / (luck + machine + work)  # one run takes work for luck
    assert found.agrees("luck") is False


def test_stages_are_matched_by_less_where_names_of_jobs_do_not_recur():
    first, other = history(1, named="2026-01-01"), history(2, named="2026-01-02")
    found = paired_tasks([first, other])
    assert (len(found.log), found.unpaired) == (90, 0)
    assert "not by job" in found.how
    jobs = paired_jobs([first, other])
    assert len(jobs.names) == 0 or "numbers" in jobs.how


def test_tasks_are_paired_with_themselves_in_any_order():
    first, other = history(1), history(2, stages=2)
    found = paired_tasks([first, other])
    ended = [
        {(row.stage, row.task): row.end - row.began for row in one.frame("copies").itertuples()}
        for one in (first, other)
    ]
    for row in range(len(found.log)):
        key = int(found.stage[row]), int(found.task[row])
        assert np.exp(found.log[row]) == pytest.approx([one[key] for one in ended])
    assert found.unpaired == 30


def test_jobs_of_one_name_are_told_apart_by_their_order():
    frame = history(1).frame("jobs").assign(name="daily")
    assert job_keys(frame).tolist() == ["daily, 1", "daily, 2", "daily, 3"]


def test_histories_of_other_jobs_are_refused():
    with pytest.raises(BadInput, match="no stage of two finished tasks or more is in all runs"):
        repeated([history(1), history(2, tasks=31)])
    with pytest.raises(BadInput, match="one history is no repetition"):
        repeated([history(1)])


def test_a_few_jobs_of_one_run_each_cannot_be_told():
    found = compared([history(1)], [history(2, factor=2.0)])
    assert found.sentence == (
        "One run a side cannot tell by what the mean job time changed: only 3 jobs are in all runs. "
        "Record two runs of each side."
    )
    assert "another day" in found.assumed


def test_both_logs_are_read_as_they_are_given():
    found = read_both(spark(speculation=False), spark(speculation=True), first=1)
    assert found.change.settings["spark.speculation"] == ("false", "true")
    assert found.repeated is not None
    assert len(found.repeated.tasks.log) == 456
    other = read_both(nightly(1), spark(speculation=True), first=1)
    assert other.repeated is None
    assert "no stage" in other.reason
    assert other.change.sentence == "Nothing can be compared: no job is in all runs by its name."


@pytest.fixture
def logs(tmp_path):
    paths = []
    for seed, factor in ((1, 1.0), (2, 1.0), (3, 3.0), (4, 3.0)):
        path = tmp_path / f"run-{seed}.parquet"
        path.write_bytes(as_parquet(history(seed, stages=10, factor=factor)))
        paths.append(str(path))
    return paths


def test_the_shell_measures_repeated_runs(logs, capsys):
    assert main(["repeated", *logs[:2], "--json", "-"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["runs"], answer["tasks"]) == (2, 300)
    assert answer["measured"]["luck"]["value"] > 0.8
    assert answer["degrees_of_freedom"]["work"] == 290
    assert main(["repeated", *logs[:2]]) == 0
    assert "degrees of freedom" in capsys.readouterr().out


def test_the_shell_gates_with_one_run_each_and_with_several(logs, tmp_path, capsys):
    first, second, third, fourth = logs
    junit, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    outputs = ["--junit", str(junit), "--markdown", str(markdown)]
    assert main(["gate", first, third, "--fail-if", "mean > +10%", *outputs]) == 1
    assert "fails: mean > +10%" in capsys.readouterr().out
    assert "<failure" in junit.read_text()
    assert "**Gate: fails**" in markdown.read_text()
    assert main(["gate", first, second, "--fail-if", "mean > +30%"]) == 0
    several = ["--more-before", second, "--more-after", fourth]
    assert main(["gate", first, third, *several, "--fail-if", "mean > +10%", "--json", "-"]) == 1
    answer = json.loads(capsys.readouterr().out.partition("{")[2].join(("{", "")))
    assert answer["figures"]["mean"]["over"] == "runs"
    assert main(["gate", first, third, "--more-before", first, "--fail-if", "mean > +10%"]) == 2
    assert "give another run" in capsys.readouterr().err
    assert main(["gate", first, third]) == 2
    assert main(["after", first, third, "--replications", "0"]) == 0
    assert "These jobs are 2" in capsys.readouterr().out


def test_the_shell_writes_one_page_of_what_it_prints(logs, tmp_path, capsys):
    """Before and after and a gate: the same sentences, every figure, a chart, and nothing that is loaded."""
    first, second, third, fourth = logs
    several = ["--more-before", second, "--more-after", fourth]
    page, answer = tmp_path / "page.html", tmp_path / "answer.json"
    asked = {
        "after": ["--replications", "0"],
        "gate": ["--fail-if", "mean > +10%", "--fail-if", "p50 > +900%"],
    }
    for question, options in asked.items():
        outputs = ["--html", str(page), "--json", str(answer)]
        main([question, first, third, *several, *options, *outputs])
        text, found = capsys.readouterr().out, json.loads(answer.read_text())
        body = typed(html.unescape(page.read_text()).partition("<body>")[2].partition("<script>")[0])
        said = [found["sentence"]] if question == "after" else [one["reason"] for one in found["conditions"]]
        for sentence in (*said, found["first"]["before"], found["first"]["after"]):
            assert sentence in text
            assert sentence in body
        assert all(f"<td>{TITLES[name]}</td>" in body for name in found["figures"])
        assert 'id="changes" role="img"' in body
        assert "default-src 'none'" in page.read_text()
        assert main([question, first, third, *options, "--html", "-"]) == 2
        assert "html: '-' is not accepted" in capsys.readouterr().err


@pytest.mark.skipif(not REAL, reason="no logs of repeated runs are given (STRAGGLER_LAB_REPEATED_RUNS)")
def test_one_run_infers_what_real_runs_measure():
    """The two intervals of each part that both tell overlap."""
    found = repeated([read_history(path) for path in sorted(Path(REAL).glob("*.json"))])
    told = [part for part in ("luck", "machine") if found.agrees(part) is not None]
    assert told
    assert all(found.agrees(part) for part in told)


def test_jobs_that_are_left_out_do_not_change_the_answer(tmp_path, capsys):
    """Nor are they counted; a text that is in no run is refused."""
    names = [f"run-{number}.txt" for number in (1, 2, 3, 4)]
    for number, name in enumerate(names, start=1):
        log = nightly(number, arrays=12, tasks=12).data.decode().replace("nightly-1|", "warmup|")
        (tmp_path / name).write_text(log)
    early, late = ([read_history(str(tmp_path / name)) for name in half] for half in (names[:2], names[2:]))
    whole, rest = compared(early, late), compared(early, late, leave_out="warmup")
    kept = [name for name in whole.found.jobs.names if "warmup" not in name]
    assert list(rest.found.jobs.names) == kept
    assert len(kept) == len(whole.found.jobs.names) - 1
    place = [whole.found.jobs.names.index(name) for name in kept]
    assert rest.found.change["mean"].before == pytest.approx(whole.found.jobs.time[place, :2].mean())
    assert rest.sides.jobs == whole.sides.jobs - 1
    with pytest.raises(BadInput, match="is in no job's group or name"):
        compared(early, late, leave_out="no such job")
    paths = [str(tmp_path / name) for name in (names[0], names[2])]
    told = "11 jobs are in all runs, by names, without those named 'warmup'"
    assert main(["after", *paths, "--replications", "0", "--leave-out", "warmup"]) == 0
    assert told in capsys.readouterr().out
    assert main(["gate", *paths, "--fail-if", "mean > +900%", "--leave-out", "warmup", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["jobs"] == 11
    # gone, they are in no run: compared and diagnosed as if they had never been
    kept_out = ["--leave-out", "warmup", "--left-out", "gone"]
    assert main(["after", *paths, "--replications", "0", *kept_out, "--json", "-"]) == 0
    gone = json.loads(capsys.readouterr().out)
    runs = [without_jobs(read_history(path), "warmup") for path in paths]
    assert gone == json.loads(json.dumps(after_json(compared(runs[:1], runs[1:]))))
    assert gone["jobs"] == 11
    assert main(["gate", *paths, "--fail-if", "mean > +900%", *kept_out, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["account"] == gone["account"]
    assert main(["after", *paths, "--leave-out", "warmup", "--left-out", "away"]) == 2
    assert "left-out: 'away' is not accepted" in capsys.readouterr().err
