"""The page Before and after without a browser: samples, two files, links, what strangers may write."""

from __future__ import annotations

import pandas as pd
import pytest

from pages.logs.beforeafter import charts as beforeafter_charts
from pages.logs.beforeafter import words
from pages.logs.beforeafter.layout import screen
from pages.logs.beforeafter.question import PAIRS, Step
from sim.advice.several import charts
from sim.advice.several.after import compared
from sim.advice.several.change import BY_RUNS
from sim.advice.several.report import Both, read_both
from sim.advice.several.reruns import repeated
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history
from sim.logs.samples import TRUE_CHANGE
from tests.foreign import HOSTILE, alive, unseen
from tests.pages.visits import add, drop, everything, link, take, visit
from tests.sim.several.runs import SAMPLE, history, sample_run, sample_world
from tests.zoo.truth import truth


def captions(app) -> str:
    return "\n".join(block.value for block in app.caption)


@pytest.fixture(scope="module")
def sample() -> Both:
    before, after = PAIRS["nightly"].make()
    return read_both(*before, *after, first=1)


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("speculation", ["Median job time", "p95 of job times", "Slot-time"]),
        ("nightly", ["Luck", "Machine", "Work"]),  # nothing was changed: repeated runs
    ],
)
def test_each_sample_is_answered(name: str, others: list[str]) -> None:
    assert name in PAIRS
    app = visit("beforeafter", runs=name)
    assert not app.exception
    assert not app.error
    assert [one.label for one in app.metric] == [
        "Mean job time",
        "Promised by What-if",
        *others,
    ]
    assert len(app.get("plotly_chart")) == 4
    assert "**A sample**" in captions(app)
    assert "nan" not in everything(app)


def test_the_screen_has_the_numbers_of_the_answer(sample: Both) -> None:
    shown = screen(Step(sample, True), dark=False)
    assert sample.repeated is not None
    luck = sample.repeated.measured.shares["luck"]
    assert f"{100 * luck.value:.0f} % luck" in shown.answer
    assert shown.cards[2].value == f"{100 * luck.value:.0f} %"
    figure = charts.draw(sample.change, False)
    measured = [trace for trace in figure.data if "95 %" in trace.name]
    assert list(measured[0].x) == pytest.approx(
        [100 * one.share.value for one in sample.change.found.change.values() if one.share.low is not None]
    )
    assert beforeafter_charts.draw_parts(sample.repeated, True).data[0].x[0] == luck.value
    before, after = sample.change.found.jobs.time.T
    dots = beforeafter_charts.draw_jobs(sample.change.found, False).data[0]
    assert dots.y / dots.x == pytest.approx(after / before)
    table = words.changes(sample.change)
    assert table["after (s)"][0] == pytest.approx(after.mean())
    assert len(words.slow(sample.repeated)) == len(sample.repeated.measured.slow)


def test_what_is_told_of_the_sample_is_how_it_was_made() -> None:
    """Two runs a side, of which each has luck of its own: intervals hold the true change, and no work."""
    before, after = PAIRS["speculation"].make()
    found = read_both(*before, *after, first=2, apart=True)
    for number, upload in enumerate((*before, *after), start=1):
        for table in ("jobs", "stages", "copies"):
            made = sample_run(number).frame(table)
            pd.testing.assert_frame_equal(read_history(upload).frame(table), made, check_categorical=False)
    true = truth(sample_world(), [SAMPLE[1]], 40)[SAMPLE[1]]
    assert abs(true["mean"].value - TRUE_CHANGE) <= 5 * true["mean"].error < 0.1
    change = found.change.found
    assert (change.runs, change.change["mean"].over) == ((2, 2), BY_RUNS)
    for name, figure in (("mean", "mean"), ("p50", "p50"), ("p95", "p95"), ("slot-time", "slot_time")):
        share = change.change[name].share
        assert share.low <= true[figure].value <= share.high
    assert change.change["mean"].share.sign == -1
    assert found.repeated is not None
    measured = found.repeated.measured
    for part, value in (("luck", 1.0), ("machine", 0.0), ("work", 0.0)):
        assert measured.shares[part].low <= value <= measured.shares[part].high
    assert not len(measured.slow)


@pytest.mark.usefixtures("short_runs")
def test_several_files_of_a_side_are_runs_where_the_visitor_says_so() -> None:
    logs = [
        (f"{side}{number}.parquet", as_parquet(history(10 * side + number, stages=12)))
        for side in (0, 1)
        for number in (1, 2)
    ]
    app = take(drop(visit("beforeafter"), *logs), "beforeafter", *logs)
    assert app.multiselect[0].value == ["11.parquet", "12.parquet"]
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert not app.error
    assert "12 jobs in all runs" in captions(app)
    assert link(app)["apart"] == "1"


@pytest.mark.usefixtures("short_runs")
def test_jobs_can_be_left_out_of_the_comparison() -> None:
    names = history(0, stages=12).jobs["name"].to_pylist()
    named = sum(names[3] in name for name in names)
    assert 0 < named < 12
    app = visit("beforeafter", leave_out=names[3])
    assert not app.error  # nothing is left out of a sample
    factors = enumerate((1.0, 2.0))
    drop(app, *((f"{one}.parquet", as_parquet(history(one, stages=12, factor=by))) for one, by in factors))
    assert not app.error
    assert f"{12 - named} jobs in all runs" in captions(app)
    app.selectbox(key="beforeafter.leave_out").set_value("").run()
    assert "12 jobs in all runs" in captions(app)


def test_an_interval_too_wide_to_be_of_use_is_no_headline() -> None:
    """The page says what the shell says; the numbers stay in the table."""
    before, after = (history(seed, stages=12, luck=3.0) for seed in (1, 2))
    change = compared([before], [after])
    mean = change.found.change["mean"]
    assert mean.share.low is not None
    assert mean.untold
    shown = screen(Step(Both(before, after, change, None, ""), False), dark=False)
    assert shown.answer == mean.untold == change.sentence
    assert "%" not in shown.cards[0].value
    assert words.changes(change)["95 % from (%)"][0] == pytest.approx(100 * mean.share.low)


@pytest.mark.usefixtures("short_runs")
def test_two_files_are_compared_and_one_alone_waits_for_the_other() -> None:
    app = drop(visit("beforeafter"), ("one.parquet", as_parquet(history(1, stages=12))))
    assert not app.exception
    assert [one.value for one in app.info] == ["Drop the log of the run after, too: two runs are compared."]
    add(app, "two.parquet", as_parquet(history(2, stages=12, factor=2.0)))
    assert not app.exception
    assert "12 jobs in all runs" in captions(app)
    assert app.metric[0].value.startswith("+")
    assert "one.parquet" in str(app.query_params["file"])
    assert "two.parquet" in str(app.query_params["file2"])
    app = visit("beforeafter", file2="12,0123456789abcdef,gone.csv")
    assert "gone.csv" in app.error[0].value


@pytest.mark.parametrize("text", ["image", "html", "latex", "colour", "lines", "bare address"])
def test_names_of_a_log_are_shown_as_they_are(text: str) -> None:
    first, other = (history(seed, stages=9, luck=0.05, slow=(3,), named=HOSTILE[text]) for seed in (1, 2))
    found = repeated([first, other])
    assert len(found.measured.slow) == 9
    shown = screen(Step(Both(first, other, compared([first], [other]), found), False), dark=False)
    for told in (*shown.notices, shown.answer, *(one.caption for one in shown.drawings)):
        assert not alive(told), told
        assert not unseen(told), told
