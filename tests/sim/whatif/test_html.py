"""The report is one file that loads nothing, says what the answer says, and escapes what a log named."""

from __future__ import annotations

import dataclasses
import html
import json
import re

import numpy as np
import pytest

from sim.advice.whatif.answer import Answer
from sim.advice.whatif.charts import load, recorded, remedies
from sim.advice.whatif.document import as_html, as_text, headline, percent
from sim.advice.whatif.model import fit
from sim.advice.whatif.price import Price
from sim.advice.whatif.report import as_json
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.safety import NEVER, WRITERS, Found, Safety
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK, differs
from sim.logs.formats import read_history
from sim.logs.samples import spark
from sim.telling.document import typeset
from sim.telling.palette import palette
from sim.telling.words import unit_for

COPIES = "fifo+spark:multiplier=1.5,quantile=0.75"


def answered() -> Answer:
    question = Replay(fit(read_history(spark(speculation=False)), leave_out="warmup"), leave_out="warmup")
    return answer(question, SPARK, policies=[COPIES], replications=20, price=Price(0.5), budget=0.5)


@pytest.fixture(scope="module")
def found() -> Answer:
    return answered()


def charts(page: str, *, dark: bool = False) -> dict[str, dict]:
    """Read the values of the charts out of a report, in one theme."""
    both = json.loads(re.search(r"const figures = (\{.*?\});\n", page)[1])
    return {place: themes[dark] for place, themes in both.items()}


def marks(figure: dict, name: str) -> dict:
    """Return the only trace of this name."""
    (found,) = [trace for trace in figure["data"] if trace.get("name") == name]
    return found


def test_the_report_says_what_the_answer_says(found):
    page = as_html(found)
    body = html.unescape(page[page.index("<body>") : page.index("<script>")])
    assert found.advice.policy == COPIES
    for name, value in found.advice.settings.items():
        assert f"{name} {value}\n" in body + "\n" or f"{name} {value}</pre>" in body
    for item in found.check.items:
        assert item.sentence in body
    for one in found.check.residuals:
        assert f"<td>{one.name}</td>" in body
        assert one.about in body
    for change in found.options[COPIES].change.values():
        assert percent(change) in body
    for text in found.options:
        assert f"<td>{found.figure(text, 'mean'):.4g}</td>" in body
    assert "random seed" in body
    assert "20 replications" in body
    for told in differs(found.system, found.question.model.history):
        assert told in body
    drawn = charts(page)
    times = [y for trace in drawn["check"]["data"][1:] for y in trace["y"]]
    unit = unit_for(float(np.median(found.pictures.recorded))).seconds
    assert sorted(times) == pytest.approx(sorted(found.pictures.recorded / unit))
    gain = found.options[COPIES].change["mean"]
    assert marks(drawn["front"], "recommended")["y"] == [100 * gain.value]
    assert marks(drawn["load"], "advised setting")["x"] == [point.load for point in found.reach.points]


def test_its_charts_are_those_of_the_page_in_both_themes_and_read_out_with_their_numbers(found):
    page = as_html(found)
    for dark in (False, True):
        drawn, ink = charts(page, dark=dark), palette(dark).ink
        assert {figure["layout"]["xaxis"]["tickfont"]["color"] for figure in drawn.values()} == {ink}
        same = recorded.draw(found.pictures, dark).values()["layout"]
        assert drawn["check"]["layout"]["yaxis"]["range"] == same["yaxis"]["range"]
    for place, words in (
        ("check", recorded.alt(found.pictures)),
        ("load", load.alt(found.reach)),
        ("remedies", remedies.alt(found.remedies)),
    ):
        shown = html.unescape(re.search(rf'<div id="{place}" role="img" aria-label="([^"]*)">', page)[1])
        assert shown == typeset(words)
    for point in found.reach.points:
        assert point.change["mean"].told in load.alt(found.reach)


def test_the_report_shows_what_each_remedy_reaches_and_its_ceiling(found):
    page, told = as_html(found), found.remedies
    assert typeset(told.sentence) in page
    drawn = charts(page)["remedies"]
    assert drawn["layout"]["yaxis"]["ticktext"] == [one.remedy.title for one in told.judged]
    assert marks(drawn, "at most")["x"] == [-100 * one.ceiling["mean"].value for one in told.judged]
    reached = {y: place for place in drawn["data"][1:] for y in place["y"]}
    assert set(reached) == {place for place, one in enumerate(told.judged) if one.change}
    for y, trace in reached.items():
        change, place = told.judged[y].change["mean"], trace["y"].index(y)
        assert trace["x"][place] == pytest.approx(-100 * change.value)
        assert trace["error_x"]["arrayminus"][place] == pytest.approx(100 * (change.high - change.value))
    assert "Is it safe" in page


@pytest.mark.parametrize(("tried", "leads"), [(-0.3, False), (-0.1, True), (None, True)])
def test_a_remedy_leads_unless_copies_to_be_tried_gain_more(found, tried, leads):
    """The remedy gains 20 %; what is tried 30 or 10 %, or nothing is."""
    effect = {"mean": SettingEffect(-0.2, -0.3, -0.1), "slot_time": SettingEffect(0.0, 0.0, 0.0)}
    first = dataclasses.replace(found.remedies.judged[1], does="leaving out h1", change=effect, sure=True)
    copies = dataclasses.replace(found.remedies.copies, sure=False)
    remedies = dataclasses.replace(found.remedies, judged=(first, copies))
    assert remedies.other == first
    change = found.options[COPIES].change | {"mean": SettingEffect(tried or 0.0, -0.4, -0.05)}
    option = dataclasses.replace(found.options[COPIES], change=change)
    advice = dataclasses.replace(found.advice, policy=COPIES, trial=True) if tried else None
    answer = dataclasses.replace(
        found, remedies=remedies, options={**found.options, COPIES: option}, advice=advice
    )
    assert (answer.leading_remedy is not None) == leads
    assert headline(answer).startswith("Leaving out h1" if leads else "Try for an hour")


def test_it_says_before_the_lines_to_paste_whether_tasks_may_run_twice(found):
    assert "Nothing in this log speaks against running a task twice." in as_html(found)
    jdbc = Found(WRITERS["jdbc"], ("save at <b>A.scala:1",), 1)
    risky = dataclasses.replace(found)
    vars(risky)["safety"] = Safety(NEVER, (jdbc,))
    page, told = (
        as_html(risky),
        "Do not run tasks of this application twice: 1 stage writes to a database by JDBC.",
    )
    assert page.index(told) < page.index("save at &lt;b&gt;A.scala:1") < page.index("To paste into")
    assert f"See {jdbc.writer.reference}" in page
    text = as_text(risky)
    assert text.index(told) < text.index(jdbc.writer.reference) < text.index("  spark.speculation true")
    assert "must not run twice" in risky._tells
    assert as_json(risky)["safety"]["level"] == "do not"
    assert as_json(risky)["safety"]["writers"][0]["reference"] == jdbc.writer.reference


def test_the_report_refers_to_nothing_outside(found):
    page = as_html(found)
    ours = page[: page.index("<script>")] + page[page.rindex("<script>") :]
    assert not re.search(r"""(src|href)\s*=|https?://|@import|url\(""", ours)
    assert "default-src 'none'" in page


def test_what_a_log_names_is_escaped_and_shortened(found):
    bad = "</script><img src=x onerror=alert(1)>" + 200 * "x"
    model = found.question.model
    history = dataclasses.replace(model.history, files=(bad,))
    named = dataclasses.replace(model, history=history, notes=(bad, "line\x1b[31m"))
    page = as_html(dataclasses.replace(found, question=dataclasses.replace(found.question, model=named)))
    ours = page[: page.index("<script>")] + page[page.rindex("<script>") :]
    assert "<img" not in ours
    assert bad not in page
    assert "\x1b" not in page


def test_a_report_without_advice_or_reach_is_whole(found):
    bare = dataclasses.replace(found, advice=None, reach=None, pictures=None, remedies=None)
    page = as_html(bare)
    assert "No recommendation" in page
    assert set(charts(page)) == {"front"}
    idle = dataclasses.replace(found.advice, policy=found.today, settings={"spark.speculation": "false"})
    assert "Leave the settings as they are" in as_html(dataclasses.replace(found, advice=idle, reach=None))
