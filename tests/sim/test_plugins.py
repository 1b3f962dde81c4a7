"""Rules of one's own: registered by their owner, run and kept like ours, refused in words."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import sim
from sim.engines import plugins
from sim.engines.plugins import WHEN
from sim.engines.slots.run import MODES
from sim.engines.slots.scenario import SlotScenario, read_policy, speculation_rules
from sim.model.fields import BadInput
from sim.running.contract import check as checking
from sim.running.contract.check import check
from sim.running.contract.runs import about_foresight
from sim.running.experiment import Experiment, compare
from sim.running.sample_store import SampleStore, description
from sim.shell.experiment import plugin_files
from sim.shell.verbs import main
from tests.sim import wrong_rules
from tests.sim.test_parallel import bits

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "oldest_first.py"
SMALL = SlotScenario(slots=12, load=0.6, jobs=20, tasks_max=6)
LINE = ["run", "--preset=small", "--jobs=20", "--replications=2", "--policy=fair+oldest-first", "--json=-"]


@pytest.fixture(autouse=True)
def nothing_of_ones_own() -> Iterator[None]:
    before = os.environ.pop(plugins.NAMED, None)
    plugins.forget()
    yield
    plugins.forget()
    os.environ.pop(plugins.NAMED, None)
    if before is not None:
        os.environ[plugins.NAMED] = before


def changed(folder: Path, *changes: tuple[str, str]) -> str:
    """Write the example with some parts replaced; return its path."""
    text = EXAMPLE.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "mine.py"
    path.write_text(text)
    return str(path)


def test_the_example_is_short_and_gives_what_the_rule_of_the_page_gives() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 32
    assert sim.register(EXAMPLE) == ["oldest-first"]
    assert plugin_files(Experiment.of_texts(SMALL, ["fair+oldest-first"])) == ["--policies", EXAMPLE.name]
    found = compare(Experiment.of_texts(SMALL, ["fair+none", "fair+oldest-first:age=1"]), replications=2)
    extra = found.policies["fair+oldest-first:age=1"].estimate("speculative_copies_share").value
    assert extra is not None
    assert extra > 0
    assert read_policy("fair+oldest-first:age=1").name == "Fair shares + Oldest first, age = 1"
    assert "oldest-first" in sim.policies().key.tolist()


def test_it_is_in_the_menu_of_the_page() -> None:
    from pages.shared.controls.fields import menu

    assert "fair+oldest-first" not in menu()
    sim.register(EXAMPLE)
    assert "fair+oldest-first" in menu()


def test_the_shell_takes_a_file_and_says_so_in_the_line_that_repeats_it(capsys, monkeypatch) -> None:
    monkeypatch.chdir(EXAMPLE.parent)
    assert main(LINE) == 2
    assert "policy: 'oldest-first' is not known" in capsys.readouterr().err
    assert main([*LINE, "--policies=oldest_first.py"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert "--policies oldest_first.py" in report["command"]
    assert main(["policies", f"--policies={EXAMPLE}"]) == 0
    assert "Oldest first" in capsys.readouterr().out


def test_a_child_process_has_what_the_variable_names() -> None:
    code = "from sim.engines.slots.scenario import read_policy; print(read_policy('fair+oldest-first').name)"
    environment = os.environ | {plugins.NAMED: str(EXAMPLE), "PYTHONPATH": str(ROOT)}
    told = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert told.strip() == "Fair shares + Oldest first"


@pytest.mark.compiled
def test_it_runs_in_other_processes_with_the_same_bits(tmp_path) -> None:
    """Though they do not know the file: it is sent along."""
    sim.register(changed(tmp_path, ('"age", 1.5', '"age", 1.25')))
    experiment = Experiment.of_texts(SMALL, ["fair+oldest-first", "srpt+oldest-first"])
    here = compare(experiment, replications=2)
    (tmp_path / "mine.py").unlink()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert bits(compare(experiment, replications=2, executor=pool)) == bits(here)


def test_an_edited_file_replaces_the_rule_and_is_another_experiment_for_a_folder(tmp_path) -> None:
    shares = []
    for age in ("0.5", "3.0"):
        sim.register(changed(tmp_path, ('"age", 1.5', f'"age", {age}')))
        experiment = Experiment.of_texts(SMALL, ["fair+oldest-first"])
        found = compare(experiment, replications=2).policies["fair+oldest-first"]
        shares.append(found.estimate("speculative_copies_share").value)
        if age == "0.5":
            with SampleStore(tmp_path / "kept", description(experiment)):
                pass
    assert shares[0] > shares[1]
    with pytest.raises(BadInput, match=r"of another experiment: file mine\.py is"):
        SampleStore(tmp_path / "kept", description(experiment))


def test_a_rule_made_in_python_runs_here_and_is_not_sent() -> None:
    text = EXAMPLE.read_text()
    scope: dict = {"__name__": "a notebook"}
    exec(compile(text, "<a cell of a notebook>", "exec"), scope)
    sim.register(scope["RULE"])
    experiment = Experiment.of_texts(SMALL, ["fair+oldest-first"])
    found = compare(experiment, replications=1)
    plugins.forget()
    sim.register(EXAMPLE)
    assert bits(compare(experiment, replications=1)) == bits(found)
    plugins.forget()
    with pytest.raises(BadInput, match="made in Python cannot be sent to another process"):
        plugins.ensure([plugins.Source("", "")])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('key="oldest-first"', 'key="late"'), r"mine\.py: key 'late' is taken"),
        (('key="oldest-first"', 'key="sca"'), r"mine\.py: key 'sca' is taken|key: 'sca' is taken"),
        (('key="oldest-first"', 'key="a+b"'), r"mine\.py: key: 'a\+b' is not accepted; give small letters"),
        (("(world, values, s)", "(world, values)"), r"next_check: wait_until_old\(world, values\) is not"),
        (("low=0, high=10", "low=2, high=10"), "parameter age: its default is not accepted"),
        (("low=0, high=10", "high=10"), "parameter age: give it a smallest and a largest value"),
        (("RULE = ", "OTHER = "), r"mine\.py declares no rule; end it with RULE"),
        (("import math", "import math, nowhere"), r"mine\.py, line 3: ModuleNotFoundError: No .*nowhere"),
        (("import math", "import math("), r"mine\.py, line 3: SyntaxError"),
        (("parameters=(AGE,)", "parametres=(AGE,)"), r"mine\.py, line \d+: TypeError: .*parametres"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(tmp_path, change, reason) -> None:
    with pytest.raises(BadInput, match=reason) as refused:
        sim.register(changed(tmp_path, change))
    assert "\n" not in str(refused.value)
    assert not plugins.keys()
    assert "late" in speculation_rules()


#: Names of the example in release 0.2.
OLD_NAMES = (
    ("import check, next_check", "import notice as check, watch as next_check"),
    ("slot.task_slot", "slot.lead"),
    ("next_check=wait", "watch=wait"),
    ("check=offer", "notice=offer"),
    ("on_copy_end=", "copy_ended="),
    ("select_task=", "choose="),
)


def test_a_rule_of_release_0_2_runs_with_a_warning_of_each_old_name(tmp_path) -> None:
    sim.register(EXAMPLE)
    experiment = Experiment.of_texts(SMALL, ["fair+oldest-first"])
    found = compare(experiment, replications=1)
    with pytest.warns(DeprecationWarning, match=" is called ") as warned:
        sim.register(changed(tmp_path, *OLD_NAMES))
    said = {str(one.message).partition(" since ")[0] for one in warned}
    assert said == {
        f"{old} is called {new}"
        for old, new in (
            ("notice", "check"),
            ("watch", "next_check"),
            ("copy_ended", "on_copy_end"),
            ("choose", "select_task"),
        )
    }
    assert all(Path(one.filename).stem.startswith("mine-") for one in warned)  # the line to change
    assert bits(compare(Experiment.of_texts(SMALL, ["fair+oldest-first"]), replications=1)) == bits(found)
    with pytest.warns(DeprecationWarning, match="choose is called select_task"):
        assert speculation_rules()["late"].choose is speculation_rules()["late"].select_task
    twice = r"watch and next_check are the same; give next_check"
    with pytest.raises(BadInput, match=twice), pytest.warns(DeprecationWarning, match="watch is called"):
        sim.register(changed(tmp_path, ("next_check=wait", "watch=None, next_check=wait")))


def test_a_package_names_its_rules_by_an_entry_point(tmp_path, monkeypatch) -> None:
    (tmp_path / "ours_of_a_package.py").write_text(EXAMPLE.read_text())
    about = tmp_path / "ours_of_a_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ours-of-a-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nours = ours_of_a_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert read_policy("fair+oldest-first").name == "Fair shares + Oldest first"
    (source,) = plugins.sources([read_policy("fair+oldest-first")])
    assert plugin_files(Experiment.of_texts(SMALL, ["fair+oldest-first"])) == []  # it is found without
    assert (source.name, source.text) == ("ours_of_a_package", "")
    plugins.ensure([source])
    with pytest.raises(BadInput, match="another version of ours_of_a_package; install the same"):
        plugins.ensure([plugins.Source("ours_of_a_package", "0123456789abcdef")])


@pytest.mark.parametrize("name", ["no/such.py", ".", "/dev/zero", "\0"])
def test_a_file_that_is_none_is_refused(name, capsys) -> None:
    assert main([*LINE, f"--policies={name}"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("sim: policies: ")
    assert said.count("\n") == 1


def test_the_server_does_not_start_with_a_file_it_cannot_use(monkeypatch, tmp_path) -> None:
    from pages.server.run import load_policies

    monkeypatch.setenv(plugins.NAMED, changed(tmp_path, ("RULE = ", "OTHER = ")))
    with pytest.raises(SystemExit, match="declares no rule"):
        load_policies()
    monkeypatch.setenv(plugins.NAMED, str(EXAMPLE))
    load_policies()
    assert plugins.keys() == ["oldest-first"]


def test_no_page_and_no_link_can_name_code() -> None:
    """Only the shell, the server's settings and the library know the way in."""
    users = {
        path.relative_to(ROOT).as_posix()
        for folder in ("sim", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\bplugins\.(use|register|ensure)\b|import .*\b(register|ensure)\b", path.read_text())
    }
    assert users == {
        "sim/__init__.py",
        "sim/shell/verbs.py",
        "sim/running/sample_store.py",
        "sim/running/contract/child.py",
    }


@pytest.mark.compiled
def test_a_rule_that_foresees_is_found(tmp_path) -> None:
    """It waits for no more than the scenario reveals, but orders what it offers by when copies will end."""
    sim.register(EXAMPLE)
    assert not list(about_foresight("fair+oldest-first"))
    sim.register(
        changed(tmp_path, ("slot.start + values.age * mean_duration(world, slot.job)", "slot.finish - 0.01"))
    )
    assert any("nobody can know yet" in one for one in about_foresight("fair+oldest-first"))


def test_check_says_in_words_what_is_wrong_also_of_a_file_that_is_in_use(tmp_path, monkeypatch) -> None:
    path = changed(tmp_path, ("world.slots[s].start, 0.0", "world.slots[s + 10**6].start, 0.0"))
    monkeypatch.setenv(plugins.NAMED, path)
    (complaint,) = check(path)
    assert re.fullmatch(r"oldest-first: .* at load .*: it fails: IndexError: .* \(line 24\)", complaint)


def test_each_mistake_of_each_kind_of_rule_is_said_in_words() -> None:
    """In plain Python: what functions answer and write is looked at when they are called."""
    steps: list[str] = []
    _, complaints = checking._tried(wrong_rules.__file__, "1", steps.append)
    assert len(complaints) == len(wrong_rules.RULES)
    for key, said in wrong_rules.SAID.items():
        (complaint,) = (one for one in complaints if one.partition(":")[0] == key)
        assert re.search(said, complaint)
    assert re.fullmatch(r"1 of \d+: g-fewer: g-fewer at load 0\.3", steps[0])


@pytest.mark.parametrize(("make", "reason"), wrong_rules.REFUSED)
def test_a_declaration_that_cannot_be_run_is_refused_in_words(make, reason) -> None:
    with pytest.raises(BadInput, match=reason) as refused:
        sim.register(make())
    assert str(refused.value).startswith("policies: register: ")


def test_times_of_copies_are_the_words_that_the_engine_knows() -> None:
    assert set(WHEN) == set(MODES)


@pytest.mark.slow
def test_rules_of_ours_do_nothing_that_is_refused_of_others() -> None:
    program = """
from sim.running.contract.runs import plainly, trials
from sim.running.contract.child import watched
from sim.engines.plugins import KINDS, registry_of
for kind in KINDS:
    for key, rule in list(registry_of(kind).items()):
        registry_of(kind)[key] = watched(rule)
        for trial in list(trials(rule))[:8]:
            try:
                plainly(trial)
            except Exception as error:
                print(trial.told, error)
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    said = subprocess.check_output(
        [sys.executable, "-W", "ignore", "-c", program], cwd=ROOT, env=environment, text=True
    )
    assert said == ""


@pytest.mark.slow
def test_check_ends_a_rule_that_never_ends(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_S", 30)
    endless = changed(tmp_path, ("offer(world, s, world.slots[s].start, 0.0)", "while True: s += 0"))
    (complaint,) = check(endless)
    assert re.fullmatch(r"oldest-first: .* at load .*: it does not come to an end within 30 s", complaint)


@pytest.mark.slow
@pytest.mark.compiled
def test_the_example_keeps_the_contract(capsys) -> None:
    assert main(["check", str(EXAMPLE)]) == 0
    assert "keeps the contract" in capsys.readouterr().out
