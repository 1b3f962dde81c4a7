"""`python -m sim mcp`: a client of the SDK asks over standard input, and gets what the shell says."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from sim.advice.diagnosis import CAUSES, diagnose, report
from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.clusters_of_slowness import Uneven
from sim.advice.diagnosis.costs import Counts
from sim.advice.diagnosis.findings import Finding
from sim.advice.diagnosis.report import as_json
from sim.advice.diagnosis.spells import Spell
from sim.advice.fleet.report import table as of_fleet
from sim.advice.several.after import Band
from sim.advice.several.sides import Moved
from sim.advice.whatif import report as of_whatif
from sim.advice.whatif.answer import Advice
from sim.advice.whatif.check import Item
from sim.advice.whatif.price import Executor
from sim.advice.whatif.report import Cost, Longer
from sim.advice.whatif.safety import Writer
from sim.advice.whatif.systems import Without
from sim.logs import samples
from sim.logs.compact import as_parquet
from sim.logs.formats import table
from sim.model.fields import BadInput
from sim.running.byte_cache import ByteCache
from sim.running.processes.wire import STEPS
from sim.shell.mcp import fields as explained
from sim.shell.mcp import tools
from sim.shell.mcp.portions import MORE, MOST, OPTIONS, WHOLE
from sim.shell.mcp.tools import TOOLS, WRITES, answer, sent
from sim.shell.verbs import main
from tests.sim.whatif.clusters import cluster, pareto

ROOT = Path(__file__).resolve().parents[2]
#: Options with which the small log is quickly played.
FEW = {"policy": ["fifo+spark"], "replications": 2, "seed": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small log, and one of a few lines beside it."""
    there = tmp_path_factory.mktemp("mcp")
    (there / "logs").mkdir()
    history = cluster(3, pareto(1.6), jobs=5, tasks=(8, 14)).history
    (there / "logs" / "history.parquet").write_bytes(as_parquet(history))
    (there / "logs" / "five.csv").write_text(table.template())
    (there / "outside.csv").write_text(table.template())
    return there


def shell(capfd: pytest.CaptureFixture[str], target: Path, *words: str) -> tuple[str, dict[str, Any]]:
    """Return what the shell prints, and its JSON."""
    assert main([*words, "--json", str(target)]) == 0
    return capfd.readouterr().out.strip(), json.loads(target.read_text())


@pytest.mark.compiled
def test_a_client_gets_the_answers_of_the_shell(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mcp", reason="needs the extra [mcp]")
    found = asyncio.run(asked(folder))
    log = str(folder / "logs" / "history.parquet")
    assert (
        found["tools"].keys()
        == TOOLS.keys()
        == {
            *("logs", "diagnose", "whatif", "check_advice", "fleet"),
            *("after", "wait_copy_or_kill", "explain"),
        }
    )
    for name, tool in found["tools"].items():
        assert tool.input_schema == TOOLS[name].schema
        assert tool.annotations.read_only_hint
    few = [f"--{name}={value}" for name, value in (FEW | {"policy": "fifo+spark"}).items()]
    for said, words in (
        ("diagnose", ["trace", log]),
        ("whatif", ["whatif", log, *few]),
    ):
        text, values = shell(capfd, tmp_path / "answer.json", *words)
        first, *_ = answers = found[said]
        assert not first.is_error
        assert "".join(re.sub(r"\n\nPage \d.*", "", one.content[0].text) for one in answers).strip() == text
        whole = found[f"{said} whole"]
        assert json.loads("".join(one.content[0].text.partition("\n")[2] for one in whole)) == values
        parts = first.structured_content
        left = parts.pop(MORE, {"parts": {}})["parts"]
        assert {name: values[name] for name in values.keys() - left.keys()}.items() <= parts.items()
        for one in (*answers, *whole):
            assert len(one.model_dump_json(by_alias=True, exclude_none=True)) <= MOST
    assert values.keys() - {"question"} == of_whatif.MEANINGS.keys()
    assert [one["file"] for one in found["logs"].structured_content["logs"]] == [
        *(["five.csv"], ["history.parquet"])
    ]
    shares = found["progress"]
    assert shares == sorted(shares)
    assert all(0 < share <= 1 for share in shares)
    assert found["explain"].structured_content == explained.as_json("luck")
    for said, begins in (
        (found["outside"], "file: '../outside.csv' is not in the folder"),
        (found["missing"], "'"),
        (found["few"], "history: "),
        (found["odd"], "left-out: 'x' is not accepted; give kept or gone"),
        (found["writes"], "argument: 'json' is not known"),
        (found["no tool"], "tool: 'delete' is not known"),
    ):
        assert said.is_error
        assert said.content[0].text.startswith(begins), said.content[0].text


async def others(client: Any, tool: str, arguments: dict[str, Any], first: Any) -> list[Any]:
    """Ask for the pages after the first."""
    last = re.search(r"[Pp]age 1 of (\d+)", first.content[0].text)
    pages = range(2, int(last[1]) + 1 if last else 2)
    return [await client.call_tool(tool, arguments | {"page": page}) for page in pages]


async def asked(folder: Path) -> dict[str, Any]:
    """Ask a server in the folder of the logs."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    shares: list[float] = []

    async def progress(share: float, total: float | None, told: str | None) -> None:
        assert total == 1
        shares.append(share)

    places = os.pathsep.join([str(ROOT), *(place for place in sys.path if place)])
    environment = {**os.environ, "PYTHONPATH": places}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sim", "mcp", "--folder", "logs"],  # paths are relative to it, wherever it is started
        env=environment,
        cwd=folder,
    )
    found: dict[str, Any] = {"progress": shares}
    log = {"file": ["history.parquet"]}
    async with Client(stdio_client(server)) as client:
        found["tools"] = {one.name: one for one in (await client.list_tools()).tools}
        found["logs"] = await client.call_tool("logs", {})
        for tool, arguments, heard in (("diagnose", log, None), ("whatif", log | FEW, progress)):
            first = await client.call_tool(tool, arguments, progress_callback=heard)
            found[tool] = [first, *await others(client, tool, arguments, first)]
            first = await client.call_tool(tool, arguments | {"part": WHOLE})
            found[f"{tool} whole"] = [first, *await others(client, tool, arguments | {"part": WHOLE}, first)]
        found["explain"] = await client.call_tool("explain", {"word": "luck"})
        for name, tool, arguments in (
            ("outside", "diagnose", {"file": ["../outside.csv"]}),
            ("missing", "diagnose", {"file": ["no such"]}),
            ("few", "whatif", {"file": ["five.csv"]}),
            ("odd", "whatif", log | {"leave_out": "a", "left_out": "x"}),
            ("writes", "diagnose", log | {"json": "-"}),
            ("no tool", "delete", log),
        ):
            found[name] = await client.call_tool(tool, arguments)
    return found


def test_without_the_extra_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "sim.shell.mcp.server", raising=False)
    assert main(["mcp"]) == 2
    assert capsys.readouterr().err == "sim: mcp: needs mcp; install it with: pip install '.[mcp]'\n"
    assert main(["mcp", "--folder", "no such"]) == 2
    assert capsys.readouterr().err.startswith("sim: folder: 'no such' is no folder")


def test_a_tool_takes_the_options_of_its_command_but_for_files_to_write() -> None:
    from sim.shell.verbs import parser

    actions = next(one for one in parser()._actions if one.choices).choices
    places = {"diagnose": ["file"], "whatif": ["file"], "fleet": ["source"], "after": ["before", "after"]}
    places |= {"wait_copy_or_kill": [], "check_advice": ["file", "advice"]}
    for name, place in places.items():
        verb = {"diagnose": "trace", "wait_copy_or_kill": "wait"}.get(name, name.replace("_", "-"))
        theirs = {one.dest: one.help for one in actions[verb]._actions if one.dest != "help"}
        ours = TOOLS[name].schema
        assert ours["properties"].keys() == theirs.keys() - set(WRITES) | OPTIONS.keys()
        assert ours["required"] == place
        for option in ours["properties"].keys() - OPTIONS.keys():
            about = ours["properties"][option]
            assert about["description"].startswith(theirs[option].partition("%")[0])


def test_another_portion_is_not_computed_again_unless_the_log_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[str] = []
    for name in ("diagnose", "whatif", "fleet", "after"):

        def counted(chosen: Any, progress: Any, name: str = name) -> tuple[str, Any]:
            computed.append(name)
            return name, {"sentence": f"{len(computed)}"}

        monkeypatch.setitem(TOOLS, name, replace(TOOLS[name], answer=counted))
    monkeypatch.setattr(tools, "_KEPT", ByteCache(2**20))
    log, other = tmp_path / "deep" / "log", tmp_path / "other"
    log.parent.mkdir()
    for path in (log, other):
        path.write_text(table.template())
    questions = (
        ("diagnose", {"file": ["deep"]}),
        ("diagnose", {"file": ["deep/log"]}),
        ("diagnose", {"file": ["deep/log"], "leave_out": "a"}),
        ("whatif", {"file": ["other"], "earlier": ["deep"]}),
        ("fleet", {"source": ["."]}),
        ("after", {"before": "deep/log", "after": "other"}),
        ("after", {"before": "other", "after": "deep/log"}),
    )

    def ask(part: dict[str, Any]) -> list[str]:
        return [sent(tool, asked | part, str(tmp_path), ".").text for tool, asked in questions]

    ask({})
    told = ask({"part": "sentence"})
    assert len(computed) == len(questions)
    log.write_text(table.template() + "\n")
    assert all(before != after for before, after in zip(told, ask({"part": "sentence"}), strict=True))
    assert len(computed) == 2 * len(questions)


def test_logs_are_listed_as_they_are_given_and_none_outside_the_folder(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    (logs / "deep").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text(table.template())
    for number, name in enumerate(("old.csv", "deep/events_1_x", "deep/events_2_x", "notes.txt")):
        data = {"old.csv": table.template().encode(), "notes.txt": b"no log"}
        (logs / name).write_bytes(data.get(name, samples.spark(speculation=False).data))
        os.utime(logs / name, (number, number))
    (logs / "link.csv").symlink_to(tmp_path / "outside.csv")
    (logs / "far").symlink_to(tmp_path)
    for only, here in ((".", logs), (None, logs)):
        found = json.loads(sent("logs", {}, str(here), only).values)
        assert [(one["file"], one["format"]) for one in found["logs"]] == [
            (["deep/events_1_x", "deep/events_2_x"], "spark"),
            (["old.csv"], "table"),
        ]
        assert found["other_files"] == 1
        assert found["logs"][1]["bytes"] == (logs / "old.csv").stat().st_size
        assert found["logs"][0]["modified"] == "1970-01-01T00:00:02+00:00"
        assert sent("diagnose", {"file": found["logs"][1]["file"]}, str(here), only).text
    many = logs / "many"
    many.mkdir()
    for number in range(300):
        (many / f"{number}.csv").write_text(table.template())
    first = sent("logs", {}, str(logs), ".")
    assert json.loads(first.values)["count"] == 302
    last = int(re.search(r"Page 1 of (\d+)", first.text)[1])
    text = "".join(sent("logs", {"page": page}, str(logs), ".").text for page in range(1, last + 1))
    assert all(f"many/{number}.csv" in text for number in range(300))


def test_many_logs_and_two_runs_are_told_as_in_the_shell(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    (logs / "deep").mkdir(parents=True)
    paths = [logs / "one.txt", logs / "deep" / "two.txt"]
    for path, number in zip(paths, (1, 2), strict=True):
        path.write_bytes(samples.nightly(number).data)
    (logs / "notes.txt").write_text("no log")
    told: list[int] = []
    said = answer("fleet", {"source": ["."], "price": 2}, str(logs), ".", told.append)
    target = tmp_path / "answer.json"
    fleet = ["fleet", str(logs), "--compute", "0", "--again", "--price", "2"]
    text, values = shell(capfd, target, *fleet)
    assert said.text == text
    ours = json.loads(said.values)
    assert ours.pop("not_listed") == 0
    left_out = {"findings", "account", "remedy"}
    rows = [{key: one[key] for key in one.keys() - left_out} for one in values["logs"]]
    assert ours == values | {"logs": rows}
    assert sum(told) == STEPS
    monkeypatch.setattr(tools, "MOST_LISTED", 1)
    short = answer("fleet", {"source": ["."]}, str(logs), ".")
    assert json.loads(short.values)["not_listed"] == 1
    assert "1 log more" in short.text
    assert json.loads(short.values)["account"] == values["account"]
    runs = {"before": "one.txt", "after": "deep/two.txt", "replications": 0}
    said = answer("after", runs, str(logs), ".")
    text, values = shell(capfd, target, "after", *map(str, paths), "--replications", "0")
    assert (said.text, json.loads(said.values)) == (text, values)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fleet", {"source": [".."]}),
        ("fleet", {"source": ["far"]}),
        ("whatif", {"file": ["five.csv"], "earlier": ["../outside.csv"]}),
        ("whatif", {"file": ["five.csv"], "earlier": ["sub"]}),
        ("after", {"before": "five.csv", "after": "../outside.csv"}),
        ("after", {"before": "five.csv", "after": "five.csv", "more_after": ["link.csv"]}),
        ("after", {"before": "sub", "after": "five.csv"}),
        ("wait_copy_or_kill", {"file": ["../outside.csv"]}),
        ("check_advice", {"file": ["../outside.csv"], "advice": "spark.speculation=true"}),
    ],
)
def test_no_path_of_any_tool_leads_out_of_the_folder(
    tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    logs = tmp_path / "logs"
    (logs / "sub").mkdir(parents=True)
    (logs / "five.csv").write_text(table.template())
    (tmp_path / "outside.csv").write_text(table.template())
    (logs / "link.csv").symlink_to(tmp_path / "outside.csv")
    (logs / "sub" / "part.csv").symlink_to(tmp_path / "outside.csv")
    (logs / "far").symlink_to(tmp_path)
    with pytest.raises(BadInput, match="is not in the folder whose logs may be read"):
        answer(tool, arguments, str(logs), ".")
    said = json.loads(answer("fleet", {"source": ["."]}, str(logs), ".").values)
    assert [one["log"] for one in said["logs"]] == ["five.csv"]


def test_no_server_is_asked_by_a_tool(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not accepted"):
        answer("fleet", {"source": ["http://127.0.0.1:9/"]}, str(tmp_path), None)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "the following arguments are required: file"),
        ({"file": []}, "the following arguments are required: file"),
        ({"file": [3, True]}, "file: True is not accepted; give a text or a number"),
        ({"file": ["a\0b"]}, "file: "),
        ({"file": {"a": 1}}, "file: "),
        ({"file": ["x"], "papers": "yes"}, "papers: 'yes' is not accepted; give true or false"),
        ({"file": ["x"], "rate": "--"}, "--rate: '--' is not accepted; give a value"),
        ({"file": ["x"], "html": "page.html"}, "argument: 'html' is not known"),
        ({"file": ["--html=page.html"]}, "'/"),
    ],
)
def test_what_no_option_accepts_is_refused_by_name(arguments: Mapping[str, Any], why: str) -> None:
    with pytest.raises(BadInput) as refused:
        answer("whatif", arguments, "/no/such", None)
    assert str(refused.value).startswith(why)


def test_links_do_not_lead_out_of_the_folder(folder: Path) -> None:
    (folder / "logs" / "link.csv").symlink_to(folder / "outside.csv")
    (folder / "logs" / "sub").mkdir()
    (folder / "logs" / "sub" / "part.csv").symlink_to(folder / "outside.csv")
    (folder / "logs" / "far").symlink_to(folder)
    for path in ("link.csv", "../outside.csv", str(folder / "outside.csv"), "sub", "sub/part.csv", "far"):
        with pytest.raises(BadInput, match="is not in the folder whose logs may be read"):
            answer("diagnose", {"file": [path]}, str(folder / "logs"), ".")
    (folder / "logs" / "whole").mkdir()
    (folder / "logs" / "whole" / "part.csv").write_text(table.template())
    assert answer("diagnose", {"file": ["whole"]}, str(folder / "logs"), ".").text


def test_a_name_in_a_log_does_not_fill_the_answer(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(samples.slurm().data.replace(b"node03", b"n" * 50_000))
    found = json.loads(answer("diagnose", {"file": ["log"]}, str(tmp_path), ".").values)
    (slow,) = (one["host"] for one in found["slow_hosts"] if one["host"].startswith("nnn"))
    assert len(slow) == 80


def test_it_is_told_how_much_of_a_log_is_read(folder: Path) -> None:
    told: list[int] = []
    said = answer("diagnose", {"file": ["five.csv"]}, str(folder / "logs"), ".", told.append)
    assert sum(told) == STEPS
    assert "cannot be told" in said.text
    assert None in json.loads(said.values)["causes"].values()


def test_every_part_and_cause_of_an_answer_is_explained() -> None:
    from sim.logs.formats import read_history
    from sim.logs.source import Upload

    parts = as_json(diagnose(read_history(Upload("five.csv", table.template().encode()))))
    plain = {"format", "files", "span", "unit", "settings", "notes", "sentence", *Counts.__dataclass_fields__}
    assert parts.keys() - plain == report.MEANINGS.keys()
    for name in (*CAUSES, *STATES, *report.MEANINGS, *of_whatif.MEANINGS):
        assert name in {one["name"] for one in explained.as_json(name)["meanings"]}


#: Parts whose keys are names that a log gives, or says of its own.
OF_LOGS = ("settings", "others", "rules_copy_at_s")
#: What answers hold field by field, some of it seldom: its names are explained, too.
HELD = (
    *(Advice, Band, Cost, Counts, Executor, Finding, Item, Longer, Moved, Spell, Uneven, Without, Writer),
)


def keys_of(value: Any) -> Iterator[str]:
    """Yield all keys of JSON, but for names that a log gives."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from keys_of(list(one.values()) if key in OF_LOGS and isinstance(one, dict) else one)
    elif isinstance(value, list):
        for one in value:
            yield from keys_of(one)


def unexplained(words: Iterable[str]) -> list[str]:
    """Return the words that are no name of anything."""
    found = []
    for word in sorted(set(words)):
        try:
            explained.as_json(word)
        except BadInput:
            found.append(word)
    return found


@pytest.mark.compiled
def test_every_key_of_every_answer_is_explained(tmp_path: Path, folder: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.txt").write_bytes(samples.nightly(number).data)
    log = str(folder / "logs" / "history.parquet")
    questions: tuple[tuple[str, dict[str, Any]], ...] = (
        ("logs", {}),
        ("diagnose", {"file": ["1.txt"]}),
        ("diagnose", {"file": [log]}),
        ("fleet", {"source": ["."], "price": 2}),
        ("after", {"before": "1.txt", "after": "2.txt", "replications": 0}),
        ("wait_copy_or_kill", {"done": "12 13 11 14 12", "running": "95"}),
        ("whatif", {"file": [log], "price_executor": 2} | FEW),
        ("whatif", {"file": ["1.txt"], "replications": 5}),  # enough for remedies
        (
            "check_advice",
            {"advice": "--exclude=node03,node06 --mem=8G", "file": ["1.txt"], "replications": 5},
        ),
    )
    for tool, asked in questions:
        values = json.loads(answer(tool, asked, str(tmp_path), None).values)
        assert len(set(keys_of(values))) > 5
        assert unexplained(keys_of(values)) == [], tool
    assert (
        unexplained(field.name for one in HELD for field in fields(one) if not field.name.startswith("_"))
        == []
    )


def test_names_on_pages_are_explained() -> None:
    from sim.advice.diagnosis.report import sections
    from sim.advice.several.change import TITLES
    from sim.advice.whatif.setting_effect import FIGURES
    from sim.logs.formats import read_history

    titles = [title for title, _ in sections(diagnose(read_history(samples.slurm())))]
    assert unexplained([*titles, *of_fleet([]).columns, *TITLES.values(), *FIGURES.values()]) == []
    for page in ("diagnose", "whatif", "fleet", "beforeafter"):
        sources = "".join(path.read_text() for path in (ROOT / "pages" / page).rglob("*.py"))
        named = re.findall(
            r'Card\(\s*"([^"{]+)"|^ +"([a-z][^"{:]* \((?:s|h|%|slot·s)\))"', sources, re.MULTILINE
        )
        assert unexplained(filter(None, (name for pair in named for name in pair))) == [], page
    assert [one["kind"] for one in explained.as_json("skew")["meanings"]] == ["term"]


def test_the_rules_of_a_policy_are_explained_and_what_is_unknown_is_refused() -> None:
    found = explained.as_json("fair+late:speculative_cap=0.2")["meanings"]
    rules = {(one["name"], one["role"]) for one in found if "role" in one}
    assert rules == {("fair", "sharing"), ("late", "speculation")}
    assert "speculative_cap=0.1" in explained.as_text({"meanings": found})
    words = explained.as_json("")["words"]
    assert tuple(words) == explained.KINDS
    assert all(explained.as_json(word)["meanings"] for names in words.values() for word in names)
    with pytest.raises(BadInput, match="word: 'straglers' is not known; did you mean"):
        explained.as_json("straglers")
