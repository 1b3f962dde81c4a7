"""The page What-if without a browser: samples, files, choices carried over, refusals, privacy."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.logs.whatif.words import HEAD, RECORDED
from pages.shared.live import playing
from sim.advice.whatif.check import check_model
from sim.advice.whatif.model import fit
from sim.advice.whatif.remedies.judged import WAYS
from sim.advice.whatif.runs import Replay, replicate
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK, Without
from sim.logs.samples import spark
from sim.logs.source import VARIABLE
from tests.foreign import AWAY, HOSTILE
from tests.pages import visits
from tests.pages.animated import animations_of
from tests.pages.visits import add, drop, everything, notices, take, turn_to
from tests.sim.logs.logs import lines, named_by
from tests.zoo.causes import build
from tests.zoo.eventlog import hour_log
from tests.zoo.worlds import stream

#: Where it does not matter which settings are compared.
few_settings = pytest.mark.usefixtures("short_runs")
PAGE, DIAGNOSE = "whatif", "diagnose"
FEW = "20"


@pytest.fixture(autouse=True)
def beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play at once: a process that stands back for visitors would do so for other tests, too."""
    monkeypatch.setattr(playing, "LIMITS", replace(playing.LIMITS, niceness=0))


def visit(page: str = "whatif", **query: str) -> AppTest:
    return visits.visit(page, **({"replications": FEW} if page == "whatif" else {}) | query)


#: How an answer begins that no setting of copies leads.
REMEDIES = tuple(f"**{way.does[:1].upper()}{way.does[1:]}" for way in WAYS.values())


def told(app: AppTest) -> str:
    """Return the answer."""
    begins = ("**Switch", "**Set ", "**Do nothing", "**No recommendation", *REMEDIES)
    return next(block.value for block in app.markdown if block.value.startswith(begins))


def test_the_sample_is_answered_before_anybody_uploads_as_the_shell_answers() -> None:
    """The number of the sentence by a route of its own: means of runs, without the library's comparison."""
    sample = visit(budget="50")
    assert_whole(sample)
    assert_known(visit(budget="0"))
    assert not sample.exception
    assert not sample.error
    assert any(one.value.startswith("**A sample** · ") for one in sample.caption)
    model = fit(read_sample())
    text = "fifo+spark:multiplier=1.2,quantile=0.5"
    from sim.engines.slots.scenario import read_policy

    ours, theirs = replicate(Replay(model), [read_policy(text), read_policy("fifo+none")], range(int(FEW)))
    gain = 100 * (
        np.mean([p.job_times.mean() / q.job_times.mean() for p, q in zip(ours, theirs, strict=True)]) - 1
    )
    assert told(sample).startswith("**Switch on speculation: multiplier 1.2, quantile 0.5:** mean job time −")
    assert f"mean job time {gain:.1f} %".replace("-", "−") in told(sample)
    advice = answer(Replay(model), SPARK, replications=int(FEW), budget=0.5, sweep=False).advice
    assert advice is not None
    lines_to_paste = next(block.value for block in sample.code if "spark.speculation" in block.value)
    assert lines_to_paste.splitlines() == [f"{name} {value}" for name, value in advice.settings.items()]
    assert_filmed(sample, "speculation: multiplier 1.2, quantile 0.5")
    assert "**To paste into spark-defaults.conf**" in [block.value for block in sample.markdown]
    assert not re.search(r"\b(nan|NaN|None|inf|Infinity)\b", everything(sample))


def assert_filmed(app: AppTest, *settings: str) -> None:
    """Assert that the recorded run can be watched above those of some settings, and that words say which."""
    (shown,) = [one for one in animations_of(app) if one.animation]
    assert [run["name"] for run in shown.animation["runs"]] == [RECORDED, *settings]
    assert f"Under {RECORDED}: " in shown.told
    (told,) = [one.value for one in app.caption if one.value.startswith("Stage 1 is ")]
    assert ("; no other has a task so far above" in told) == (not settings)
    assert all(f"with {one}: of all stages it changes most" in told for one in settings)
    assert any(one.value == HEAD for one in app.header)


def test_luck_is_held_against_everything_behind_a_fold() -> None:
    app = visit()
    charts = len(app.get("plotly_chart"))
    app.session_state["whatif:open:luck"] = True
    app.run()
    assert not app.exception
    alts = [chart.proto.alt for chart in app.get("plotly_chart")][charts:]
    assert len(alts) >= 6
    assert all(alt.startswith("Median luck by ") and re.search(r"\d copies", alt) for alt in alts)
    assert any(caption.value.startswith("Luck does not depend on ") for caption in app.caption)


def read_sample() -> Any:
    from sim.logs.formats import read_history

    return read_history(spark(speculation=False))


def assert_whole(sample: AppTest) -> None:
    """Assert that check and options are there, with charts, a table and files."""
    assert len(sample.get("plotly_chart")) == 5
    assert len(sample.metric) == 5
    assert sample.metric[0].value in ("good", "fair")
    (table,) = [one.value for one in sample.dataframe]
    assert len(table) == 1 + len(SPARK.options)
    labels = [button.label for button in sample.get("download_button")]
    assert {"Report (HTML)", "Settings (CSV)", "Everything (JSON)", "Luck (CSV)", "Charts (HTML)"} <= set(
        labels
    )
    assert any("python -m sim whatif FILE..." in block.value for block in sample.code)
    assert all(re.search(r"\d", chart.proto.alt) for chart in sample.get("plotly_chart"))


def assert_known(app: AppTest) -> None:
    """Assert that another budget is answered, as the last question was."""
    assert not app.exception
    assert app.query_params["budget"] in ("0", ["0"])
    assert told(app).startswith(("**Switch on", "**Do nothing", *REMEDIES))


@few_settings
def test_a_file_dropped_on_diagnose_goes_along_and_can_be_taken_away() -> None:
    app = drop(visit("diagnose"), ("nightly.csv", spread()))
    app.query_params.clear()
    app.query_params["replications"] = FEW
    turn_to(app, PAGE).run()
    assert not app.exception
    assert any("nightly.csv" in one.value for one in app.caption)
    assert not any("A sample" in one.value for one in app.caption)
    assert app.selectbox(key="whatif.log").disabled
    assert told(app).startswith("**No recommendation:** the system that wrote this history")
    assert_filmed(app)
    turn_to(app, DIAGNOSE).run()
    assert "nightly.csv" in "".join(block.value for block in app.caption)
    app.file_uploader[0].set_value(None).run()
    assert not app.error
    assert "nightly.csv" not in everything(app)
    turn_to(app, PAGE).run()
    assert not app.error
    assert "nightly.csv" not in everything(app)


def test_a_second_log_is_beside_the_first_and_mixed_with_it_only_where_the_visitor_says_so() -> None:
    app = drop(visit("diagnose"), ("first.csv", spread()))
    assert "12 jobs" in everything(app)
    shifted = spread().replace(b"j", b"k").replace(b"kob_id", b"job_id").replace(b"kob_end_s", b"job_end_s")
    other = b"\n".join(shifted.split(b"\n")[: 1 + 6 * 24])
    add(app, "second.csv", other)
    assert not app.exception
    assert app.title[0].value.startswith("Which of your applications lost most")
    assert sorted(app.dataframe[0].value["jobs"]) == [6, 12]
    take(app, "diagnose", ("first.csv", spread()), ("second.csv", other))
    assert "second.csv · 6 jobs" in everything(app)
    assert "".join(app.query_params["file"]).endswith(",second.csv")
    app.selectbox(key="diagnose:one").set_value("first.csv").run()
    assert "first.csv · 12 jobs" in everything(app)
    app.toggle(key="diagnose:parts").set_value(True).run()
    assert not app.exception
    assert "18 jobs" in everything(app)


@few_settings
def test_the_next_log_is_learned_from_together_with_the_one_before() -> None:
    world = build("bimodal", (), stream(3, 0, "logs"), number=0, seed=3, size="small", setting=None)
    first, second = hour_log(world, None, 0), hour_log(world, (4.0, 0.9, 30.0), 1, 2)
    app = drop(visit(), (first.name, first.data))
    assert "learned from" not in notices(app)
    add(app, second.name, second.data)
    assert app.title[0].value.startswith("Did the change do")
    app.query_params.clear()
    app.query_params["replications"] = FEW
    take(app, PAGE, *((one.name, one.data) for one in (second, first)))
    assert not app.exception
    assert app.selectbox(key="whatif:one").value == second.name  # the later one, whatever came first
    assert "About the log: learned from 2 logs, of which the last is played." in notices(app)


@few_settings
def test_a_file_does_not_go_along_to_other_pages() -> None:
    app = drop(visit("diagnose"), ("nightly.csv", spread()))
    turn_to(app, "threshold").run()
    app.query_params.clear()
    app.query_params["replications"] = FEW
    app.query_params["log"] = "spark"
    turn_to(app, PAGE).run()
    assert "nightly.csv" not in everything(app)


def test_the_sample_that_is_looked_at_goes_along() -> None:
    app = visit("diagnose")
    app.selectbox(key="diagnose.log").set_value("spark-copies").run()
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label.startswith("Next: ")]
    assert "log=spark-copies" in link.query_string
    assert link.page.endswith("whatif")


@few_settings
def test_the_tab_of_what_if_shows_the_sample_of_diagnose() -> None:
    app = visit("diagnose")
    app.query_params.clear()
    app = turn_to(app, PAGE).run()
    assert app.selectbox(key="whatif.log").value == "slurm"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"job_id,task_id,start_s,end_s\na,0,0,1\n", "finished copies in stages of two tasks or more"),
        (b"job_id,submit,tasks\na,0,3\n", "no job with a submit time and a task that ran"),
    ],
)
def test_a_log_that_holds_too_little_is_said_with_what_it_holds(data: bytes, said: str) -> None:
    app = drop(visit(), ("little.csv", data))
    assert not app.exception
    assert [said in one.value for one in app.warning] == [True]
    assert "Nothing can be played again" in app.warning[0].value
    assert any(block.value.startswith("What the log shows by itself: **") for block in app.markdown)
    assert any("little.csv" in one.value.replace("\\", "") for one in app.caption)
    assert any("Diagnose" in one.proto.label for one in app.get("page_link"))
    assert not app.metric


def failing() -> bytes:
    rows = ["job_id,stage_id,task_id,start_s,end_s,status"]
    rows += [f"a,s,{task},{task},{task + 2},failed" for task in range(60)]
    return "\n".join(rows).encode()


def test_a_log_in_which_all_has_failed_is_said() -> None:
    app = drop(visit(), ("failed.csv", failing()))
    assert not app.exception
    assert "0 finished copies" in " ".join(one.value for one in [*app.warning, *app.error])


def test_a_file_that_is_no_log_is_named_with_line_and_reason() -> None:
    app = drop(visit(), ("notes.txt", b"dear diary\n"))
    assert not app.exception
    assert ["notes.txt, line 1" in one.value for one in app.error] == [True]


def spread() -> bytes:
    """Return a history of one host, of a system without second copies: nothing else is to be found."""
    random = np.random.default_rng(5)
    rows = ["job_id,submit_s,job_end_s,stage_id,task_id,start_s,end_s,host"]
    for number in range(12):
        begin, times = 200.0 * number, 2 + 3 * random.pareto(1.6, 24)
        free = np.zeros(8)
        for task, length in enumerate(times):
            slot = int(free.argmin())
            rows.append(
                f"j{number},{begin},,s{number},{task},{begin + free[slot]},{begin + free[slot] + length},h0"
            )
            free[slot] += length
    return "\n".join(rows).encode()


@few_settings
def test_one_host_is_said() -> None:
    app = drop(visit(), ("one.csv", spread()))
    assert not app.exception
    assert not app.error, app.error
    assert "one machine: systems that copy tasks to other machines only will copy none" in everything(app)


@few_settings
def test_jobs_that_are_left_out_are_offered_by_name_and_one_that_takes_all_or_none_is_refused() -> None:
    app = visit()
    box = app.selectbox(key="whatif.leave_out")
    assert len(box.options) > 1
    bad = visit(log="slurm", leave_out="sweep")  # in the name of every job of this sample
    assert ["leaves out every job" in one.value for one in bad.error] == [True]
    none = visit(log="slurm", leave_out="zzz")
    assert ["is in no job's group or name" in one.value for one in none.error] == [True]
    assert none.sidebar.selectbox(key="whatif.leave_out").value == "zzz"  # to be changed


@few_settings
def test_more_slots_than_a_history_can_tell_of_are_refused_and_the_most_is_named() -> None:
    bad = visit(slots="100000")
    assert [one.value for one in bad.error] == [
        "slots: 100000 is not accepted, since the history has 12; give at most 1200"
    ]
    assert bad.sidebar.number_input(key="whatif.slots").value == 100_000
    assert not visit(slots="1200").error


@few_settings
def test_what_becomes_of_jobs_left_out_is_chosen_where_some_are_and_travels_in_the_link() -> None:
    """Gone, the two warm-up jobs are no jobs of the model; kept, they are played and not counted."""
    key = "whatif.left_out"
    assert key not in [group.key for group in visit(replications="20").button_group]
    app = visit(leave_out="warmup")
    (choice,) = [group for group in app.button_group if group.key == key]
    assert choice.value == "kept"
    assert "slots they had are free" in choice.help
    choice.set_value("gone").run()
    assert not app.exception
    assert app.query_params["left_out"] in ("gone", ["gone"])
    assert any("--leave-out warmup --left-out gone" in block.value for block in app.code)
    assert "2 jobs named 'warmup' left out" in everything(app).replace("\\", "")
    again = visit(leave_out="warmup", left_out="gone")
    assert told(again) == told(app)
    none = visit(left_out="gone")
    assert "left_out" not in none.query_params
    assert not any("--left-out" in block.value for block in none.code)


@few_settings
def test_names_of_a_log_are_shown_letter_by_letter() -> None:
    texts = [text.encode(errors="replace").decode() for text in HOSTILE.values()]
    app = drop(visit(), *((f"{text}.log", lines(named_by(texts))) for text in texts[:2]))
    assert not app.exception
    for block in [*app.markdown, *app.caption, *app.warning, *app.error]:
        rest = re.sub(r"(`+).+?\1", "", block.value)
        assert AWAY not in rest, block.value
        assert not re.search(r"(?<!\\)<|(?<!\\)\$", rest), block.value
    for chart in app.get("plotly_chart"):
        assert not re.search("<(?!/?(br|b|sub|extra)>)", chart.proto.spec)


@few_settings
def test_histories_of_the_servers_owner_are_offered(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "week 12").write_bytes(spread())
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    app = visit(log="server/week 12")
    assert not app.exception
    assert not app.error
    assert "This server: week 12" in app.selectbox(key="whatif.log").options
    assert told(app).startswith("**No recommendation")
    assert str(tmp_path) not in everything(app)


@few_settings
def test_two_sessions_with_the_same_bytes_see_their_own_names_only() -> None:
    one, other = drop(visit(), ("salaries-of-ann", spread())), drop(visit(), ("budget-of-bob", spread()))
    one.run()
    assert "budget-of-bob" not in everything(one) + str(one.session_state)
    assert "salaries-of-ann" not in everything(other) + str(other.session_state)


def test_a_question_that_is_too_large_is_scaled_down_and_the_size_is_said(monkeypatch: Any) -> None:
    from sim.advice.whatif import pieces

    played = 1 + 2 * (1 + len(SPARK.options))  # today for the check, then all to search and to judge
    monkeypatch.setattr(pieces, "MOST_COPIES", 1920 * played * 12)
    app = visit(seed="9", replications="50", system="spark", log="slurm")
    assert not app.exception
    assert not app.error
    said = " ".join(block.value for block in app.caption)
    assert "12 replications (not 50: this history has 1,920 tasks)" in said


OFFERS = (
    Without("warmup", 6, 0.04, "fair", "Leave the settings as they are"),
    Without("[a](b)", 1, 0.3, "good", "Leave the settings as they are"),
)


def test_nothing_is_compared_where_the_model_is_poor(monkeypatch: Any) -> None:
    from sim.advice.whatif import steps
    from sim.advice.whatif.check import POOR, Check

    def poor(*asked: Any) -> Any:
        found, pictures = check_model(*asked)
        return Check((replace(found.items[1], grade=POOR),)), pictures

    def played(inquiry: Any, player: Any, pieces: Any) -> Any:
        assert {piece.policy for piece in pieces} == {inquiry.today}, "a setting was played"
        return play(inquiry, player, pieces)

    def offering(answer: Any, *asked: Any) -> Any:
        return replace(answer, without=OFFERS)

    play = steps._played
    monkeypatch.setattr(steps, "check_model", poor)
    monkeypatch.setattr(steps, "_played", played)
    monkeypatch.setattr(steps, "_without_some", offering)
    app = visit(seed="8")
    assert not app.exception
    assert told(app).startswith("**No recommendation:** the model does not reproduce this history")
    assert not app.dataframe
    assert not [block for block in app.code if "spark.speculation" in block.value]
    assert [card.value for card in app.metric] == ["poor"]
    assert_filmed(app)
    offered = {button.label: button for button in app.button if button.label.startswith("Leave out")}
    assert list(offered) == ["Leave out warmup"]  # a link has no signs of the other
    assert any(block.value.startswith("Without warmup (6 jobs, 4") for block in app.markdown)
    monkeypatch.undo()
    offered["Leave out warmup"].click().run(timeout=60)
    assert app.session_state["whatif.leave_out"] == "warmup"
    assert not app.exception
