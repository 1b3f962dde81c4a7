"""The commands and the code in the documents work as shown."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sim
from docs import check_links, generated, make_notebooks
from pages.frame.foot import address
from pages.frame.menu import entries
from sim.advice.whatif.systems import SYSTEMS
from sim.engines import plugins
from sim.engines.gang import run as gang
from sim.engines.gang.redundancy import REDUNDANCY
from sim.engines.gang.scenario import GangScenario
from sim.engines.plugins import KINDS
from sim.engines.probes import policy as probes
from sim.engines.probes.protocols import PROTOCOLS
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots.scenario import SlotScenario, speculation_rules
from sim.logs.csv_jobs import template
from sim.logs.samples import slurm
from sim.model.policy import forget_read
from sim.model.workload import generate
from sim.shell.verbs import main, parser
from tests.depth import each
from tests.documented_rules import PAGE, shown
from tests.documents import (
    FENCED,
    PAGES,
    README,
    ROOT,
    Block,
    arguments,
    blocks,
    is_command,
    is_ours,
    missing,
)
from tests.reference import gang as gang_reference
from tests.reference import probes as probe_reference
from tests.reference.slots.speculation import rule as slot_reference
from tests.sim.gang.test_twin import assert_twins_agree as gangs_agree
from tests.sim.logs.test_formats import jhist, mapreduce
from tests.sim.probes.test_twin import assert_twins_agree as probes_agree
from tests.sim.slots import test_systems as real_systems
from tests.sim.slots.test_twin import assert_twins_agree
from theory import CHAPTERS
from theory import FUNCTIONS as FORMULAS
from theory.__main__ import main as calculator

SAMPLES = ROOT / "sim" / "logs" / "samples"
#: Logs that the documents name -> what stands for them here.
LOGS = {
    "app-20260101120000-0001": SAMPLES / "spark_with_speculation.zstd",
    "large.zstd": SAMPLES / "spark_without_speculation.zstd",
}
#: Marks of code that the tests below run in its place: a rule in a file, or its twin among the others.
IN_PLACE = {"rule", "twin", "gang-rule", "gang-twin", "protocol", "protocol-twin"}
SHELL = [one for one in blocks("sh") if one.page != README]  # whose tests are in test_readme.py
#: Documents that a text names; a page of the built site is none.
NAMED = re.compile(r"(?<![\w/])docs/[\w/-]+\.(?!html)\w+")

#: How the engines call the hooks of each kind of rule.
CALLS = [(name, call) for kind in KINDS for name, call in kind.calls().items()]


def rule_of(name: str, folder: Path) -> Any:
    """Return the rule of a file with the code of this name."""
    path = folder / f"{name.replace('-', '_')}.py"
    path.write_text(shown(name))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RULE


def add_twin(name: str, key: str, module: Any, registry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the twin of this name, which registers itself under a key, to those of a module."""
    monkeypatch.setitem(getattr(module, registry), key, None)  # so that it is taken out again
    exec(shown(name), vars(module) | {"__name__": module.__name__})


@pytest.fixture(autouse=True)
def rules_of_a_document_end_with_it():
    """Forget what a document registers: others list the rules that there are."""
    yield
    os.environ.pop(plugins.NAMED, None)  # `--policies` names its files to children
    plugins.forget()


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Return what lists a rule that the page shows, and its twin."""

    def add(name: str, rules: dict[str, Any], twin: str, module: Any, registry: str) -> Any:
        rule = rule_of(name, tmp_path)
        monkeypatch.setitem(rules, rule.key, rule)
        add_twin(twin, rule.key, module, registry, monkeypatch)
        return rule

    return add


@pytest.fixture
def oldest(listed):
    return listed("rule", speculation_rules(), "twin", slot_reference, "SPECULATION")


@pytest.mark.parametrize("observe", ["fraction:0.2", "never"])
@pytest.mark.parametrize("policy", ["fair+oldest", "srpt+oldest:age=0.5,most=1", "hopper+oldest:age=1"])
def test_the_rule_of_the_page_is_its_twin(oldest, policy, observe):
    forget_read()
    for straggle in ({}, {"straggle": "empirical", "samples": (1, 1, 1, 5)}):
        scenario = SlotScenario(
            slots=12, load=0.6, jobs=20, tasks_max=6, size="uniform", size_max=3, observe=observe, **straggle
        )
        workload = generate(scenario, 1)
        assert_twins_agree(scenario, policy, workload)


@pytest.fixture
def while_idle(listed):
    return listed("gang-rule", REDUNDANCY, "gang-twin", gang_reference, "REDUNDANCY")


@pytest.mark.parametrize("placement", ["distinct", "pool"])
@pytest.mark.parametrize("values", ["", ":r=1.5,until=0.2", ":until=0.9"])
def test_the_gang_rule_of_the_page_is_its_twin(while_idle, values, placement):
    scenario = GangScenario(
        nodes=6, capacity=2, tasks_max=5, load=0.6, jobs=60, size="uniform", size_max=30, placement=placement
    )
    policy = gang.read_policy(while_idle.key + values)
    gangs_agree(scenario, policy, generate(scenario, 2))
    _, copies = gang_reference.simulate_gangs(scenario, policy, 2, generate(scenario, 2))
    jobs = {job for job, *_ in copies}
    redundant = {job for job, task, *_ in copies if task >= generate(scenario, 2).tasks[job]}
    assert 0 < len(redundant) < len(jobs)  # each way is gone


@pytest.fixture
def aged(listed):
    return listed("protocol", PROTOCOLS, "protocol-twin", probe_reference, "PROTOCOLS")


@pytest.mark.parametrize("values", ["", ":aging=20+late", ":aging=0"])
def test_the_protocol_of_the_page_is_its_twin(aged, values):
    scenario = ProbeScenario(
        workers=4, slots_per_worker=2, schedulers=3, latency=0.05, load=0.9, jobs=30, tasks_max=6
    )
    workload = generate(scenario, 1)
    probes_agree(scenario, aged.key + values, workload)
    texts = (aged.key + values, "sparrow-srpt" + ("+late" if "late" in values else ""))
    mine, srpt = (probe_reference.simulate(scenario, probes.read_policy(t), 0, workload)[1] for t in texts)
    assert (mine == srpt) == values.endswith("aging=0")  # only without aging it is Sparrow-SRPT


def test_the_page_lists_the_hooks_that_rules_declare():
    listed = re.findall(r"^\| `(\w+)\((world, values[\w, ]*)\)` \|", PAGE, re.MULTILINE)
    declared = [(name, ", ".join(["world", "values", *call.arguments[1:]])) for name, call in CALLS]
    assert sorted(listed) == sorted(declared)


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_the_page_lists_what_hooks_see(name, call):
    seen = call.sees.removesuffix(" tasks replicas").split()  # which the page says in words
    assert f"`{', '.join(seen)}`" in PAGE


def place(block: Block) -> str:
    return f"{block.page.stem}: {block.text.splitlines()[0]}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what the commands of the documents name, in which they are run."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(SAMPLES, tmp_path / "sim" / "logs" / "samples")
    for name, sample in LOGS.items():
        shutil.copy(sample, tmp_path / name)
    (tmp_path / "job_1_0001.jhist").write_bytes(jhist(mapreduce()))
    (tmp_path / "jobs.txt").write_bytes(slurm(arrays=3).data)
    (tmp_path / "jobs.csv").write_text(template())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    yield tmp_path
    plugins.forget()


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted({one.page.stem for one in SHELL if not one.is_excused}))
def test_the_commands_of_a_document_run_one_after_the_other(name, folder, capsys):
    for block in SHELL:
        if block.page.stem != name or block.is_excused:
            continue
        for words in block.commands():
            run(words)
            assert capsys.readouterr().out.strip() or list(folder.iterdir())


def run(words: list[str]) -> None:
    """Run a command of a document; nothing but ours and a copy of a file is expected there."""
    if words[0] == "cp":
        subprocess.run(words, check=True)
        return
    called = arguments(words)
    assert called, f"neither run nor marked as not run: {words}"
    module, given = called
    few = ["--replications", "2"] if given[:1] == ["run"] else []  # the last one is taken
    assert (main if module == "sim" else calculator)([*given, *few]) == 0, words


@each("block", [one for one in SHELL if one.is_excused])
def test_a_command_that_is_not_run_has_options_that_there_are(block):
    for words in block.commands():
        assert not is_ours(words) or is_command(words), words


@pytest.mark.parametrize(
    "line", ["python -m sim run --no-such 1", "python -m docs.no", "straggler-lab --port 1"]
)
def test_an_option_that_there_is_not_would_be_noticed(line):
    words = f"A=b .venv/bin/{line}".split()
    assert is_ours(words)
    assert not is_command(words)


@pytest.mark.parametrize("words", [["sudo", "reboot"], ["python", "-m", "sim", "run", "--no-such"]])
def test_a_command_that_does_not_work_would_be_noticed(words):
    with pytest.raises(AssertionError):
        run(words)


NOTEBOOKS = {source.stem: source for source in make_notebooks.sources()}
PYTHON = [one for one in blocks("python") if one.mark not in IN_PLACE and one.page != README]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", sorted({one.page.stem for one in PYTHON if not one.is_excused} - {*NOTEBOOKS})
)
def test_the_code_of_a_document_runs_block_after_block(name, folder, capsys):
    """A notebook's code is run where its answers are compared."""
    found: dict[str, Any] = {}
    for block in PYTHON:
        if block.page.stem == name and not block.is_excused:
            exec(compile(block.text, str(block.page), "exec"), found)
    assert capsys.readouterr().out
    if name == "notebook":
        assert found["figure"].data
        assert set(found["loads"].load) == {0.4, 0.8}
        assert found["flowtimes"]["fair+late"].shape == found["shares"].shape


def test_rules_of_real_systems_name_tests_that_there_are():
    """Every stage and every test of the systems is in the table, and every system that can be set."""
    table = (ROOT / "docs/reference/policies.md").read_text().partition("## Rules of real systems")[2]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    systems = {row[0].partition("rule `")[2].partition("`")[0] for row in rows}
    assert systems >= {*SYSTEMS, "hedge", "late", "mantri"}
    named = {name for row in rows if len(row) == 3 for name in re.findall(r"`([^`]+)`", row[2])}
    here = Path(real_systems.__file__).relative_to(ROOT).as_posix()
    nodes = {f"{here}{name}" if name.startswith("::") else name for name in named if "::" in name}
    assert {name for name in named if "::" not in name} == {case.name for case in real_systems.CASES}
    assert {node.partition("::")[2] for node in nodes if node.startswith(here)} == {
        name for name in vars(real_systems) if name.startswith("test_")
    } - {"test_a_stage_alone_goes_as_the_source_says"}
    for node in nodes:
        path, _, name = node.partition("::")
        assert f"\ndef {name}(" in (ROOT / path).read_text(), node


def test_links_of_documents_lead_somewhere():
    assert set(PAGES) < set(check_links.DOCUMENTS)
    assert sum(len(check_links.read(page).links) for page in check_links.DOCUMENTS) > 100
    assert not list(check_links.faults(check_links.DOCUMENTS))


#: A link, and what is said of it; in a document and in a page of the site.
BROKEN = {
    "no-such.md": "no such file",
    "other.md#no-such": "no such anchor",
    "#no-such": "no such anchor",
    "http://example.org/": "not an address of https",
    "https://localhost.evil:80/": "not an address of https",
    "https:///a": "not an address of https",
    "ftp://example.org/": "not an address of https",
}
WORKING = (
    *("other.md", "other.md#a-heading-1", "#here", "folder/picture.svg", "https://example.org/a?b=1#c"),
    *("mailto:somebody@example.org", "http://localhost:8501"),
)


@pytest.mark.parametrize(
    ("ending", "linked"),
    [
        (".md", "## Here\n[words]({})\n"),
        (".md", '## Here\n<img alt="" src="{}">\n'),
        (".html", '<h2 id="here"></h2><a href="{}">words</a>'),
        (".html", '<h2 id="here"></h2><script src="{}"></script>'),
    ],
)
def test_a_link_that_leads_nowhere_would_be_noticed(ending, linked, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "picture.svg").touch()
    (tmp_path / "other.md").write_text("## A heading: 1\n")
    (tmp_path / "other.html").write_text('<h2 id="a-heading-1"></h2>')

    def said(link: str) -> list[str]:
        page = tmp_path / f"page{ending}"
        page.write_text(linked.format(link.replace("other.md", f"other{ending}")))
        return [fault.rpartition(": ")[2] for fault in check_links.faults([page])]

    assert {link: said(link) for link in BROKEN} == {link: [fault] for link, fault in BROKEN.items()}
    assert {link: said(link) for link in WORKING} == {link: [] for link in WORKING}


def test_a_site_without_a_chapter_of_a_page_would_be_noticed(tmp_path, capsys):
    (tmp_path / "index.html").write_text("<p></p>")
    assert check_links.main([str(tmp_path)]) == 1
    assert f"index.html: {address(entries()[0])}: no such file" in capsys.readouterr().out


def test_the_first_page_leads_to_every_document():
    folder = ROOT / "docs"
    listed = {(folder / target).resolve() for target in check_links.read(folder / "index.md").links}
    assert listed == {page for page in PAGES if folder in page.parents} - {folder / "index.md"}


def files() -> list[str]:
    """Return the files of the project, as paths."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_code_names_documents_that_there_are():
    texts = [ROOT / name for name in files() if name.endswith((".py", ".md", ".toml", "run"))]
    named = {found for path in texts if path.exists() for found in NAMED.findall(path.read_text())}
    assert len(named) > 5
    assert not {name for name in named if not (ROOT / name).exists()}


@each("page", PAGES)
def test_what_a_document_names_is_there(page):
    assert not list(missing(page.read_text(encoding="utf-8")))


def test_the_map_of_the_project_has_files_that_there_are():
    (plan,) = FENCED.findall((ROOT / "docs" / "reference" / "layout.md").read_text())
    named = set(re.findall(r"[\w-]+\.(?:py|json|toml)\b|\.?\b[\w-]+(?=/)", plan))
    there = {part for path in files() for part in Path(path).parts}
    assert len(named) > 60
    assert not named - there


def test_every_generated_part_is_in_one_document():
    marks = [mark for page in PAGES for mark in re.findall("<!-- generated: (\\w+) -->", page.read_text())]
    assert sorted(marks) == sorted(generated.PARTS)


def described(part: str) -> list[str]:
    """Return the functions that a part of the reference describes."""
    return sorted(re.findall(r"^\.\. autofunction:: (\w+)$", part, re.MULTILINE))


#: What `import sim` offers and can be called. Of `theory` tests/theory compares the registry with the files.
LIBRARY = sorted(name for name in sim.__all__ if callable(getattr(sim, name)))


def test_every_function_is_in_the_reference_once():
    assert described(generated.theory()) == sorted(FORMULAS)
    assert described(generated.python()) == LIBRARY


def test_a_function_that_the_reference_leaves_out_would_be_noticed(monkeypatch):
    monkeypatch.setattr(generated, "CHAPTERS", {name: CHAPTERS[name] for name in CHAPTERS if name != "ese"})
    assert sorted(FORMULAS.keys() - described(generated.theory())) == ["ese_resource", "mantri_sigma"]
    monkeypatch.setattr(
        generated,
        "sim",
        SimpleNamespace(__all__=LIBRARY[1:], __version__="", **{one: getattr(sim, one) for one in LIBRARY}),
    )
    assert LIBRARY[:1] == sorted(set(LIBRARY) - set(described(generated.python())))


def test_every_option_is_in_the_reference():
    text = generated.shell()
    actions = next(one for one in parser()._actions if one.choices).choices
    for name, action in actions.items():
        below = text.partition(f"### `{name}`\n")[2].partition("\n### ")[0]
        for option in action._actions:
            assert all(f"`{word}" in below for word in option.option_strings if "help" not in option.dest)
    program = text.partition("## straggler-lab\n")[2].partition("\n## ")[0]
    assert {"--open", "--no-browser", "--lan", "--docs"} <= set(re.findall(r"`(--[\w-]+)", program))


def test_the_citation_is_that_of_the_papers():
    assert (ROOT / "CITATION.cff").read_text() == generated.citation()


@pytest.mark.compiled
@pytest.mark.parametrize("source", NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_a_notebook_has_the_answers_of_today(source):
    kept = json.loads(source.with_suffix(".ipynb").read_text(encoding="utf-8"))
    made = make_notebooks.executed(source.read_text(encoding="utf-8"))
    assert len(kept["cells"]) > 6
    assert [plainly(cell) for cell in kept["cells"]] == [plainly(cell) for cell in made["cells"]]
    shown = [one["data"] for cell in kept["cells"] for one in cell.get("outputs", []) if "data" in one]
    charts = [one for one in shown if one["text/plain"] == [make_notebooks.CHART]]
    assert all(one[make_notebooks.PLOTLY]["data"] for one in charts)
    assert len(charts) == source.read_text(encoding="utf-8").count(".plot()\n```")


def plainly(cell: dict[str, Any]) -> tuple[Any, ...]:
    """Return a cell's text, and its answers without markup, which each release of pandas writes anew."""
    answers = [one.get("text") or one["data"]["text/plain"] for one in cell.get("outputs", [])]
    return cell["cell_type"], cell["source"], answers
