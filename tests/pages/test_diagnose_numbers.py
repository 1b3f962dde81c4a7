"""Every number of the Diagnose page is that of the raw events, or of the diagnosis its label names."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pages.logs.diagnose import charts as diagnose_charts
from pages.logs.diagnose import charts as gantt_of
from pages.logs.diagnose import words as tables
from pages.logs.diagnose.layout import drawings
from pages.logs.diagnose.words import after_the_answer, cards, notices
from pages.logs.words import briefly_read, odd, what_was_read
from pages.shared.words.foreign import literal
from sim.advice.diagnosis import CAUSES, Diagnosis, charts, diagnose
from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.causes import Causes
from sim.advice.diagnosis.charts import gantt
from sim.advice.diagnosis.clusters_of_slowness import Alone, Uneven
from sim.advice.diagnosis.costs import Cause
from sim.advice.diagnosis.report import as_text
from sim.logs.formats import read_history
from sim.logs.samples import slurm, spark
from sim.logs.tabled import as_csv
from sim.telling.palette import palette
from sim.telling.words import begun, number, percent, spell
from tests.depth import each
from tests.pages.made import checked, traces, trouble, words
from tests.sim.logs.logs import lines, read, small
from tests.sim.logs.truth import raw
from tests.sim.logs.written import WRITTEN


@pytest.fixture(scope="module")
def copied() -> Diagnosis:
    return diagnose(read_history(spark(speculation=True)))


@pytest.fixture(scope="module")
def plain() -> Diagnosis:
    return diagnose(read_history(spark(speculation=False)))


@pytest.fixture(scope="module")
def unequal() -> Diagnosis:
    return diagnose(read_history(slurm()))


def log_of(*, speculation: bool) -> bytes:
    return pa.CompressedInputStream(pa.py_buffer(spark(speculation=speculation).data), "zstd").read()


@pytest.fixture(scope="module")
def events() -> pd.DataFrame:
    """Return the copies of the sample with speculation, straight from its events; times in seconds."""
    rows = [json.loads(line) for line in log_of(speculation=True).decode().splitlines()]
    zero = 1_795_300_000_000  # an epoch has too many digits for a float
    return pd.DataFrame(
        {
            "stage": event["Stage ID"],
            "task": event["Task Info"]["Index"],
            "launch": (event["Task Info"]["Launch Time"] - zero) / 1e3,
            "end": (event["Task Info"]["Finish Time"] - zero) / 1e3,
            "host": event["Task Info"]["Host"],
            "second": event["Task Info"]["Speculative"],
            "done": event["Task End Reason"]["Reason"] == "Success",
            "whole": event["Task End Reason"]["Reason"] == "Success"
            or str(event["Task End Reason"].get("Kill Reason")).startswith("Finish but did not commit"),
        }
        for event in rows
        if event["Event"] == "SparkListenerTaskEnd"
    )


@pytest.fixture(scope="module")
def jobs() -> dict[str, float]:
    """Return the recorded time of each job, straight from its events."""
    rows = [json.loads(line) for line in log_of(speculation=True).decode().splitlines()]
    begun = {e["Job ID"]: e["Submission Time"] for e in rows if e["Event"] == "SparkListenerJobStart"}
    return {
        str(e["Job ID"]): (e["Completion Time"] - begun[e["Job ID"]]) / 1e3
        for e in rows
        if e["Event"] == "SparkListenerJobEnd"
    }


def medians(events: pd.DataFrame) -> pd.Series:
    """Return the median of the copies that did all their work, of each stage with ten such tasks."""
    done = events[events.whole]
    length = done.end - done.launch
    many = done.groupby("stage").task.nunique() >= 10
    return length.groupby(done.stage).median()[many]


# Words


def test_what_was_read_has_the_counts_of_the_raw_events(copied: Diagnosis) -> None:
    told, counts = what_was_read(copied).replace("\\", ""), raw(log_of(speculation=True))
    for text in (
        f"{counts['jobs']} jobs",
        f"{counts['stages']} stages",
        f"{counts['tasks']} tasks",
        f"{counts['copies']} copies ({counts['finished']} finished, {counts['killed']} killed)",
        f"{counts['speculative']} speculative",
        f"{counts['hosts']} hosts",
        "at most 12 slots (as the log tells)",
        "Spark event log",
        "`spark_with_speculation.zstd`" if "`" in told else "spark_with_speculation.zstd",
        spell(copied.history.span),
    ):
        assert text in told


def test_the_line_under_the_answer_has_the_counts_of_the_raw_events(copied: Diagnosis) -> None:
    counts = raw(log_of(speculation=True))
    assert briefly_read(copied).replace("\\", "") == (
        f"Spark event log · spark_with_speculation.zstd · {counts['jobs']} jobs, {counts['tasks']} tasks · "
        f"{counts['hosts']} hosts, at most 12 slots · {spell(copied.history.span)}"
    )


def test_the_cards_name_what_they_show(copied: Diagnosis, jobs: dict[str, float]) -> None:
    shown = {card.name: (card.value, *card.details) for card in cards(copied)}
    gone = copied.lost.jobs["lost"].sum()
    mended = copied.anew.seconds / gone * (1 - copied.hidden.again)
    assert shown == {
        "Lost to stragglers": (
            percent(gone / sum(jobs.values())),
            f"{spell(gone)} of {spell(sum(jobs.values()))} of job time",
        ),
        "A copy could save, at most": (
            f"{percent(mended)} of it",
            f"95 %: {spell(copied.anew.low)} to {spell(min(copied.anew.high, gone))}",
        ),
        **{
            begun(CAUSES[one.key].title): (
                percent(one.seconds / sum(jobs.values())),
                f"{spell(one.seconds)} ({spell(one.low)} to {spell(one.high)})",
            )
            for one in copied.findings[:3]
        },
    }
    assert [card.hint for card in cards(copied)[2:]] == [literal(one.action) for one in copied.findings[:3]]
    assert after_the_answer(copied).startswith(literal(copied.cost))
    assert after_the_answer(copied).endswith(f"Then: {literal(copied.findings[1].action)}")


def test_what_to_notice_is_computed(copied: Diagnosis) -> None:
    told = " ".join(notices(copied)).replace("\\", "")
    counts = raw(log_of(speculation=True))
    for text in (
        f"{counts['speculative']} second copies ran and {percent(counts['won'] / counts['speculative'])} of "
        "them won",
        f"{spell(counts['killed_time'])}, {percent(counts['killed_share'])} of the slot-time",
        copied.luck.verdict,
    ):
        assert text in told


def test_notes_are_all_shown_and_counted() -> None:
    log = b'{"Event":"SparkListenerTaskEnd", no\n' + lines(small())[:-9]
    found = diagnose(read(log))
    shown, others = odd(found)
    assert len(re.findall("^- ", shown, re.MULTILINE)) + len(others) == len(found.history.notes) == 2


# Charts


def test_the_bars_of_the_worst_jobs_are_their_times(copied: Diagnosis, jobs: dict[str, float]) -> None:
    figure = checked(diagnose_charts.draw_lost(copied.lost, False))
    without, gone = figure.data
    assert (without.name, gone.name) == ("all tasks at the median", "lost to stragglers")
    names = [re.search(r"\((\d+)\)", text)[1] for text in figure.layout.yaxis.ticktext]  # type: ignore[index]
    assert without.x + gone.x == pytest.approx([jobs[name] for name in names])
    assert gone.x.tolist() == sorted(gone.x, reverse=True)
    assert figure.layout.xaxis.title.text == "time from submission to end (s)"
    assert f"{len(names)} jobs that lost most of {len(jobs)}" in diagnose_charts.about_lost(copied.lost)


def test_times_are_drawn_in_the_unit_of_the_axis(unequal: Diagnosis) -> None:
    figure = diagnose_charts.draw_lost(unequal.lost, False)
    assert figure.layout.xaxis.title.text.endswith("(h)")
    assert figure.data[1].x[0] == pytest.approx(unequal.lost.jobs["lost"].iloc[0] / 3600)


def test_slowest_against_median_is_that_of_the_raw_events(copied: Diagnosis, events: pd.DataFrame) -> None:
    middle = medians(events)
    done = events[events.whole & events.stage.isin(middle.index)]
    slowest = ((done.end - done.launch) / done.stage.map(middle)).groupby(done.stage).max()
    figure = checked(diagnose_charts.draw_spread(copied.spread, False))
    line, marks = figure.data
    assert line.x[0] == pytest.approx(slowest.min())
    assert line.x[-1] == pytest.approx(slowest.max())
    assert (line.y[0], line.y[-1]) == (1, 0)
    assert marks.x == pytest.approx([copied.spread.p50, copied.spread.p90, copied.spread.p99])
    assert list(marks.y) == [0.5, 0.1, 0.01]
    for ratio, share in zip(marks.x, marks.y, strict=True):
        assert np.interp(ratio, line.x, line.y) == pytest.approx(share, abs=0.011)
    assert figure.layout.shapes[0].x0 == 1.5
    assert f"{len(slowest)} stages" in diagnose_charts.about_spread(copied.spread)
    assert percent(copied.spread.over_1_5) in diagnose_charts.about_spread(copied.spread)


def test_the_law_of_luck_is_the_survival_of_the_ratios(plain: Diagnosis) -> None:
    """Without killed copies it is the weighted share above."""
    figure = checked(diagnose_charts.draw_tail(plain.luck, False))
    (line,) = traces(figure, name="copies (Kaplan–Meier)")
    from sim.advice.diagnosis import ratios

    data = ratios(plain.history)
    data["log"] = np.log(data.duration) - plain.shares.fit.not_luck()  # luck is what the fit leaves
    data = data[data.finished >= 5]
    data["ratio"] = np.exp(data.log - data.log.groupby(data.stage).transform("median"))
    for place in (3, 20, 60):
        share = data.weight[data.ratio > line.x[place] * (1 + 1e-9)].sum() / data.weight.sum()
        assert line.y[place] == pytest.approx(share)
    one = plain.luck.tail
    (fit,) = [trace for trace in figure.data if trace.name and trace.name.startswith("Pareto")]
    assert fit.name == f"Pareto, index {number(one.index)}"
    begin = data.weight[data.ratio >= one.x_min * (1 - 1e-9)].sum() / data.weight.sum()
    assert fit.y == pytest.approx(begin * (fit.x / one.x_min) ** -one.index)
    assert figure.layout.shapes[0].x0 == one.x_min
    told = diagnose_charts.about_tail(plain.luck)
    for text in (
        number(one.index),
        f"{number(one.low)} to {number(one.high)}",
        f"n = {one.n:,}",
        number(one.ks, 2),
    ):
        assert text in told


def test_killed_copies_are_marked_where_they_were_killed(copied: Diagnosis, events: pd.DataFrame) -> None:
    figure = checked(diagnose_charts.draw_tail(copied.luck, False))
    (marks,) = traces(figure, name="did not end: would have taken longer")
    from sim.advice.diagnosis import ratios

    data = ratios(copied.history)
    data["log"] = np.log(data.duration) - copied.shares.fit.not_luck()
    data = data[data.finished >= 5]
    own = data.log - data.stage.map(data.log[data.complete].groupby(data.stage).median())
    ratio = np.sort(np.exp(own[~data.complete]))
    assert marks.x == pytest.approx(ratio[ratio >= 1])
    assert (~events.whole).sum() >= marks.x.size


def test_the_costs_of_causes_are_drawn_with_their_intervals(copied: Diagnosis) -> None:
    costs = Causes(copied.causes, copied.untold, copied.anew)
    figure = checked(diagnose_charts.draw_causes(costs, False))
    (bars,) = figure.data
    known = sorted(copied.causes, key=lambda name: -copied.causes[name].seconds)
    found = [copied.causes[name] for name in known]
    assert figure.layout.xaxis.title.text == "job time saved without it (min)"
    assert bars.x == pytest.approx([one.seconds / 60 for one in found])
    assert bars.x + bars.error_x.array == pytest.approx([one.high / 60 for one in found])
    assert bars.x - bars.error_x.arrayminus == pytest.approx([one.low / 60 for one in found])
    names = figure.layout.yaxis.ticktext
    assert names[: len(known)] == tuple(CAUSES[name].title for name in known)
    assert len(names) == len(CAUSES)
    assert [(one.text, names[int(one.y)]) for one in figure.layout.annotations] == [
        ("not known", "executor"),
        ("not known", "fetch wait"),
        ("not known", "start-up"),
    ]
    assert f"fetch wait, since {copied.untold['fetch_wait']};" in diagnose_charts.about_causes(costs)
    assert f"{spell(found[0].low)} to {spell(found[0].high)}" in diagnose_charts.alt_causes(costs)


def test_stages_of_one_task_are_said_with_their_other_runs(copied: Diagnosis) -> None:
    assert not any("had one task" in text for text in notices(copied))
    lost_ = Cause(120.0, 60.0, 180.0)
    (told,) = [
        text
        for text in notices(replace(copied, alone=Alone(30, 600.0, 20, 2, lost_)))
        if "had one task" in text
    ]
    assert told.startswith("30 stages had one task")
    assert "20 of them recur" in told
    assert "jobs would have taken 2.00 min less (95 %: 60.0 s to 3.00 min)" in told


def test_the_hosts_are_ranked_with_their_intervals(unequal: Diagnosis) -> None:
    figure = checked(diagnose_charts.draw_hosts(unequal.shares, False))
    (dots,) = figure.data
    table = unequal.shares.hosts
    assert dots.x.tolist() == table["factor"].tolist()
    assert dots.x + dots.error_x.array == pytest.approx(table["high"])
    assert dots.x - dots.error_x.arrayminus == pytest.approx(table["low"])
    assert list(figure.layout.yaxis.ticktext) == table["host"].tolist()
    assert len(set(dots.marker.color[:2])) == 1
    assert dots.marker.color[0] != dots.marker.color[2]
    assert "node03 and node06" in diagnose_charts.about_hosts(unequal.shares)


def test_originals_and_copies_are_those_of_the_raw_events(copied: Diagnosis, events: pd.DataFrame) -> None:
    figure = checked(diagnose_charts.draw_pairs(copied.speculation, False))
    done = events[events.whole]
    middle = (done.end - done.launch).groupby(done.stage).median()
    both = events[events.second].merge(events[~events.second], on=["stage", "task"], suffixes=("_c", "_o"))
    scale = both.stage.map(middle)
    expected = {
        "copy won, original killed": both.done_c,
        "original won, copy killed": ~both.done_c,
    }
    for name, chosen in expected.items():
        (marks,) = traces(figure, name=name)
        points = sorted(zip(marks.x, marks.y, strict=True))
        told = sorted(
            zip(
                ((both.end_o - both.launch_o) / scale)[chosen],
                ((both.end_c - both.launch_c) / scale)[chosen],
                strict=True,
            )
        )
        assert np.array(points) == pytest.approx(np.array(told))
    waited = np.quantile((both.launch_c - both.launch_o) / scale, [0.1, 0.5, 0.9])
    assert f"launched {number(waited[1])} times" in diagnose_charts.about_pairs(copied.speculation)
    assert f"(80 %: {number(waited[0])} to {number(waited[2])})" in diagnose_charts.about_pairs(
        copied.speculation
    )


def test_busy_slots_add_up_to_the_time_of_all_copies(copied: Diagnosis, events: pd.DataFrame) -> None:
    figure = checked(diagnose_charts.draw_slots(copied.history, False))
    (offered,), (busy,) = traces(figure, name="slots"), traces(figure, name="busy with copies")
    unit = {"(s)": 1, "(min)": 60, "(h)": 3600, "(d)": 86400}[figure.layout.xaxis.title.text.split()[-1]]
    area = np.trapezoid(np.asarray(busy.y, float), np.asarray(busy.x, float)) * unit
    held = float((events.end - events.launch).sum())
    assert area == pytest.approx(held, rel=1e-3)
    assert max(offered.y) == 12
    first, last = copied.history.limits
    changes = copied.history.frame("slots")
    spans = np.diff(np.append(changes["time"].clip(first, last), last))
    assert percent(held / float(spans @ changes["slots"])) in diagnose_charts.about_slots(copied.history)


@pytest.mark.parametrize("name", ["copied", "plain", "unequal"])
def test_every_chart_says_in_words_what_it_shows(name: str, request: pytest.FixtureRequest) -> None:
    found = request.getfixturevalue(name)
    for dark in (False, True):
        for drawing in drawings(found, dark):
            assert re.search(r"\d", drawing.alt)
            assert not trouble([drawing.alt, drawing.caption, *words(checked(drawing.figure.figure))])


# Which copy ran where


def test_the_bars_of_a_stage_are_its_copies(copied: Diagnosis, events: pd.DataFrame) -> None:
    row = int(copied.lost.stages.index[0])
    own = events[events.stage == int(copied.history.stages["stage"].to_pylist()[row])]
    bars = gantt(copied.history, stage=row)
    figure = checked(gantt_of.gantt_chart(bars, copied.history.stages["stage"].to_pylist(), False))
    shown = traces(figure, type="bar")
    drawn = sorted(pair for trace in shown for pair in zip(trace.base, trace.x, strict=True))
    told = sorted(zip(own.launch - own.launch.min(), own.end - own.launch, strict=True))
    assert np.array(drawn) == pytest.approx(np.array(told), abs=1e-6)
    assert f"{len(own)} copies" in gantt_of.about_gantt(bars)
    assert f"{int(own.second.sum())} second copies" in gantt_of.about_gantt(bars)
    (crosses,) = traces(figure, name="killed or failed")
    assert len(crosses.x) == int((~own.done).sum())
    assert figure.layout.xaxis.title.text == "time since the first launch (s)"


def test_a_stage_of_three_thousand_tasks_is_drawn_slot_by_slot() -> None:
    rows = ["job_id,task_id,start_s,end_s,host"]
    rows += [
        f"big,{task},{task // 60 * 10},{task // 60 * 10 + 9 + task % 7},h{task % 60 // 4}"
        for task in range(3000)
    ]
    history = read("\n".join(rows).encode())
    bars = gantt(history, stage=0)
    figure = checked(gantt_of.gantt_chart(bars, ["big"], False))
    assert sum(len(trace.x) for trace in figure.data if trace.type == "bar") == 3000
    assert bars["lane"].nunique() <= 130
    assert figure.layout.height <= gantt_of.MOST_HEIGHT
    assert len(figure.layout.yaxis.tickvals) == 15


def test_of_too_many_copies_the_first_are_drawn_and_that_is_said() -> None:
    rows = ["job_id,task_id,start_s,end_s,host"] + [
        f"big,{t},{t},{t + 2},h" for t in range(gantt_of.MOST_JOBS + 7)
    ]
    bars = gantt(read("\n".join(rows).encode()), stage=0)
    figure = gantt_of.gantt_chart(bars, ["big"], False)
    assert sum(len(trace.x) for trace in figure.data if trace.type == "bar") == gantt_of.MOST_JOBS
    assert f"the first {gantt_of.MOST_JOBS:,} of {gantt_of.MOST_JOBS + 7:,} copies" in gantt_of.about_gantt(
        bars
    )


# Tables and files


def test_the_tables_have_a_row_for_each_with_units(
    copied: Diagnosis, events: pd.DataFrame, jobs: dict[str, float]
) -> None:
    table = tables.jobs(copied).set_index("job")
    assert table["recorded (s)"].to_dict() == pytest.approx(jobs)
    assert (table["lost (s)"] / table["recorded (s)"] * 100).tolist() == pytest.approx(
        table["lost (%)"].tolist()
    )
    assert (table["recorded (s)"] - table["without stragglers (s)"]).tolist() == pytest.approx(
        table["lost (s)"].tolist()
    )
    found = tables.stages(copied).set_index("stage")
    done = events[events.whole]
    middle = (done.end - done.launch).groupby(done.stage).median()
    assert {int(key): value for key, value in found["median task (s)"].items()} == pytest.approx(
        middle.to_dict()
    )
    assert {int(key): value for key, value in found["tasks"].items()} == events.groupby(
        "stage"
    ).task.nunique().to_dict()
    big = medians(events)
    over = events[events.stage.isin(big.index)]
    share = ((over.end - over.launch) / over.stage.map(big) > 1.5).groupby(over.stage).mean() * 100
    shown = found["copies over 1.5 × median (%)"].dropna()
    assert {int(key): value for key, value in shown.items()} == pytest.approx(share.to_dict())


def test_a_file_is_its_table_and_no_cell_is_a_formula(copied: Diagnosis) -> None:
    for table in (tables.jobs(copied), tables.stages(copied), tables.hosts(copied), tables.pairs(copied)):
        again = pd.read_csv(StringIO(as_csv(table)))
        assert list(again.columns) == list(table.columns)
        numeric = table.select_dtypes("number").columns
        assert again[numeric].to_numpy(float) == pytest.approx(table[numeric].to_numpy(float), nan_ok=True)
    wild = pd.DataFrame({"name": ["=1+1", "+2", "-3", "@sum", "plain", "\t=1"], "value": [-1.0] * 6})
    text = as_csv(wild)
    assert not re.search(r'^"?[=+@\t-]', text, re.MULTILINE)
    assert "-1.0" in text


@each("begin", ["", " ", "\t", "\n", "\r", "\r\n", "\x0b", "\u2028", "\xa0", "\u3000", "a\r", "a\n"])
@each("sign", "=+-@\uff1d\uff0b\uff0d\uff20")
def test_no_row_or_cell_of_a_file_begins_as_a_formula(begin: str, sign: str) -> None:
    text = as_csv(pd.DataFrame({"name": [f"{begin}{sign}1+1"], "value": [-1.0]}))
    rows = list(csv.reader(StringIO(text, newline="")))
    assert [len(row) for row in rows] == [2, 2]
    assert len(text.splitlines()) == 2  # whatever a program takes for the end of a line
    assert not rows[1][0].strip().startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20"))
    assert rows[1][1] == "-1.0"


def test_the_settings_are_those_of_the_log(copied: Diagnosis) -> None:
    table = tables.settings(copied).set_index("setting")["value"]
    assert table["spark.speculation.multiplier"] == "1.5"
    assert table["spark.speculation.quantile"] == "0.75"


def test_times_are_told_in_the_unit_people_read() -> None:
    assert [spell(seconds) for seconds in (0.5, 119.0, 120.0, 7200.0, 172800.0)] == [
        "0.500 s",
        "119 s",
        "2.00 min",
        "2.00 h",
        "2.00 d",
    ]


def test_a_host_whose_tasks_are_slow_together_is_named_as_it_is_written() -> None:
    found = replace(
        diagnose(read_history(slurm())), uneven=Uneven("*h*", None, 3600.0, 7200.0, 1200, 4.04, 0.876)
    )
    (told,) = [text for text in notices(found) if "of what is called luck" in text]
    assert told.startswith(literal("host '*h*', launched 3,600 to 7,200 s after the start, 1,200 copies"))
    assert "took 4.0 times as long as others of their stages" in told
    assert "88 % of what is called luck" in told


# Where the time went


@pytest.mark.parametrize("name", ["copied", "plain", "unequal"])
def test_the_bars_of_the_account_add_up_to_the_times_of_the_longest_jobs(
    name: str, request: pytest.FixtureRequest
) -> None:
    found = request.getfixturevalue(name)
    figure = checked(charts.draw(found, False))
    unit = {"(s)": 1, "(min)": 60, "(h)": 3600, "(d)": 86400}[figure.layout.xaxis.title.text.split()[-1]]
    whole, each = traces(figure, xaxis="x2"), traces(figure, xaxis=None)
    assert sum(one.x[0] for one in whole) == pytest.approx(100)
    recorded = found.account.jobs["recorded"].sort_values(ascending=False).head(charts.MOST)
    assert unit * sum(np.asarray(one.x, float) for one in each) == pytest.approx(recorded.to_numpy())
    assert [one.name for one in whole] == [one.name for one in each]
    assert figure.layout.xaxis.range[1] * unit >= recorded.max()
    assert len(set(figure.layout.yaxis.ticktext)) == len(recorded) == len(each[0].hovertext)


def test_the_account_is_told_in_words_with_the_numbers_of_the_diagnosis(plain: Diagnosis) -> None:
    total = sum(plain.account.states.values())
    longest = plain.account.jobs.sort_values("recorded", ascending=False, kind="stable").head(charts.MOST)
    for key, seconds in plain.account.states.items():
        share, most = percent(seconds / total), spell(longest[key].max())
        assert f"{STATES[key].title} {share} (at most {most} in one)" in charts.alt(plain)
        told = f"{STATES[key].title} {share}: {STATES[key].meaning}"
        assert (told.casefold() in charts.about(plain).casefold()) == (seconds >= charts.EXPLAINED * total)
    assert charts.about(plain).startswith("Waiting for the last 52 %: ")


def test_states_that_the_log_does_not_tell_apart_are_hatched(unequal: Diagnosis, plain: Diagnosis) -> None:
    figure = charts.draw(unequal, False)
    hatched = {one.name for one in figure.data if one.marker.pattern.shape}
    assert (
        hatched == {STATES[key].title for key in unequal.account.states if STATES[key].merges} == {"waiting"}
    )
    assert "Hatched: what the log does not tell apart." in charts.about(unequal)
    assert "Hatched" not in charts.about(plain)


def test_jobs_that_are_not_in_the_account_are_counted_below_it() -> None:
    rows = b"record,job_id,task_id,start_s,end_s,submit_s\n"
    rows += b"job,a,,,9,0\njob,b,,,,0\ncopy,a,0,1,9,\ncopy,b,0,1,,\n"
    assert "1 job without both times or tasks left out." in charts.about(diagnose(read(rows)))


def test_an_account_of_starts_that_are_made_up_says_so(copied: Diagnosis) -> None:
    found = diagnose(read(WRITTEN["wfformat"]))
    assert " Starts are not recorded: these are made up." in charts.about(found)
    assert "not recorded: these are made up" in as_text(found)
    assert "made up" not in charts.about(copied) + as_text(copied)


def test_every_state_has_a_colour_and_states_that_are_told_apart_have_their_own() -> None:
    for dark in (False, True):
        colors = {key: charts.color_of(palette(dark), key) for key in STATES}
        single = [colors[key] for key, state in STATES.items() if not state.merges]
        assert len(set(single)) == len(single)
