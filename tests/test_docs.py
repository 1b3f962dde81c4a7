"""What the pages in docs/ show works as it is shown."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from pathlib import Path

import pytest

from sim.slots.policy import read_policy, speculation_rules
from sim.slots.rule import Sharing, Speculation
from sim.slots.scenario import SlotScenario
from sim.workload import generate
from tests import naive
from tests.sim.slots.test_twin import assert_twins_agree

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "write-a-rule.md").read_text()


def shown(name: str) -> str:
    """Return the code that the page shows between the marks of this name."""
    block = re.search(rf"<!-- {name} -->\n```python\n(.*?)```\n<!-- /{name} -->", PAGE, re.DOTALL)
    assert block, f"the page has no code marked {name}"
    return block[1]


@pytest.fixture
def oldest(tmp_path, monkeypatch):
    """List the rule and the twin that the page shows."""
    path = tmp_path / "oldest.py"
    path.write_text(shown("rule"))
    spec = importlib.util.spec_from_file_location("oldest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(speculation_rules(), "oldest", module.RULE)
    monkeypatch.setattr(naive, "SPECULATION", dict(naive.SPECULATION))
    exec(shown("twin"), vars(naive) | {"__name__": naive.__name__})
    return module.RULE


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


def test_the_page_lists_the_hooks_that_rules_declare():
    listed = set(re.findall(r"^\| `(\w+)\(world", PAGE, re.MULTILINE))
    declared = {
        field.name
        for kind in (Sharing, Speculation)
        for field in dataclasses.fields(kind)
        if "Hook" in str(field.type)
    }
    assert listed == declared
