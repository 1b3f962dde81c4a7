"""What the pages in docs/ show works as it is shown."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from sim.gang import policy as gang
from sim.gang.redundancy import REDUNDANCY
from sim.gang.scenario import GangScenario
from sim.gang.signatures import DecidingView
from sim.own_hooks import FUNCTIONS
from sim.probes import policy as probes
from sim.probes.protocols import PROTOCOLS
from sim.probes.scenario import ProbeScenario
from sim.probes.signatures import AnswerView, AskView, LabelView, RefileView
from sim.slots.policy import read_policy, speculation_rules
from sim.slots.scenario import SlotScenario
from sim.slots.signatures import SharingView, SpeculationView
from sim.workload import generate
from tests import naive, naive_gang, naive_probes
from tests.own_rules import PAGE, shown
from tests.sim.gang.test_twin import assert_twins_agree as gangs_agree
from tests.sim.probes.test_twin import assert_twins_agree as probes_agree
from tests.sim.slots.test_twin import assert_twins_agree

VIEWS = (SharingView, SpeculationView, DecidingView, LabelView, AskView, AnswerView, RefileView)


def rule_of(name: str, folder: Path) -> Any:
    """Return the rule of a file with the code of this name."""
    path = folder / f"{name.replace('-', '_')}.py"
    path.write_text(shown(name))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RULE


def add_twin(name: str, module: Any, registry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the twin of this name to those of a module."""
    monkeypatch.setattr(module, registry, dict(getattr(module, registry)))
    exec(shown(name), vars(module) | {"__name__": module.__name__})


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Return what lists a rule that the page shows, and its twin."""

    def add(name: str, rules: dict[str, Any], twin: str, module: Any, registry: str) -> Any:
        rule = rule_of(name, tmp_path)
        monkeypatch.setitem(rules, rule.key, rule)
        add_twin(twin, module, registry, monkeypatch)
        return rule

    return add


@pytest.fixture
def oldest(listed):
    return listed("rule", speculation_rules(), "twin", naive, "SPECULATION")


@pytest.mark.parametrize("observe", ["fraction:0.2", "never"])
@pytest.mark.parametrize("policy", ["fair+oldest", "srpt+oldest:age=0.5", "hopper+oldest:age=1"])
def test_the_rule_of_the_page_is_its_twin(oldest, policy, observe):
    read_policy.cache_clear()
    for straggle in ({}, {"straggle": "empirical", "samples": (1, 1, 1, 5)}):
        scenario = SlotScenario(
            slots=12, load=0.6, jobs=20, tasks_max=6, size="uniform", size_max=3, observe=observe, **straggle
        )
        workload = generate(scenario, 1)
        assert_twins_agree(scenario, policy, workload)


@pytest.fixture
def while_idle(listed):
    return listed("gang-rule", REDUNDANCY, "gang-twin", naive_gang, "REDUNDANCY")


@pytest.mark.parametrize("placement", ["distinct", "pool"])
@pytest.mark.parametrize("values", ["", ":r=1.5,until=0.2", ":until=0.9"])
def test_the_gang_rule_of_the_page_is_its_twin(while_idle, values, placement):
    scenario = GangScenario(
        nodes=6, capacity=2, tasks_max=5, load=0.6, jobs=60, size="uniform", size_max=30, placement=placement
    )
    policy = gang.read_policy(while_idle.key + values)
    gangs_agree(scenario, policy, generate(scenario, 2))
    _, copies = naive_gang.simulate_gangs(scenario, policy, 2, generate(scenario, 2))
    jobs = {job for job, *_ in copies}
    redundant = {job for job, task, *_ in copies if task >= generate(scenario, 2).tasks[job]}
    assert 0 < len(redundant) < len(jobs)  # each way is gone


@pytest.fixture
def aged(listed):
    return listed("protocol", PROTOCOLS, "protocol-twin", naive_probes, "PROTOCOLS")


@pytest.mark.parametrize("values", ["", ":aging=20+late", ":aging=0"])
def test_the_protocol_of_the_page_is_its_twin(aged, values):
    scenario = ProbeScenario(
        workers=4, slots_per_worker=2, schedulers=3, latency=0.05, load=0.9, jobs=30, tasks_max=6
    )
    workload = generate(scenario, 1)
    probes_agree(scenario, aged.key + values, workload)
    texts = (aged.key + values, "sparrow-srpt" + ("+late" if "late" in values else ""))
    mine, srpt = (naive_probes.simulate(scenario, probes.read_policy(t), 0, workload)[1] for t in texts)
    assert (mine == srpt) == values.endswith("aging=0")  # only without aging it is Sparrow-SRPT


def test_the_page_lists_the_hooks_that_rules_declare():
    listed = re.findall(r"^\| `(\w+)\((world, values[\w, ]*)\)` \|", PAGE, re.MULTILINE)
    declared = [
        (name, ", ".join(["world", "values", *taken[1:]]))
        for _, hooks in FUNCTIONS.values()
        for name, taken in hooks.items()
    ]
    assert sorted(listed) == sorted(declared)


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_lists_what_hooks_see(view):
    assert f"`{', '.join(view._fields)}`" in PAGE
