"""The page Still running without a browser: its numbers are those of the answer, and what is typed stays."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.words.foreign import literal
from pages.wait import charts, words
from pages.wait.controls import STARTS, TOO_LONG
from pages.wait.question import Answer, answer, see
from sim.advice.waiting.answer import COPY, MOST_TASKS, RESTART, WAIT, Options, Waiting, answered, rules
from sim.advice.waiting.driver import VARIABLE
from sim.advice.waiting.laws import KNOTS, laws
from sim.advice.waiting.report import NAMES, about, as_json, chance, sentence
from sim.advice.waiting.siblings import Siblings, sizes_in, times_in
from sim.model.fields import BadInput
from sim.shell.verbs import main
from sim.telling.words import spell
from tests.foreign import AWAY, HOSTILE, alive
from tests.pages.told import x_and_y
from tests.pages.visits import away_and_back, drawn, drop, everything, link, seen, visit
from tests.sim.waiting.test_sources import DONE, TOOK, api, of_api, serving


def typed(start: str, **options: Any) -> Waiting:
    """Return the answer to what an example has typed, without the page."""
    texts = STARTS[start].values
    siblings = Siblings(
        times_in(texts["done"], "done"),
        times_in(texts["running"], "running"),
        done_work=sizes_in(texts.get("sizes", ""), ""),
        work=sizes_in(texts.get("running_sizes", ""), ""),
        done_hosts=tuple(texts.get("hosts", "").split()),
        hosts=tuple(texts.get("running_hosts", "").split()),
        unit=texts.get("unit", "bytes"),
    )
    return answered(siblings, Options(**options))


def say(app: AppTest) -> str:
    """Return the answer."""
    assert not app.exception
    assert not app.error
    return str(app.markdown[0].value)


def box(app: AppTest, name: str) -> Any:
    """Return the field of a text."""
    return (app.text_input if name in ("deadline", "start") else app.text_area)(key=f"wait.{name}")


def cards(app: AppTest) -> dict[str, str]:
    """Return the cards, with what stands below each."""
    below = (one.value for one in app.caption)
    return {card.label: f"{card.value} | {next(below)}" for card in app.metric}


@pytest.mark.parametrize("start", [one for one in STARTS if one != "few"])
def test_the_numbers_of_the_page_are_those_of_the_answer(start: str) -> None:
    app, found = visit("wait", example=start), typed(start)
    assert say(app) == literal(sentence(found))
    task = found.tasks[0]
    assert task.choices is not None
    wait, copy, restart = (task.choices[one] for one in (WAIT, COPY, RESTART))
    shown = cards(app)
    done = shown[f"Done within {spell(found.horizons[1], 2)}"]
    assert [one in done for one in (chance(c.within[1].value) for c in (wait, copy, restart))] == [True] * 3
    assert chance(wait.within[1].low) in done
    assert chance(wait.within[1].high) in done
    rest = shown["Mean rest if you wait"]
    assert rest.startswith(about(wait.rest).partition(" (")[0])
    assert about(copy.rest) in rest
    assert about(restart.rest) in rest
    changes = shown["Answer changes at an age of"]
    assert changes.startswith(spell(found.changes[0], 2) if found.changes else "none")
    more = copy.slot_time - wait.slot_time
    assert shown["Slot-time of a copy"].startswith(("+" if more > 0 else "−") + spell(abs(more), 2))
    ages = app.table[0].value["copies from an age of"]
    assert [*ages][:4] == [spell(age, 2) if age else "never" for age in rules(found).values()]
    table = app.dataframe[0].value
    assert [*table["task"]] == [one.name for one in found.tasks]
    assert [*table["advice"]] == [NAMES[one.action] for one in found.tasks]
    rests = [about(one.choices[WAIT].rest) for one in found.tasks if one.choices]
    assert [*table["mean rest if you wait"]] == rests


@pytest.mark.parametrize("start", ["late", "size", "many"])
def test_the_curves_are_those_of_the_answer(start: str) -> None:
    found = typed(start)
    one = see(found.siblings, found.options)
    done, rest = (chart.draw(one, False).to_dict()["data"] for chart in (charts.DONE, charts.REST))
    assert found.tasks[0].choices is not None
    scale = one.times.max() / x_and_y(done[1])[0].max()
    for trace, choice in zip(done[1:], found.tasks[0].choices.values(), strict=True):
        x, y = x_and_y(trace)
        at = [np.interp(horizon / scale, x, y) for horizon in found.horizons]
        assert at == pytest.approx([chance.value for chance in choice.within], abs=1e-9)
        assert np.all(np.diff(y) >= -1e-12)
    low, high = one.band
    assert np.all((low <= one.chances[WAIT]) & (one.chances[WAIT] <= high))
    for trace, name in zip(rest, ("wait", "copy", "restart"), strict=False):
        drawn_in = np.array([getattr(older, name) for older in found.profile]) / x_and_y(trace)[1]
        assert drawn_in == pytest.approx(drawn_in[0])
    ages = x_and_y(rest[0])[0]
    (now,) = (shape.x0 for shape in charts.REST.draw(one, False).layout.shapes)
    assert now / ages[0] == pytest.approx(one.task.age / one.profile[0].age), "in the axis's unit"
    marks = {trace["name"]: x_and_y(trace)[0][0] for trace in rest[3:]}
    assert len(marks) == sum(age is not None for age in rules(found).values())
    assert marks["3 × median"] / marks["1.5 × median"] == pytest.approx(2)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("done", "12 14 11 13 12.5 13.2 15 12.1 14.4 39", {}),
        ("running", "14.5 1:30", {}),
        ("deadline", "2 min", {"deadline": 120.0}),
        ("start", "10 min", {"start": 600.0}),
    ],
)
def test_a_text_that_is_typed_changes_the_answer_and_the_link_brings_it_back(
    name: str, text: str, options: dict[str, float]
) -> None:
    app = visit("wait")
    before = seen(app)
    box(app, name).set_value(text.replace(" ", "\n") if name == "done" else text).run()
    lists = {one: times_in(str(STARTS["late"].values[one]), one) for one in ("done", "running")}
    lists |= {name: times_in(text, name)} if name in lists else {}
    found = answered(Siblings(lists["done"], lists["running"]), Options(**options))
    assert say(app) == literal(sentence(found))
    horizon = found.horizons[len(found.horizons) // 2]
    assert f"Done within {spell(horizon, 2)}" in cards(app)
    assert seen(app) != before
    assert link(app) == {"v": "1", name: text}
    assert seen(visit("wait", **link(app))) == seen(app)
    assert seen(away_and_back(app, "wait")) == seen(app)


def test_the_size_of_a_task_and_its_host_count() -> None:
    texts = STARTS["size"].values
    app = visit("wait", example="size")
    assert "as slow as its size" in say(app)
    assert "times the records" in say(app)
    app.selectbox(key="wait.unit").set_value("tokens").run()
    assert "times the tokens" in say(app)
    app.text_area(key="wait.running_sizes").set_value("130").run()
    assert "as slow as its size" not in say(app)
    without = visit("wait", done=texts["done"], running=texts["running"])
    assert "as slow as its size" not in say(without)
    slow = visit("wait", example="host")
    assert "Its host node3 takes" in say(slow)
    slow.text_area(key="wait.running_hosts").set_value("node1").run()
    assert "node3" not in say(slow)
    assert slow.dataframe[0].value["host"][0] == "node1"


def test_slots_that_are_waited_for_make_a_copy_cost_more() -> None:
    app = visit("wait", example="size")
    assert "nobody else is slower" in cards(app)["Slot-time of a copy"]
    app.segmented_control(key="wait.free").set_value("queue").run()
    assert "tasks wait for slots" in cards(app)["Slot-time of a copy"]
    assert say(app) == literal(sentence(typed("size", slots="queue")))
    assert link(app) == {"v": "1", "example": "size", "free": "queue"}


def test_too_few_siblings_are_an_answer_that_says_how_to_get_more() -> None:
    app = visit("wait", example="few")
    assert say(app) == literal(sentence(typed("few")))
    assert cards(app)["Siblings done"].startswith("3 | at least 5")
    assert not drawn(app)
    assert all(any(one in block.value for block in app.markdown) for one in ("ray list", "kubectl", "squeue"))
    assert app.dataframe[0].value["advice"].tolist() == ["Cannot tell"]
    app.text_area(key="wait.done").set_value("").run()
    assert cards(app)["Siblings done"].startswith("0 |")
    assert link(app) == {"v": "1", "example": "few", "done": "none"}
    assert seen(visit("wait", **link(app))) == seen(app)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("done", "12 thirteen", "'thirteen' is not accepted; give numbers such as 12"),
        ("running", "40 0", "is not accepted"),
        ("running", "", "no task is running; give the age of at least one"),
        ("deadline", "5 6", "give one time"),
        ("deadline", "0", "above 0"),
        ("start", "-3", "is not accepted"),
        ("sizes", "1 2", "sizes: 2 sizes for 9 durations"),
        ("running_sizes", "1 2", "running_sizes: 2 sizes for 1 age;"),
        ("hosts", "a b", "hosts: 2 hosts for 9 durations"),
        ("running_hosts", HOSTILE["image"], "is not accepted; give names of hosts"),
    ],
)
def test_what_is_not_accepted_is_said_and_nothing_is_lost(name: str, text: str, told: str) -> None:
    app = visit("wait")
    box(app, name).set_value(text).run()
    assert not app.exception
    assert told in app.error[0].value.replace("`", "")
    assert AWAY not in re.sub(r"`[^`]*`", "", app.error[0].value)
    box(app, "start" if name == "deadline" else "deadline").set_value("7").run()
    back = away_and_back(app, "wait")
    assert box(back, name).value.split() == text.split()
    assert told in back.error[0].value.replace("`", "")


def test_a_list_that_is_too_long_for_a_link_is_left_out_and_stays_on_the_page() -> None:
    many = " ".join(map(str, range(100, 900)))
    app = visit("wait")
    app.text_area(key="wait.done").set_value(many).run()
    assert link(app) == {"v": "1", "done": TOO_LONG}
    assert any("too long for a link" in one.value for one in app.caption)
    assert away_and_back(app, "wait").text_area(key="wait.done").value == many
    other = visit("wait", **link(app))
    assert "too long for a link; give it again" in other.warning[0].value
    assert other.text_area(key="wait.done").value == STARTS["late"].values["done"]


ROWS = [f"nightly,map,{task},h{task % 3},0,{9 + task * 0.37:.2f}" for task in range(12)]
ROWS += ["nightly,map,12,h1,0,", "nightly,map,13,=cmd(),20,"]
ROWS += [f"nightly,{HOSTILE['html']},{task},h0,12,{30 + task * 0.5:.2f}" for task in range(12)]
ROWS += [f"nightly,{HOSTILE['html']},99,h0,12,"]
LOG = "\n".join(["job_id,stage_id,task_id,host,start_s,end_s", *ROWS, ""]).encode()


def test_a_log_gives_the_stages_in_which_a_task_runs() -> None:
    app = drop(visit("wait"), ("log.csv", LOG))
    oldest = np.array([35.5, 15.5])
    alone = Siblings(
        np.array([9 + task * 0.37 for task in range(12)]).round(2),
        oldest,
        tasks=("task 12", "task 13"),
        done_hosts=tuple(f"h{task % 3}" for task in range(12)),
        hosts=("h1", "=cmd()"),
    )
    assert say(app) == literal(sentence(answered(alone)))
    assert not app.text_area  # the times are in the log
    menu = app.selectbox(key="wait.stage")
    assert [one.partition(" (")[2] for one in menu.options] == ["2 tasks running)", "1 task running)"]
    menu.set_value(2).run()
    assert "task 99" in say(app)
    assert link(app)["stage"] == "2"
    assert AWAY not in "".join(seen(app))
    without = visit("wait", **link(app))
    assert "drop it again, or go on without it" in without.error[0].value
    without.button(key="wait:without").click().run()
    assert say(without) == literal(sentence(typed("late")))


def test_a_log_in_which_nothing_runs_is_said() -> None:
    app = drop(visit("wait"), ("log.csv", "\n".join(LOG.decode().splitlines()[:13]).encode()))
    assert "no task of this log still runs" in app.error[0].value
    app.text_input(key="wait.deadline").set_value("60").run()
    assert "no task of this log still runs" in app.error[0].value


def test_a_stage_that_the_log_does_not_have_is_said() -> None:
    app = drop(visit("wait", stage="9"), ("log.csv", LOG))
    assert any("this log has 2 stages" in one.value for one in app.warning)
    assert app.selectbox(key="wait.stage").value == 1
    fixed = drop(visit("wait", stage="9", lock="stage"), ("log.csv", LOG))
    assert say(app) in [one.value for one in fixed.markdown]


def test_names_of_others_are_shown_and_not_obeyed() -> None:
    name = HOSTILE["link"]
    rows = [f"nightly,map,{task},h{task % 3},0,{9 + task * 0.07:.2f}" for task in range(30)]
    rows += [f"nightly,map,{task},{name},0,{29 + task * 0.07:.2f}" for task in range(30, 40)]
    rows += [f"nightly,map,40,{name},0,", "nightly,map,41,h1,100,"]
    log = "\n".join(["job_id,stage_id,task_id,host,start_s,end_s", *rows, ""]).encode()
    told = say(drop(visit("wait"), ("log.csv", log)))
    assert "click" in told
    assert not alive(told)
    siblings = Siblings(np.full(9, 10.0), [40.0], tasks=(HOSTILE["html"],), hosts=(HOSTILE["link"],))
    one = see(siblings, Options())
    assert AWAY not in charts.DONE.words(one) or "<" not in charts.DONE.words(one)
    assert len(words.task_table(one)["task"][0]) <= 40
    spread = see(Siblings(np.full(9, 10.0), [40.0], tasks=("=1+1",)), Options())
    assert words.csv(spread).splitlines()[1].startswith("'=1+1,")


@pytest.mark.parametrize("start", STARTS)
def test_the_line_for_the_shell_asks_the_same(start: str, capfd: pytest.CaptureFixture[str]) -> None:
    app = visit("wait", example=start, deadline="2 min", start="5 s", free="queue")
    app.session_state["wait:open:shell"] = True
    app.run()
    (line,) = (one.value for one in app.code)
    assert main([*shlex.split(line)[3:], "--json", "-"]) == 0
    found = json.loads(capfd.readouterr().out)
    for unit in ("records", "work"):  # the shell does not ask what sizes are of
        found["answer"] = found["answer"].replace(unit, "sizes")
    said = say(app).replace("records", "sizes").replace("work", "sizes")
    assert said == literal(found["answer"])


def test_the_files_have_all_numbers() -> None:
    found = typed("many")
    one = see(found.siblings, found.options)
    assert one.report == as_json(found)
    assert json.loads(json.dumps(one.report, allow_nan=False)) == one.report
    table = words.tidy(one)
    assert len(table) == len(found.tasks)
    for row, task in zip(table.to_dict("records"), found.tasks, strict=True):
        assert task.choices is not None
        assert [row["task"], row["age_s"], row["action"]] == [task.name, task.age, task.action]
        for name, choice in task.choices.items():
            assert (row[f"{name}_rest_s"], row[f"{name}_rest_s_low"]) == choice.rest[:2]
            within = [row[f"{name}_done_within_{at:g}_s"] for at in found.horizons]
            assert within == [chance.value for chance in choice.within]


def test_the_oldest_of_many_running_tasks_are_looked_at() -> None:
    ages = np.random.default_rng(1).permutation(np.arange(1.0, MOST_TASKS + 51))
    one = see(Siblings(np.linspace(50, 90, 30), ages), Options())
    assert sorted(task.age for task in one.tasks) == sorted(ages)[-MOST_TASKS:]
    assert one.left_out == 50
    assert all(task.name == f"task {31 + np.flatnonzero(ages == task.age)[0]}" for task in one.tasks)


def test_very_many_siblings_have_the_law_of_all_of_them() -> None:
    durations = np.random.default_rng(2).lognormal(4, 0.5, 20_000)
    found = laws(durations, np.array([400.0]), draws=50)
    assert found.knots.size <= KNOTS + 2
    shares = np.array([0.1, 0.5, 0.9])
    assert found.tail(np.quantile(durations, shares)).mean(axis=0) == pytest.approx(1 - shares, abs=0.01)


def test_the_same_question_is_computed_once() -> None:
    values = {
        "sizes": "",
        "running_sizes": "",
        "unit": "bytes",
        "hosts": "",
        "running_hosts": "",
        "free": "idle",
    }
    values |= {"deadline": "", "start": "", **STARTS["late"].values}
    first = answer(values)
    assert isinstance(first, Answer)
    assert answer(dict(values)) is first
    assert answer(values | {"start": "5"}) is not first
    with pytest.raises(BadInput, match="no task is running"):
        answer(values | {"running": ""})


def test_everything_is_on_the_page_without_accidents() -> None:
    app = visit("wait", example="heavy", deadline="5min", start="20")
    assert not re.search(r"\bnan\b|\binf\b|None", everything(app))


def asks(app: AppTest) -> Any:
    """Return the button that asks the driver."""
    (found,) = (one for one in app.button if "driver" in one.label)
    return found


def test_the_driver_of_the_owner_fills_the_fields_and_a_visitor_names_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not [one for one in visit("wait").button if "driver" in one.label]
    answers = api([*DONE, of_api(7, "RUNNING", 95, (500, 4000))])
    with serving(answers) as address:
        monkeypatch.setenv(VARIABLE, f"http://{address}")
        app = visit("wait")
        asks(app).click().run()
        say(app)
        assert box(app, "done").value.split() == [f"{one:.6g}" for one in TOOK]
        assert float(box(app, "running").value) == pytest.approx(95, abs=60)
        assert box(app, "sizes").value.split() == ["9000"] * 5
        assert box(app, "running_hosts").value == "h1"
        assert any("1 task running in count at job.py:7" in one for one in seen(app))
    asks(app).click().run()  # nobody answers there now
    assert not app.exception
    assert box(app, "hosts").value == "h0 h1 h0 h1 h0"
    assert any(address.rpartition(":")[2] in one for one in seen(app))
