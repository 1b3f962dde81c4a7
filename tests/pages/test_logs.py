"""The page Your logs: one drop for all tabs, what opens for it, one reading of each log, one menu."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.logs import question
from pages.logs.question import offered, read, recorded_as, tabs_for
from pages.logs.whatif import question as whatif
from pages.server.private import Read
from pages.shared.app import uploads
from sim.advice.diagnosis import read_and_diagnose
from sim.advice.fleet import first_look
from sim.advice.whatif.pieces import FEWEST, SearchPlan
from sim.logs import formats
from sim.logs.compact import as_parquet
from sim.logs.samples import FLEET, slurm
from sim.logs.source import Upload
from tests.pages.visits import add, drop, everything, link, take, turn_to, visit
from tests.sim.fleet.test_looking import a_log
from tests.sim.logs.logs import zipped
from tests.sim.several.runs import history

#: How the title of each tab begins.
TITLES = {
    "diagnose": "What do stragglers cost",
    "whatif": "Which setting should you switch on",
    "beforeafter": "Did the change do",
    "fleet": "Which of your applications lost most",
}
RUNS = [(f"run{seed}.parquet", as_parquet(history(seed, stages=12))) for seed in (1, 2, 3)]


@pytest.fixture(autouse=True)
def few_replications(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let What-if and Fleet play few replications: what is tested is the way to them."""

    def of(question: Any, system: Any, asked: int, more: Any) -> SearchPlan:
        return SearchPlan.of(question, system, min(asked, FEWEST), more)

    monkeypatch.setattr(whatif, "SearchPlan", SimpleNamespace(of=of))
    monkeypatch.setattr(first_look, "REPLICATIONS", FEWEST)


def tab(app: AppTest) -> str:
    """Return the tab that is shown."""
    assert not app.exception
    return next(name for name, begins in TITLES.items() if app.title[0].value.startswith(begins))


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the files that are read, which is done here and not in another process."""
    done: list[str] = []

    def counted(files: Any) -> Any:
        done.append(", ".join(file.name for file in files))
        return parse(files)

    def followed(
        key: Any, make: Callable[..., Any], files: Any, meanwhile: Any, size: Any, given: Any
    ) -> Any:
        return make(*given, progress=lambda number: None)

    parse = formats._read
    monkeypatch.setattr(formats, "_read", counted)
    monkeypatch.setattr(uploads, "_followed", followed)
    return done


@pytest.mark.usefixtures("short_runs")
def test_a_log_is_read_once_for_all_tabs(parses: list[str]) -> None:
    first, other = (f"{uuid.uuid4()}.csv", rows("a")), (f"{uuid.uuid4()}.csv", rows("b"))
    app = drop(visit("diagnose"), first)
    for page in ("whatif", "fleet", "diagnose"):
        assert tab(take(app, page, first)) == page
        assert first[0] in everything(app)
    assert [name for name in parses if name in (first[0], other[0])] == [first[0]]
    assert tab(add(app, *other)) == "fleet"
    take(app, "whatif", first, other)
    assert [name for name in parses if name in (first[0], other[0])] == [first[0], other[0]]


def rows(job: str) -> bytes:
    """Return a small log of jobs of this name."""
    lines = [
        f"{job}{number},{number},s,{task},{task},{task + number + 2}"
        for number in range(3)
        for task in range(8)
    ]
    return "\n".join(["job_id,submit_s,stage_id,task_id,start_s,end_s", *lines]).encode()


def test_a_log_that_is_opened_from_a_fleet_is_not_read_again(parses: list[str]) -> None:
    names = [f"app-{slow}-{uuid.uuid4()}" for slow in (2, 9)]
    files = zipped({name: a_log(slow) for name, slow in zip(names, (2, 9), strict=True)})
    app = drop(visit("fleet", compute="1"), ("many.zip", files))
    assert sorted(name for name in parses if name in names) == sorted(names)
    app.selectbox(key=next(one.key for one in app.selectbox if "open" in one.key)).set_value(names[1]).run()
    app.button(key="fleet:diagnose").click().run()
    assert tab(app) == "diagnose"
    assert app.selectbox(key="diagnose:one").value == names[1]
    assert any("1 job, 10 tasks" in one.value for one in app.caption)
    assert sorted(name for name in parses if name in names) == sorted(names)
    (back,) = [one.proto for one in app.get("page_link") if one.proto.label == "All 2 logs"]
    assert back.page.endswith("fleet")


@pytest.mark.usefixtures("short_runs")
def test_what_is_dropped_opens_the_tab_that_fits_once() -> None:
    assert tab(app := drop(visit("fleet", compute="0"), RUNS[0])) == "diagnose"
    assert tab(add(take(app, "fleet", RUNS[0]), *RUNS[1])) == "beforeafter"
    assert link(app)["file"].endswith("run1.parquet")
    assert link(app)["file2"].endswith("run2.parquet")
    assert tab(take(app, "whatif", *RUNS[:2])) == "whatif"  # the visitor may take any
    assert tab(app.run()) == "whatif"
    assert tab(add(app, *RUNS[2])) == "fleet"
    assert tab(drop(visit("whatif"), RUNS[0])) == "whatif"  # which is about one log, too
    assert tab(drop(visit("beforeafter"), RUNS[0])) == "beforeafter"  # which asks for another
    assert tab(drop(visit("diagnose"), RUNS[0], ("notes.txt", b"dear diary\n"))) == "fleet"


@pytest.mark.usefixtures("short_runs")
def test_a_sample_that_was_shown_before_the_drop_does_not_go_along_with_it() -> None:
    """What-if was told to be set to the sample of Diagnose, while it was about the visitor's own log."""
    app = drop(visit("diagnose"), RUNS[0])
    app.file_uploader[0].set_value([(*RUNS[0], "")])
    turn_to(app, "whatif")
    app.query_params.clear()  # as a link of the tabs has it
    assert tab(app.run()) == "whatif"
    assert not app.toast
    assert "log" not in link(app)


def test_a_file_that_is_no_log_is_named_on_every_tab_and_no_filter_is_blamed() -> None:
    diary = ("diary.txt", b"dear diary\n")
    app = drop(visit("beforeafter"), diary)
    assert "diary.txt" in app.error[0].value
    assert not app.info
    app = take(drop(visit("fleet", compute="0"), diary), "fleet", diary)
    assert "1 file is no log: diary.txt" in everything(app)
    assert "0 logs looked at" in everything(app)
    assert not app.info


def test_files_that_only_together_are_a_log_are_one() -> None:
    tables = [Upload("batch_task.csv", b"task_a,1,j_1,A,Terminated,1,9,1,1\n")]
    tables.append(Upload("batch_instance.csv", b"i,task_a,j_1,A,Terminated,1,9,m,1,1,1,1,1,1\n"))
    assert {formats.format_of(one) for one in tables} == {formats.alibaba.KEY}
    assert tabs_for(question.logs_of(tables))[0] == "diagnose"
    same = [Upload("log.csv", rows("a")), Upload("log.csv (2)", rows("b"))]
    assert tabs_for(question.logs_of(same)) == ("fleet",)


def test_a_link_that_needs_a_file_keeps_its_tab() -> None:
    needed = link(drop(visit("diagnose"), RUNS[0]))["file"]
    app = visit("fleet", file=needed)
    assert "this link needs run1.parquet" in app.error[0].value.replace("\\", "")
    assert tab(drop(app, RUNS[0])) == "fleet"
    assert not app.error


@pytest.mark.usefixtures("short_runs")
def test_the_runs_after_a_change_are_chosen_and_two_files_of_a_name_are_two_runs() -> None:
    same = [("run.parquet", data) for _, data in RUNS[:2]]
    app = drop(visit("beforeafter"), *same)
    assert tab(app) == "beforeafter"
    assert app.multiselect[0].value == ["run.parquet (2)"]
    assert any("the logs should be runs of one application" in one.value for one in app.caption)
    before = app.metric[0].value
    app.multiselect[0].set_value(["run.parquet"]).run()
    assert not app.exception
    assert app.metric[0].value != before
    assert "(2)" in link(app)["file"]
    for chosen in ([], ["run.parquet", "run.parquet (2)"]):
        app.multiselect[0].set_value(chosen).run()
        assert [one.value for one in app.info] == [
            "Choose some of the runs as those after the change, and not all."
        ]


@pytest.mark.parametrize(
    ("page", "key", "chosen", "shown"),
    [
        ("diagnose", "log", "runs nightly", ("beforeafter", {"runs": "nightly"})),
        ("beforeafter", "runs", "fleet sample", ("fleet", {})),
        ("fleet", "fleet", "log spark", ("diagnose", {"log": "spark"})),
    ],
)
@pytest.mark.usefixtures("short_runs")
def test_the_menu_opens_what_another_tab_shows(page: str, key: str, chosen: str, shown: Any) -> None:
    app = visit(page, **({"compute": "0"} if page == "fleet" else {}))
    before = link(app)
    app.selectbox(key=f"{page}.{key}").set_value(chosen).run()
    assert tab(app) == shown[0]
    assert link(app).items() >= shown[1].items()
    app.query_params.clear()
    assert tab(turn_to(app, page).run()) == page
    assert link(app) == before  # what is left is as it was


@pytest.mark.parametrize("name", FLEET)
def test_a_log_of_the_sample_fleet_has_a_link(name: str) -> None:
    app = visit("diagnose", log=f"sample/{name}")
    assert not app.error
    assert any(one.value.startswith("**A sample** · ") and name in one.value for one in app.caption)
    assert FLEET[name] in next(one.proto.help for one in app.caption if one.proto.help)


def test_a_diagnosis_that_comes_with_the_package_is_shown_without_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, log = read_and_diagnose(slurm()), offered("slurm")
    records, held = {recorded_as(read_and_diagnose, log): found}, dict[Any, Any]()
    monkeypatch.setattr(question, "kept", held.get)
    monkeypatch.setattr(question, "keep", held.__setitem__)
    monkeypatch.setattr(question, "made_of", lambda key, files: records.get(key))
    monkeypatch.setattr(question, "read_files", None)
    assert read(read_and_diagnose, log) is found


@pytest.mark.usefixtures("short_runs")
def test_diagnose_says_what_what_if_has_advised_on_the_same_log_and_links_to_no_place_of_it() -> None:
    app = turn_to(visit("whatif", replications="20", log="spark"), "diagnose")
    app.query_params.clear()
    app.query_params["log"] = "spark"
    begins = "What-if, as you have set it: "
    (told,) = [one.value for one in app.run().markdown if one.value.startswith(begins)]
    assert "mean job time" in told
    assert "](#" not in told
    app.selectbox(key="diagnose.log").set_value("slurm").run()
    assert not [one for one in app.markdown if one.value.startswith(begins)]


def test_a_reading_that_is_cancelled_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where several logs are read to be put in order."""
    asked = uploads.key_of(formats.read_history, [Upload(*RUNS[0])])
    app = visit("diagnose")
    app.session_state[uploads.CANCELLED] = asked
    monkeypatch.setattr(uploads, "_read", lambda: Read(2**20, lambda session: True))
    drop(app, *RUNS[:2])
    assert not app.exception
    assert ["run1.parquet: reading was cancelled" in one.value for one in app.error] == [True]
    assert [one.label for one in app.button if "uploads" in one.key] == ["Read it"]


@pytest.mark.usefixtures("short_runs")
def test_the_files_of_a_link_to_two_runs_are_given_in_any_order_and_are_on_its_sides() -> None:
    made = link(drop(visit("beforeafter"), *RUNS[:2]))
    turned = {"file": made["file2"], "file2": made["file"]}
    app = drop(visit("beforeafter", **turned), RUNS[0])
    assert [one.value for one in app.info] == ["Drop the log of the run before, too: two runs are compared."]
    assert not app.warning
    assert link(app).items() >= turned.items()
    add(app, *RUNS[1])
    assert tab(app) == "beforeafter"
    assert app.multiselect[0].value == [RUNS[0][0]]
    assert not app.warning
    assert link(app).items() >= turned.items()
