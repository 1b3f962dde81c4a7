"""Every number of the What-if page is that of the runs, found by another route."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from pages.logs.whatif import charts
from pages.logs.whatif import words as whatif_words
from pages.logs.whatif.charts import FRONT, RECORDED, REMEDIES
from pages.logs.whatif.layout import drawings, front_of, shell_line
from pages.logs.whatif.question import Request
from pages.logs.whatif.words import called, cards, sentence
from pages.logs.whatif.words.notices import notices
from pages.shared.words.foreign import literal
from sim.advice.whatif import document
from sim.advice.whatif.charts import front, recorded, remedies
from sim.advice.whatif.check import FAIR, POOR, Check, Residual
from sim.advice.whatif.document import as_html
from sim.advice.whatif.price import ASSUMED, Price
from sim.advice.whatif.report import ANOTHER_LOG, as_json
from sim.advice.whatif.runs import replicate
from sim.advice.whatif.safety import NEVER, WRITERS, Found, Safety, UnsafeStages
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.systems import FLINK, HADOOP, PAPERS, SPARK, TEZ, pasted
from sim.logs.samples import slurm, spark
from sim.logs.tabled import as_csv
from sim.telling.document import as_markdown
from sim.telling.words import number, percent, signed, spell
from tests.pages.made import checked, traces, trouble, words
from tests.pages.whatif_made import answered, asked_of, with_answer

COUNT = 20
#: What is compared of a Spark: no copies, and each setting.
SETTINGS = 1 + len(SPARK.options)


@pytest.fixture(scope="module")
def asked() -> Request:
    """With a budget that twenty replications, which leave slot-time open, are sure to keep."""
    return asked_of(spark(speculation=False), budget=50)


@pytest.fixture(scope="module")
def shown(asked):
    return answered(asked)


@pytest.fixture(scope="module")
def plays(asked):
    """Return the replications of today's and the recommended setting, judged, straight from the engine."""
    policies = [asked.inquiry.policies[text] for text in ("fifo+none", BEST)]
    return replicate(asked.question, policies, range(COUNT))


@pytest.fixture(scope="module")
def plain(asked):
    """Return replications of today's setting in the model itself, as the check plays them."""
    question = replace(asked.question, doubted=False)
    return replicate(question, [asked.inquiry.policies["fifo+none"]], range(COUNT))[0]


#: What is recommended here, as the test of the sentence finds.
BEST = "fifo+spark:multiplier=1.2,quantile=0.5"


def mean(plays, name: str) -> float:
    return float(np.mean([play.figures[name] for play in plays]))


def share(plays, name: str) -> float:
    """Return the change of a figure from the first policy to the second."""
    ratios = [
        ours.figures[name] / theirs.figures[name] for theirs, ours in zip(*plays, strict=True)
    ]  # each replication has a model of its own
    return float(np.mean(ratios)) - 1


def in_text(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "−")


# Words


def test_the_answer_says_what_to_switch_on_and_what_that_changes(asked, shown, plays) -> None:
    told = sentence(asked, shown)
    assert told.startswith("**Switch on speculation: multiplier 1.2, quantile 0.5:** ")
    for name, figure in (("mean job time", "mean"), ("slot-time", "slot_time")):
        assert f"{name} {in_text(share(plays, figure))} % (" in told
    (p95,) = [card.value for card in cards(shown) if card.name == "p95 of the job time"]
    assert p95 == f"{in_text(share(plays, 'p95'))} %"  # the sentence leads with one figure, and its cost
    gain = shown.answer.options[BEST].change["mean"]
    assert f"({in_text(gain.low)} to {in_text(gain.high)})" in told
    assert shown.answer.advice.policy == BEST


def test_p95_comes_first_if_it_is_what_is_to_become_small(asked) -> None:
    other = replace(asked, aim=replace(asked.aim, objective="p95"))
    found = answered(other)
    assert re.match(r"\*\*[^*]+\*\* p95 of the job time |\*\*Do nothing", sentence(other, found))


def test_nothing_is_recommended_where_the_model_is_poor(asked, shown) -> None:
    poor = replace(shown.check.items[1], grade=POOR)
    answer = replace(shown.answer, check=Check((poor,)), advice=None)
    told = sentence(asked, with_answer(shown, answer))
    assert told.startswith("**No recommendation:** the model does not reproduce this history. Mean job time")
    assert any(
        text.startswith("**poor**: mean job time") for text in notices(asked, with_answer(shown, answer))
    )
    first = replace(answer, first="Replace *m2*: it is slow.")
    assert sentence(asked, with_answer(shown, first)) == told.replace(
        ANOTHER_LOG, r"What the log shows by itself: **Replace \*m2\*: it is slow.**"
    )


def test_a_wide_interval_says_how_long_a_log_would_halve_it(asked, shown) -> None:
    option = shown.answer.options[BEST]
    wide = replace(option, change=option.change | {"mean": SettingEffect(-0.3, -0.5, -0.1)})
    now = with_answer(shown, replace(shown.answer, options=shown.answer.options | {BEST: wide}))
    (told,) = [text for text in notices(asked, now) if "would roughly halve it" in text]
    jobs, span = len(asked.reading.history.jobs), asked.reading.history.span
    assert (
        f"is 40 points wide: the log has {jobs} jobs in {span / 60:.2g} min. One of about {4 * jobs} jobs"
        in told
    )
    assert f"({4 * span / 60:.2g} min at this pace)" in told
    for text in (document.as_text(now.answer), as_html(now.answer)):
        assert f"about {4 * jobs} jobs (" in text
    assert as_json(now.answer)["longer"]["jobs"] == 4 * jobs
    narrow = replace(option, change=option.change | {"mean": SettingEffect(-0.3, -0.44, -0.15)})
    now = with_answer(shown, replace(shown.answer, options=shown.answer.options | {BEST: narrow}))
    assert not [text for text in notices(asked, now) if "would roughly halve it" in text]
    assert as_json(now.answer)["longer"] is None


def test_a_fair_model_is_said_beside_the_answer(asked, shown) -> None:
    fair = replace(shown.check.items[1], grade=FAIR)
    answer = replace(shown.answer, check=Check((fair,)))
    assert "only fair" in sentence(asked, with_answer(shown, answer))


def test_in_what_copies_are_played_otherwise_is_said(asked, shown) -> None:
    (told,) = (text for text in notices(asked, shown) if text.startswith("How copies are played"))
    assert "against Apache Spark" in told
    for text in (*SPARK.differs, "the slot of a copy that lost is taken to be free 60 ms"):
        assert text in told


def test_doing_nothing_is_an_answer(asked, shown) -> None:
    today = replace(shown.answer.advice, policy=shown.answer.today)
    told = sentence(asked, with_answer(shown, replace(shown.answer, advice=today)))
    assert told == (
        "**Do nothing:** within 50 % more slot-time no setting of Apache Spark surely makes the mean "
        "job time shorter than today’s (no speculation). Whether copies help depends on "
        "whether the slow tasks are slow by themselves (probability 20 %); one run with speculation on "
        "for an hour would tell."
    )
    still = sentence(asked, with_answer(shown, replace(shown.answer, advice=today), final=False))
    assert still.startswith("**No setting of copies pays:** within 50 %")
    assert still.endswith("This is a first answer: more is still played.")


def test_a_trial_says_what_it_costs_at_worst_wherever_it_is_advised(asked, shown) -> None:
    option, advice = shown.answer.options[BEST], replace(shown.answer.advice, trial=True)
    gain, cost = SettingEffect(-0.5, -0.6, 0.12, -0.4), SettingEffect(0.0, -0.1, 0.7, 0.1)
    given = option.change | {"mean": gain, "slot_time": cost}
    answer = replace(
        shown.answer, advice=advice, options=shown.answer.options | {BEST: replace(option, change=given)}
    )
    now = with_answer(shown, answer)
    told = sentence(asked, now)
    assert told.startswith(
        "**Try for an hour: switch on speculation: multiplier 1.2, quantile 0.5:** mean job"
    )
    worst = (
        "If the slow tasks are slow by themselves, jobs take up to 12 % longer and slot-time grows by up to "
        "70 %; the log of that hour will tell."
    )
    assert worst in told
    assert document.as_text(answer).startswith("Try for an hour ")
    for text in (document.as_text(answer), as_html(answer).replace("\N{NO-BREAK SPACE}", " ")):
        assert worst in text
    assert "<h1>Try for an hour " in as_html(answer)
    assert (as_json(answer)["advice"]["trial"], as_json(answer)["undecided"]) == (True, worst)
    assert set(whatif_words.options(asked, now)["standing"]) == {"today", "to try", ""}
    drawn = front_of(asked, now)
    assert {"today", "to try"} <= {trace.name for trace in FRONT.draw(drawn, dark=False).data}
    assert f"{drawn.advised} (to try): " in front.alt(drawn)


def test_a_history_without_a_system_is_compared_and_has_no_advice() -> None:
    other = asked_of(slurm(arrays=6))
    found = answered(other)
    assert found.answer.advice is None
    assert sentence(other, found).startswith(f"**{literal(found.answer.first)}** ")
    bare = with_answer(found, replace(found.answer, first=""))
    assert sentence(other, bare).startswith("**No recommendation:** the system that wrote this history")
    assert {"no copies", "no speculation", "LATE", "Mantri", "Spark"} >= {
        called(option.policy, None) for option in found.answer.options.values()
    }


def test_today_is_one_number_in_check_cards_table_report_and_shell(asked, shown, plain) -> None:
    """The mean of replications of the model itself; at another rate it is another, and that is said."""
    now = mean(plain, "mean")
    (item,) = [item for item in shown.check.items if item.name == "mean job time"]
    assert item.expected == pytest.approx(now)
    assert item.ratio == pytest.approx(np.nanmean(asked.question.model.job_times) / now)
    row = whatif_words.options(asked, shown).query("standing == 'today'").iloc[0]
    assert row["mean job time (s)"] == pytest.approx(now)
    assert row["p95 of job time (s)"] == pytest.approx(mean(plain, "p95"))
    bare = with_answer(shown, replace(shown.answer, advice=None))
    assert cards(bare)[1].value == spell(now)
    found = as_json(shown.answer)
    assert found["policies"]["fifo+none"]["job_time"]["mean"]["value"] == pytest.approx(now)
    ratios_told = {one["name"]: one["ratio"] for one in found["check"]["checks"]}
    assert ratios_told["mean job time"] == pytest.approx(item.ratio)
    assert ratios_told["job times"] is None
    text = document.as_text(shown.answer)
    assert re.search(rf"^  fifo\+none \(today\) +{now:.4g} ", text, re.MULTILINE)
    assert f"recorded over model {item.ratio:.2f}" in text
    assert f"<td>{now:.4g}</td>" in as_html(shown.answer)
    for one in whatif_words.options(asked, shown).to_dict("records"):
        changed_by = float(one["mean job time"].partition(" %")[0].replace("−", "-")) / 100
        assert one["mean job time (s)"] == pytest.approx(now * (1 + changed_by), abs=1e-3 * now)
    fast = answered(asked_of(spark(speculation=False), rate=2.0))
    assert fast.answer.figure("fifo+none", "mean") == pytest.approx(
        fast.answer.options["fifo+none"].figure("mean").mean()
    )
    assert (
        "Times are the model's at 2 times the recorded rate. The check plays what was recorded"
        in document.as_text(fast.answer)
    )
    assert any("at 2.00 × the recorded rate" in line for line in cards(fast)[1].details)


def test_the_cards_name_what_they_show(asked, shown, plays, plain) -> None:
    told = {card.name: card for card in cards(shown)}
    assert list(told) == [
        "Model on this history",
        "Mean job time",
        "p95 of the job time",
        "Slot-time",
        "Second copies",
    ]
    assert told["Model on this history"].value == shown.check.verdict
    assert told["Mean job time"].value == f"{in_text(share(plays, 'mean'))} %"
    now = mean(plain, "mean")
    assert told["Mean job time"].details == (
        f"{spell(now)} → {spell(now * (1 + share(plays, 'mean')))} in the model",
        f"recorded: {spell(np.nanmean(asked.question.model.job_times))}",
    )
    assert told["Slot-time"].value == f"{in_text(share(plays, 'slot_time'))} %"
    more = share(plays, "slot_time") * mean(plain, "slot_time") / 3600
    a_day = more * 86400 / mean(plain, "makespan")
    assert told["Slot-time"].details == (f"{a_day:+.1f} slot-hours a day",)
    copies = mean(plays[1], "copies")
    assert told["Second copies"].value == number(copies)
    won, killed = mean(plays[1], "won") / copies, mean(plays[1], "killed_time")
    held = killed / (mean(plain, "slot_time") * (1 + share(plays, "slot_time")))
    assert told["Second copies"].details == (
        f"{percent(won)} won; killed copies held {percent(held)} of the slot-time",
    )
    priced = with_answer(shown, replace(shown.answer, price=Price(0.25)))
    a_month = 0.25 * a_day / 24 * 730
    assert cards(priced)[3].details == (f"about {signed(a_month, 2)} a month, in your currency",)
    assert not any("Money" in one for one in notices(asked, shown))
    (money,) = (one for one in notices(asked, priced) if one.startswith("**Money.**"))
    assert f"an estimate of {a_month:+.3g}".replace("-", "−") in money
    assert "A slot-hour costs 0.25." in money
    assert ASSUMED in money


def test_where_tasks_must_not_run_twice_both_gains_are_told(asked, shown) -> None:
    kept = np.arange(len(asked.question.model.tasks)) % 2 == 0
    gain = SettingEffect(-0.07, -0.12, -0.03)
    some = shown.answer.options[BEST].change | {shown.answer.objective: gain}
    now = replace(shown.answer, apart=UnsafeStages(kept, 0.5, "", some))
    vars(now)["safety"] = Safety(NEVER, (Found(WRITERS["foreach"], ("foreach at A.scala:1",), 20),))
    snapshot = with_answer(shown, now)
    told = sentence(asked, snapshot)
    assert told.startswith("**Do not run tasks of this application twice: 20 stages call foreach.** If all")
    assert shown.answer.options[BEST].change["mean"].told in told
    assert f"With copies only in stages that nothing speaks against: {gain.told}." in told
    said = as_markdown(document.copying(now, now.advice))
    assert "19 of 39 stages, 50 % of the work) by −7.0 % (−12.0 to −3.0), and slot-time" in said
    assert not trouble([told, said])


def test_after_the_check_the_model_is_known_and_then_how_many_settings_are_compared(asked, shown) -> None:
    early = answered(asked, whole=False)
    told = cards(early)
    assert told[0].value in ("good", "fair")
    assert [card.value for card in told[1:]] == ["…"] * 4
    comparing = f"Comparing {SETTINGS} settings on it: the first result follows shortly."
    assert sentence(asked, early) == f"The model is {early.check.verdict} on this history. {comparing}"
    two = dict([*shown.answer.options.items()][:2])
    some = with_answer(shown, replace(shown.answer, options=two, advice=None), final=False)
    assert sentence(asked, some).endswith(f" on this history. 2 of {SETTINGS} settings compared so far.")
    assert whatif_words.options(asked, early).empty
    assert "settings follow" in str(FRONT.draw(front_of(asked, early), False).layout.annotations)


@pytest.mark.parametrize(
    ("settings", "system", "text"),
    [
        (
            {"spark.speculation": "true", "spark.speculation.quantile": "0.5"},
            SPARK,
            "spark.speculation true\nspark.speculation.quantile 0.5",
        ),
        ({"a.b": "1"}, FLINK, "a.b: 1"),
        ({"a.b": "1"}, HADOOP, "<property>\n  <name>a.b</name>\n  <value>1</value>\n</property>"),
        ({"a.b": "1"}, TEZ, "<property>\n  <name>a.b</name>\n  <value>1</value>\n</property>"),
    ],
)
def test_settings_are_written_as_their_file_has_them(settings, system, text) -> None:
    assert pasted(settings, system.file) == text


def test_every_option_of_every_system_has_a_name_of_its_own_and_lines_to_paste() -> None:
    from sim.engines.slots.scenario import read_policy

    for system in (SPARK, HADOOP, TEZ, FLINK):
        policies = [read_policy(text) for text in ("fifo+none", *system.options)]
        names = [called(policy, system) for policy in policies]
        assert len(set(names)) == len(names)
        assert all("not in your system" not in name for name in names)
        for policy in policies:
            lines = pasted(system.settings(policy), system.file)
            assert all(value in lines for value in system.settings(policy).values())


def test_changes_are_written_with_signs_and_digits_that_are_known() -> None:
    assert SettingEffect(-0.0004, -0.001, 0.0002).told == "0.0 % (−0.1 to 0.0)"
    assert SettingEffect(12.0, 10.0, 14.0).told == "+1,200 % (+1,000 to +1,400)"


# Charts


def test_the_band_of_each_job_is_that_of_the_replications(asked, shown) -> None:
    figure = checked(RECORDED.draw(shown.pictures, False))
    (band,) = traces(figure, type="bar")
    plain = replicate(
        replace(asked.question, doubted=False), [asked.inquiry.policies["fifo+none"]], range(COUNT)
    )
    times = np.array([play.job_times for play in plain[0]])
    truth = asked.question.model.job_times
    order = np.argsort(truth, kind="stable")
    low, high = np.quantile(times, (0.05, 0.95), axis=0)
    assert band.base == pytest.approx(low[order])
    assert np.asarray(band.base) + np.asarray(band.y) == pytest.approx(high[order])
    marks = [trace for trace in figure.data if trace.type == "scatter"]
    points = {int(x): y for trace in marks for x, y in zip(trace.x, trace.y, strict=True)}
    assert [points[place + 1] for place in range(truth.size)] == pytest.approx(truth[order])
    (outside,) = traces(figure, name="recorded, outside")
    away = (truth < low) | (truth > high)
    assert len(outside.x) == away.sum()
    assert f"{truth.size - away.sum()} of {truth.size} recorded job times" in recorded.about(shown.pictures)


def test_of_many_jobs_some_are_drawn_evenly(shown) -> None:
    size = 500
    many = replace(
        shown.pictures, recorded=np.arange(1.0, size + 1), low=np.ones(size), high=np.full(size, 600.0)
    )
    places = recorded.chosen(many)
    assert places.size == recorded.MOST
    assert (places[0], places[-1]) == (0, size - 1)
    assert "60 of 500 jobs are drawn" in recorded.about(many)


def test_the_front_has_each_setting_with_its_intervals(asked, shown) -> None:
    figure = checked(FRONT.draw(front_of(asked, shown), False))
    drawn = {
        int(text.partition(":")[0]): (x, y, right, up)
        for trace in figure.data
        if trace.hovertext
        for text, x, y, right, up in zip(
            trace.hovertext, trace.x, trace.y, trace.error_x.array, trace.error_y.array, strict=True
        )
    }
    assert len(drawn) == SETTINGS
    numbers = {int(one.text): (one.x, one.y) for one in figure.layout.annotations}
    assert len(numbers) >= 5
    assert numbers == {place: drawn[place][:2] for place in numbers}
    for place, option in enumerate(shown.answer.options.values(), start=1):
        across, down = option.change["slot_time"], option.change["mean"]
        assert drawn[place] == pytest.approx(
            tuple(
                100 * one
                for one in (across.value, down.value, across.high - across.value, down.high - down.value)
            )
        )
    (advised,) = traces(figure, name="recommended")
    place = 1 + list(shown.answer.options).index(BEST)
    assert place in numbers
    assert advised.hovertext[0].startswith(f"{place}: ")
    tight = replace(asked, aim=replace(asked.aim, budget=0.05))
    figure = FRONT.draw(front_of(tight, shown), False)
    assert [shape.x0 for shape in figure.layout.shapes if shape.line.dash == "dash"] == [5.0]


@pytest.mark.parametrize("seed", range(10))
def test_a_number_is_on_no_other_number_and_on_no_mark_at_any_width(seed) -> None:
    rng = np.random.default_rng(seed)
    marks = rng.beta(1, 3, (9, 2)) if seed % 2 else 0.5 + rng.normal(0, 0.02, (9, 2))
    found = front.placed(marks.tolist(), [str(place) for place in range(9)], range(9))
    assert len(found) >= 4
    assert 0 in found
    for wide in front.WIDTHS:
        scale = np.array([wide, front.LABELS_HEIGHT])
        middles = {place: marks[place] * scale + shift for place, shift in found.items()}
        for place, middle in middles.items():
            others = [one for other, one in middles.items() if other != place]
            for other, room in (
                *((one, (8, 14)) for one in others),
                *((one * scale, (9.5, 12.5)) for one in marks),
            ):
                assert (np.abs(middle - other) >= np.array(room) - 1e-9).any(), (place, wide)


def test_no_setting_has_less_of_both_than_one_of_the_front(asked, shown) -> None:
    edge = front.best(front_of(asked, shown))
    values = [
        (one.change["slot_time"].value, one.change["mean"].value) for one in shown.answer.options.values()
    ]
    for place, (x, y) in enumerate(values):
        beaten = any(a <= x and b <= y and (a, b) != (x, y) for a, b in values)
        assert (place in edge) == (not beaten)
    said = re.search(r"Settings on the dotted line \((.+?)\):", front.about(front_of(asked, shown)))
    assert [int(one) - 1 for one in re.findall(r"\d+", said[1])] == edge


def test_ranks_are_counted_in_ten_classes(shown) -> None:
    (bars,) = checked(charts.draw_ranks(shown.pictures, False)).data
    own = [
        sum(place <= round(10 * rank, 9) < place + 1 + (place == 9) for rank in shown.pictures.ranks)
        for place in range(10)
    ]
    assert list(bars.y) == own
    assert sum(own) == shown.pictures.ranks.size == 39
    low, high = charts.band(400)
    assert (low, high) == pytest.approx((40 - 1.96 * 6, 40 + 1.96 * 6))


def test_figures_of_the_history_stand_over_those_of_the_model(asked) -> None:
    copied = asked_of(spark(speculation=True))
    found = answered(copied, whole=False)
    rows = {
        name: (ratio, low, high)
        for name, ratio, low, high in charts.compared(found.check.items, found.pictures)
    }
    assert list(rows) == [
        "mean job time",
        "median job time",
        "p95 of job time",
        "makespan",
        "second copies",
        "copies that won",
        "slot-time killed",
    ]
    simulated = found.pictures.figures["copies"]
    history = copied.reading.history.frame("copies")
    assert rows["second copies"] == pytest.approx(
        (
            history["speculative"].sum() / simulated.mean(),
            *(np.quantile(simulated, (0.05, 0.95)) / simulated.mean()),
        )
    )
    jobs = copied.reading.history.frame("jobs")
    times = (jobs["end"] - jobs["submit"]).mean()
    assert rows["mean job time"][0] == pytest.approx(times / found.pictures.figures["mean"].mean())
    assert checked(charts.draw_ratios((found.check.items, found.pictures), False)).data[1].x == pytest.approx(
        [row[0] for row in rows.values()]
    )


@pytest.mark.parametrize("whole", [False, True])
def test_every_chart_says_in_words_what_it_shows(asked, shown, whole: bool) -> None:
    now = shown if whole else answered(asked, whole=False)
    for dark in (False, True):
        for drawing in drawings(asked, now, dark):
            assert re.search(r"\d", drawing.alt)
            assert not trouble([drawing.alt, drawing.caption, *words(checked(drawing.figure.figure))])


def test_each_remedy_has_a_bar_of_what_is_reached_over_the_most_there_is(shown) -> None:
    found = shown.answer.remedies
    drawn = {one.name: one for one in traces(REMEDIES.draw(found, False))}
    most = [-100 * one.ceiling["mean"].value for one in found.judged]
    np.testing.assert_allclose(drawn["at most"].x, most)
    reached = {row: one.change["mean"] for row, one in enumerate(found.judged) if one.change}
    for bars in (drawn[name] for name in ("a setting reaches", "recommended") if name in drawn):
        for place, row in enumerate(bars.y):
            change = reached.pop(row)
            assert bars.x[place] == pytest.approx(-100 * change.value)
            assert bars.x[place] - bars.error_x.arrayminus[place] == pytest.approx(-100 * change.high)
            assert bars.x[place] + bars.error_x.array[place] == pytest.approx(-100 * change.low)
    assert not reached
    assert remedies.alt(found).startswith("Change of the mean job time by remedy. ")
    for one in found.judged:
        assert one.remedy.title in remedies.alt(found)
        assert one.ceiling["mean"].told in remedies.alt(found)
        assert (f"*{one.remedy.title}*" in REMEDIES.about(found)) == bool(one.reason)


def test_the_remedy_that_comes_first_leads_the_answer_and_says_how(asked, shown) -> None:
    found = shown.answer.remedies
    gain = SettingEffect(-0.31, -0.36, -0.25)
    best = replace(
        found.judged[1], change=found.judged[1].ceiling | {"mean": gain}, sure=True, reason="", plays=()
    )
    known = replace(found, judged=(replace(found.judged[0], sure=False), best, *found.judged[2:]))
    now = with_answer(shown, replace(shown.answer, remedies=known))
    told = sentence(asked, now)
    assert told.startswith("**Leaving out slow hosts** makes the mean job time 31 % shorter (25.0 to 36.0)")
    assert told.splitlines()[2:] == [sentence(asked, shown).replace("Switch", "Then switch", 1)]
    titles = [drawing.title for drawing in drawings(asked, now, False)]
    assert titles[0] == remedies.TITLE
    assert drawings(asked, answered(asked, whole=False), False)[0].title == recorded.TITLE
    assert "recommended" in [one.name for one in traces(REMEDIES.draw(known, False))]


@pytest.mark.parametrize(("value", "leads"), [(-0.9, True), (-0.01, False)])
def test_copies_to_be_tried_lead_the_answer_where_they_would_gain_more(asked, shown, value, leads) -> None:
    found, advice = shown.answer.remedies, replace(shown.answer.advice, trial=True)
    assert -0.9 < shown.answer.options[BEST].change["mean"].value < -0.01
    gain = SettingEffect(value, value, value)
    best = replace(
        found.judged[1], change=found.judged[1].ceiling | {"mean": gain}, sure=True, reason="", plays=()
    )
    known = replace(found, judged=(best, *(replace(one, sure=False) for one in found.judged)))
    now = with_answer(shown, replace(shown.answer, remedies=known, advice=advice))
    begun = "**Leaving out slow hosts**"
    why = f"Why leaving out slow hosts comes first: {best.shows}"
    assert (why.replace("-", "−") in " ".join(notices(asked, now)).replace("-", "−")) is (
        leads and bool(best.shows)
    )
    assert sentence(asked, now).startswith(begun if leads else "**Try for an hour")
    assert (begun in " ".join(notices(asked, now))) is not leads


def test_where_a_remedy_leads_and_no_setting_helps_the_answer_is_the_remedy(asked, shown) -> None:
    found, advice = shown.answer.remedies, replace(shown.answer.advice, policy=shown.answer.today)
    now = with_answer(shown, replace(shown.answer, advice=advice))
    sure = replace(found, judged=tuple(replace(one, sure=one.remedy.key == "warm") for one in found.judged))
    now = with_answer(now, replace(now.answer, remedies=sure))
    assert sentence(asked, now).startswith("**Keeping slots warm**")
    assert "Do nothing" not in sentence(asked, now)
    assert any(one.startswith("**No setting of copies pays:** within 50 %") for one in notices(asked, now))


def test_that_no_remedy_pays_is_noticed(asked, shown) -> None:
    found = shown.answer.remedies
    none = replace(found, judged=tuple(replace(one, sure=False) for one in found.judged))
    now = with_answer(shown, replace(shown.answer, remedies=none))
    said = " ".join(notices(asked, now)).replace("−", "-").replace("\xa0", " ")
    assert none.sentence in said


def test_luck_by_group_is_drawn_as_it_was_found_and_said_in_words(asked, shown) -> None:
    """Each chart against a route of its own: the log of the durations over the medians of stage and group."""
    assert {"host", "executor", "time", "host and time", "load"} <= {
        one.name for one in shown.check.residuals
    }
    for one in shown.check.residuals:
        groups, figure = charts.drawn(one), checked(charts.draw_luck(one, False))
        (dots,) = figure.data
        assert dots.x == pytest.approx(groups["luck"], rel=2e-3)
        assert list(figure.layout.yaxis.tickvals) == list(range(len(groups))) == list(dots.y)
        assert not trouble([charts.alt_luck(one), charts.about_luck(one), *words(figure)])
        for name, copies, value, *_ in groups.itertuples(index=False):
            assert f"{number(value)} (95 %: " in charts.alt_luck(one)
            assert f"{copies:,} cop" in charts.alt_luck(one)
            assert name[:10] in charts.alt_luck(one)
    host = next(one for one in shown.check.residuals if one.name == "host")
    evidence = asked.question.model.evidence
    hosts = asked.reading.history.frame("copies").loc[evidence.rows, "host"].to_numpy()
    for name, copies, value, *_ in host.groups.itertuples(index=False):
        own = np.sort(evidence.luck[hosts == name])
        assert (copies, value) == (own.size, pytest.approx(np.exp(np.median(own)), rel=0.02))


def test_of_many_groups_the_slowest_and_the_fastest_are_drawn() -> None:
    size = 50
    random = np.random.default_rng(1).permutation(size) + 1.0
    table = pd.DataFrame(
        {
            "group": [f"g{place}" for place in range(size)],
            "copies": 9,
            "luck": random,
            "low": 0.5,
            "high": 60.0,
        }
    )
    many = Residual("host and time", 0.3, 0.005, 0.4, 0.005, table)
    assert charts.drawn(many)["luck"].tolist() == [50, 49, 48, 47, 46, 45, 6, 5, 4, 3, 2, 1]
    assert "the 6 slowest and the 6 fastest of 50 groups" in charts.about_luck(many)
    assert len(charts.drawn(replace(many, groups=table.head(12)))) == 12
    assert charts.about_luck(many).startswith(
        "Luck depends on host and time: it explains 30 % of how luck varies"
    )


# Tables and files


def test_the_file_of_luck_has_every_group(shown) -> None:
    again = pd.read_csv(StringIO(as_csv(whatif_words.luck(shown))))
    assert len(again) == sum(len(one.groups) for one in shown.check.residuals)
    for one in shown.check.residuals:
        own = again[again["against"] == one.name]
        assert own["median luck"].tolist() == pytest.approx(one.groups["luck"].tolist())
        assert own["copies"].tolist() == one.groups["copies"].tolist()
        assert own["share of luck explained"].iloc[0] == pytest.approx(one.share)
        assert own["spread of durations at most"].iloc[0] == pytest.approx(one.spread)
    assert whatif_words.luck(with_answer(shown, replace(shown.answer, check=Check(())))).empty


def test_the_table_has_the_numbers_of_the_runs_and_the_file_their_intervals(
    asked, shown, plays, plain
) -> None:
    table = whatif_words.options(asked, shown).set_index("no.")
    row = table[table["standing"] == "recommended"].iloc[0]
    assert row["setting"] == "speculation: multiplier 1.2, quantile 0.5"
    assert row["mean job time (s)"] == pytest.approx(mean(plain, "mean") * (1 + share(plays, "mean")))
    assert row["second copies"] == pytest.approx(mean(plays[1], "copies"))
    assert row["killed (slot·s)"] == pytest.approx(mean(plays[1], "killed_time"))
    assert row["slot-time"] == shown.answer.options[BEST].change["slot_time"].told
    small = asked.question.small
    own = np.array([[play.job_times[small].mean() for play in one] for one in plays])
    assert row["mean of small jobs"].startswith(f"{in_text(np.mean(own[1] / own[0]) - 1)} %")
    assert (table["standing"] == "today").tolist() == [True] + (SETTINGS - 1) * [False]
    text = as_csv(whatif_words.options(asked, shown, whole=True))
    again = pd.read_csv(StringIO(text)).set_index("policy")
    assert list(again.index) == list(shown.answer.options)
    gain = shown.answer.options[BEST].change["p95"]
    assert again.loc[
        BEST, ["p95 of job time (%)", "p95 of job time: 95 % from", "p95 of job time: to"]
    ].tolist() == (pytest.approx([100 * gain.value, 100 * gain.low, 100 * gain.high]))


def test_the_shell_line_asks_the_same() -> None:
    asked = asked_of(spark(speculation=False))
    assert shell_line(asked) == "python -m sim whatif FILE... --replications 20 --json -"
    other = asked_of(
        spark(speculation=False),
        rate=2.0,
        slots=9,
        system="flink",
        budget=12,
        seed=7,
        objective="p95",
        replications=50,
        papers=True,
        price=0.02,
        price_kind="billed",
        price_vcpu=0.05,
        price_gb=0.0055,
        price_executor=7.0,
    )
    line = shell_line(replace(other, leave_out="warm up"))
    for part in (
        "--leave-out 'warm up'",
        "--rate 2",
        "--slots 9",
        "--system flink",
        "--budget 12%",
        "--objective p95",
        "--replications 50",
        "--seed 7",
        "--papers",
        "--price 0.02",
        "--price-vcpu 0.05",
        "--price-gb 0.0055",
    ):
        assert f" {part}" in line
    import argparse
    import shlex

    from sim.shell.whatif import add_options

    reader = argparse.ArgumentParser()
    add_options(reader)
    read = reader.parse_args(shlex.split(line)[4:])
    assert (read.leave_out, read.rate, read.slots, read.seed) == ("warm up", "2", "9", "7")
    assert read.papers
    assert other.aim.price == Price(0.02, vcpu=0.05, gb=0.0055)
    assert read.price_executor is None
    gone = asked_of(spark(speculation=False), leave_out="warmup", left_out="gone")
    assert " --leave-out warmup --left-out gone " in shell_line(gone)
    assert len(gone.question.model.jobs) == len(gone.reading.history.jobs) - 2
    assert gone.question.kept.all()
    assert gone.key != asked_of(spark(speculation=False), leave_out="warmup").key
    names = [called(policy, other.system) for policy in other.inquiry.policies.values()]
    assert len(set(names)) == len(names) == 1 + len(FLINK.options) + len(PAPERS)
    assert sum("not in your system" in name for name in names) == len(PAPERS)
