"""Every number, label and title of the page Decentralised is of what it names."""

from __future__ import annotations

import dataclasses

import numpy as np
import orjson
import pytest

from pages.decentralised.charts import STATISTICS, not_drawn, price_alt, price_chart, ratio_alt, ratio_chart
from pages.decentralised.layout import price_drawing, ratio_drawing
from pages.decentralised.question import AXES, CENTRAL, KNOWS_ALL, USUAL, Setting
from pages.decentralised.words import cards_of, costs, losses, notices, table
from pages.shared.live.cards import flowtimes as flowtime_drawing
from sim.engines.probes.scenario import ProbeScenario
from sim.model.result import PolicyResult
from tests.pages.made import checked, traces
from tests.samples import Made, assert_changes, assert_tells, assert_told, made, to_float

SETTING = Setting(rivals=USUAL[:2])
AXIS = AXES["probes"]
#: Heading of the table of costs -> measure, factor.
COSTS = {
    "messages per task": ("messages_per_task", 1),
    "refusals per decision": ("refusals_per_decision", 1),
    "reservations in a queue": ("queue_length", 1),
    "age of the sizes used (min)": ("staleness", 1),
    "sizes too large by (%)": ("overstatement", 100),
    "slot free to task started (min)": ("handover", 1),
    "busy slots (%)": ("utilisation", 100),
}


def compared(more: float = 0.0) -> Made:
    """A comparison of the page's policies; with `more` the rivals are slower and send more."""
    one = made(
        (CENTRAL, "Hopper", "Sparrow + LATE"),
        ProbeScenario(straggle="exponential", warm_up=0.25, time_unit="min"),
    )
    one.rules.update((policy.name, policy) for policy in (KNOWS_ALL, *SETTING.rivals))
    for name in ("Hopper", "Sparrow + LATE"):
        for run in one.policies[name]:
            found = run.outcome
            found.finish[:] = found.arrival + (1 + more) * (found.finish - found.arrival)
            for key, value in found.scalars.items():
                found.scalars[key] = value * (1 + more)
    return one


@pytest.fixture(scope="module")
def along() -> dict[float, Made]:
    """What was found at each number of probes."""
    return {value: compared(0.1 * value) for value in AXIS.tried(SETTING)}


@pytest.fixture(scope="module")
def points(along):
    return {value: one.comparison for value, one in along.items()}


@pytest.fixture(scope="module")
def answer(along) -> Made:
    return along[SETTING.probes]


@pytest.mark.parametrize("growing", [CENTRAL, "Hopper"])
def test_where_a_queue_grows_there_is_no_ratio(points, growing, monkeypatch) -> None:
    monkeypatch.setattr(PolicyResult, "unstable", lambda one, slots: one.name == growing)
    cards = {card.name: card for card in cards_of(points[SETTING.probes], "mean")}
    assert cards["Hopper"].value == "no ratio"
    assert cards["Hopper"].change == ("its queue grows" if growing == "Hopper" else "unstable reference")
    assert ("%" in cards["Sparrow + LATE"].change) == (growing == "Hopper")
    drawn = {line.name: len(line.x) for line in ratio_chart(points, AXIS, SETTING, False).data if line.name}
    assert drawn["Hopper"] == 0
    assert bool(drawn["Sparrow + LATE"]) == (growing == "Hopper")
    who = "Hopper" if growing == "Hopper" else "Hopper and Sparrow + LATE"
    gone = f"Not drawn, since a queue grows there: {who} at all values."
    assert not_drawn(points, AXIS, SETTING, "mean") == gone
    few = {value: points[value] for value in AXIS.tried(SETTING)[:2]}
    places = " and ".join(map(AXIS.in_words, few))
    assert not_drawn(few, AXIS, SETTING, "mean") == gone.replace("all values", places)
    for alt in (ratio_alt(points, AXIS, SETTING), price_alt(points, SETTING)):
        assert "unknown" not in alt
    said = losses(points[SETTING.probes], "mean")
    assert said.startswith("**Sparrow + LATE**: the mean flowtime is ") == (growing == "Hopper")
    assert f"Under **{growing}** the queue grew, so no loss is stated" in said
    assert "longer under **Hopper**" not in said


#: What a card calls the statistics.
BRIEF = {"mean": "mean", "p50": "median", "p95": "p95"}


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_card_tells_the_ratio_its_loss_the_flowtime_and_the_messages(answer, statistic) -> None:
    central, *others = cards_of(answer.comparison, statistic)
    assert central.name == CENTRAL
    assert central.details[0].startswith(f"{BRIEF[statistic]} ")
    flowtimes = answer.values(CENTRAL, "flowtime", statistic)
    assert_tells(central.details[0].removeprefix(f"{BRIEF[statistic]} "), flowtimes, "min")
    assert to_float(central.value.removesuffix(" min")) == pytest.approx(np.mean(flowtimes), rel=0.06)
    for card in others:
        ratio = answer.ratio(card.name, "flowtime", statistic, CENTRAL)
        assert to_float(card.value.removesuffix(" ×")) == pytest.approx(ratio[0], rel=0.006)
        assert_changes(card.change, ratio)
        (flowtime,) = card.details
        assert flowtime.startswith(f"{BRIEF[statistic]} ")
        assert_tells(
            flowtime.removeprefix(f"{BRIEF[statistic]} "),
            answer.values(card.name, "flowtime", statistic),
            "min",
        )
        sent = np.mean(answer.values(card.name, "messages_per_task"))
        assert to_float(card.cost.removesuffix(" messages per task")) == pytest.approx(sent, rel=0.006)


def test_each_cost_is_below_its_heading(answer) -> None:
    found = costs(answer.comparison)
    assert list(found.columns) == list(COSTS)
    assert list(found.index) == list(answer.policies)
    for heading, (measure, factor) in COSTS.items():
        for name in answer.policies:
            assert_tells(found.loc[name, heading], answer.values(name, measure), scale=factor)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_curves_are_the_ratios_at_each_value(along, points, statistic) -> None:
    figure = checked(ratio_chart(points, AXIS, SETTING, False, statistic))
    told = ratio_alt(points, AXIS, SETTING, statistic)
    assert figure.layout.xaxis.title.text == "probes per task, d"
    assert figure.layout.yaxis.title.text == f"{STATISTICS[statistic]} ÷ Central’s"
    what = f"Ratio of the {STATISTICS[statistic]} to that of Central against probes per task, d."
    assert told.startswith(what)
    assert list(figure.layout.xaxis.ticktext) == [f"{value:g}" for value in along]
    for name in ("Hopper", "Sparrow + LATE"):
        (curve,) = traces(figure, name=name)
        found = [one.ratio(name, "flowtime", statistic, CENTRAL) for one in along.values()]
        np.testing.assert_allclose(curve.y, [value for value, _, _ in found])
        np.testing.assert_allclose(curve.x, list(along))
        (band,) = traces(figure, name=f"{name}, 95 % band")
        np.testing.assert_allclose(band.y[len(found) :][::-1], [high for _, _, high in found])
        for text, at, (value, low, high) in zip(curve.hovertext, along, found, strict=True):
            begin = f"<b>{name}</b><br>d = {at:g}: "
            assert text.startswith(begin)
            assert_told(text.removeprefix(begin), value, (high - low) / 2)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_price_is_the_messages_per_task_of_each_ratio(along, points, statistic) -> None:
    figure = checked(price_chart(points, SETTING, False, statistic))
    assert figure.layout.xaxis.title.text == "messages per task (numbers: probes per task, d)"
    assert figure.layout.yaxis.title.text == f"{STATISTICS[statistic]} ÷ Central’s"
    for name in ("Hopper", "Sparrow + LATE"):
        (curve,) = traces(figure, name=name)
        messages = [np.mean(one.values(name, "messages_per_task")) for one in along.values()]
        ratios = [one.ratio(name, "flowtime", statistic, CENTRAL) for one in along.values()]
        np.testing.assert_allclose(curve.x, messages)
        np.testing.assert_allclose(curve.y, [value for value, _, _ in ratios])
        assert list(curve.text) == [f"{value:g}" for value in along]
        for text, one, (value, low, high) in zip(curve.hovertext, along.values(), ratios, strict=True):
            _, of_messages, of_ratio = text.split("<br>")
            assert_tells(of_messages, one.values(name, "messages_per_task"), "messages per task")
            assert_told(of_ratio.removeprefix("ratio "), value, (high - low) / 2)
        said = price_alt(points, SETTING, statistic).partition(f"{name}: ")[2]
        for at, text in zip(along, curve.hovertext, strict=True):
            _, of_messages, of_ratio = text.split("<br>")
            sent = of_messages.removesuffix(" messages per task")
            assert f"{sent} messages and {of_ratio} at d = {at:g}" in said


def test_each_chart_is_titled_with_what_it_shows(points, answer) -> None:
    flowtimes = flowtime_drawing(answer.comparison, False)
    ratios = ratio_drawing(points, AXIS, SETTING, False, "p50")
    for drawing, title in (
        (ratios, "Ratio to Central by probes per task"),
        (price_drawing(points, AXIS, SETTING, False, "mean"), "Ratio to Central and messages sent"),
        (flowtimes, "Flowtime of jobs (min)"),
    ):
        assert drawing.title == title
        sent = orjson.loads(orjson.dumps(drawing.figure.to_dict()))["layout"]
        assert sent["title"]["text"].replace("<br>", " ") == f"<b>{title}</b>"
    assert ratios.figure.figure.layout.yaxis.title.text == "median flowtime ÷ Central’s"
    assert flowtimes.figure.figure.layout.xaxis.title.text == "flowtime, arrival to finish (min)"


def test_each_row_of_the_download_is_what_it_says(along, points) -> None:
    rows = table(points, AXIS)
    assert len(rows) == len(along) * 2 * len(STATISTICS)
    for row in rows.itertuples():
        one = along[row.value]
        name = next(name for name, policy in one.rules.items() if policy.text == row.policy)
        ratio = one.ratio(name, "flowtime", row.statistic, CENTRAL)
        assert (row.ratio_to_central, row.low, row.high) == pytest.approx(ratio)
        assert row.messages_per_task == pytest.approx(np.mean(one.values(name, "messages_per_task")))
        assert (row.control, row.replications) == ("probes", 3)


def test_the_remarks_hold_the_messages_and_the_age_of_sizes(points, answer) -> None:
    told = " ".join(notices(answer.comparison, points, AXIS, SETTING, "mean"))
    sent = {name: np.mean(answer.values(name, "messages_per_task")) for name in answer.policies}
    hopper, sparrow = sent["Hopper"], sent["Sparrow + LATE"]
    assert (
        f"**Sparrow + LATE** sends {sparrow:.3g} messages per task, {sparrow / hopper:.2g} times as many"
        in told
    )
    age, above = (np.mean(answer.values("Hopper", what)) for what in ("staleness", "overstatement"))
    assert f"sizes that are {age:.1f} min old on average and {100 * above:,.0f} % too large" in told


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_answer_tells_each_loss_with_its_interval(answer, statistic) -> None:
    told = losses(answer.comparison, statistic)
    word = {"mean": "mean flowtime", "p50": "median flowtime", "p95": "95th percentile"}[statistic]
    changes = {card.name: card.change.removeprefix("+") for card in cards_of(answer.comparison, statistic)}
    most = f"**Sparrow + LATE**: the {word} is {changes['Sparrow + LATE']} longer than under **Central**,"
    assert told.startswith(most)
    assert f"{changes['Hopper']} longer under **Hopper**." in told
    assert len(told.partition(". ")[0].split()) <= 20
    assert "any ratio may be luck" in losses(
        dataclasses.replace(
            answer.comparison,
            policies={
                name: dataclasses.replace(one, samples=one.samples[:1])
                for name, one in answer.comparison.policies.items()
            },
        ),
        statistic,
    )
