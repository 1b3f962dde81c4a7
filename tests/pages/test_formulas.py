"""Formulas: those of the chosen policies, with the chosen numbers, and those of the theory."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import pages
from pages.compare.layout import formulas, grouped
from pages.shared.words.tables import Equation, Latex, Source
from sim.engines.slots.scenario import SlotScenario, sharing_rules, speculation_rules
from tests.pages.made import luck, made, one

PARETO = SlotScenario(slots=100, straggle="pareto", straggle_tail=1.5)


def found(*policies: str, scenario: SlotScenario = PARETO, replications: int = 2) -> dict[str, str]:
    told = formulas(made({name: [one(luck(1))] * replications for name in policies}, scenario))
    assert len({formula.name for formula in told}) == len(told)
    return {formula.name: f"{formula.latex} {formula.sentence}" for formula in told}


def test_every_rule_but_none_has_a_formula() -> None:
    for sharing in sharing_rules():
        for speculation in speculation_rules():
            told = found(f"{sharing}+{speculation}")
            without = found(f"{sharing}+none")
            assert len(without) == len(found("fifo+none"))
            assert len(told) == len(without) + (speculation != "none")


def test_two_policies_with_one_rule_show_it_once_and_with_two_parameters_twice() -> None:
    same = found("fair+late", "srpt+late")
    assert [name for name in same if name == "LATE"] == ["LATE"]


@pytest.mark.parametrize(
    ("policy", "name", "expected"),
    [
        ("fair+late:speculative_cap=0.2", "LATE", r"\le 0.2 \, S"),
        ("fair+late:slow_percentile=10", "LATE", "q_{0.9}"),
        ("fair+mantri:delta=0.4", "Mantri", r"\delta = 0.4"),
        ("fair+clone:copies=3", "Cloning", "c = 3"),
        ("hopper:epsilon=0.3", "Hopper, ε-fair targets", r"\epsilon = 0.3"),
        ("hopper+budget:copies=7", "Budgeted copies", r"\le 7"),
    ],
)
def test_a_formula_has_the_parameters_of_its_policy(policy: str, name: str, expected: str) -> None:
    assert expected in found(policy)[name]


def test_hopper_without_a_floor_is_algorithm_1() -> None:
    assert "Hopper, targets" in found("hopper")
    assert "Hopper, ε-fair targets" not in found("hopper")


def test_the_threshold_knows_the_law() -> None:
    assert r"\beta = 1.5" in found("hopper")["Threshold"]
    assert r"\frac{\beta^2}{4(\beta - 1)}" in found("hopper")["Service rate"]
    assert r"\kappa = 1" in found("hopper", scenario=PARETO.replace(straggle_tail=3.0))["Service rate"]
    light = found("hopper", scenario=PARETO.replace(straggle="exponential"))
    assert "one slot per task" in light["Threshold"]
    assert "Service rate" not in light


def test_what_a_rule_sees_is_in_its_formula() -> None:
    blind = found("fair+late", "fair+mantri", scenario=PARETO.replace(observe="never"))
    assert "elapsed" in blind["LATE"]
    assert "elapsed time only" in blind["Mantri"]
    assert "elapsed" not in found("fair+late")["LATE"]


def test_a_rule_with_other_parameters_is_explained_once_with_each_formula() -> None:
    policies = {f"levels+ese:sigma={sigma}": [one(luck(1))] * 2 for sigma in (1, 2, 3)}
    told = {formula.name: latex for formula, latex in grouped(formulas(made(policies, PARETO))).items()}
    assert len(told["ESE, backups and clones"]) == 3


def test_an_interval_is_explained_where_there_is_one() -> None:
    assert "95 % interval" in found("hopper")
    assert "95 % interval" not in found("hopper", replications=1)


def test_latex_is_balanced_and_has_no_dollar_signs() -> None:
    for scenario in (PARETO, PARETO.replace(straggle="exponential", observe="never")):
        policies = [f"{sharing}+{rule}" for sharing in sharing_rules() for rule in speculation_rules()]
        for formula in formulas(
            made({p: [one(luck(1))] * 2 for p in [*policies, "hopper:epsilon=0.5"]}, scenario)
        ):
            assert "$" not in formula.latex
            assert formula.latex.count("{") == formula.latex.count("}")
            assert formula.latex.count(r"\begin{") == formula.latex.count(r"\end{")
            assert formula.sentence.count("$") % 2 == 0
            assert formula.sentence.endswith(".")
            assert "\\\\" not in re.sub(r"\\\\\[2pt\]", "", formula.latex)


FOLDER = Path(pages.__file__).parent
#: Modules with the formulas of a page, or of a tab.
MODULES = [path for place in ("*", "logs/*", "formulas/*") for path in FOLDER.glob(f"{place}/layout.py")]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.parent.name)
def test_the_formulas_of_a_page_can_be_typeset_and_those_of_the_theory_are_there(path: Path) -> None:
    name = ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts)
    parts = getattr(import_module(name), "FORMULAS", ())  # others need an answer
    for part in parts:
        if isinstance(part, Latex | Equation):
            assert part.latex
            assert part.latex.count("{") == part.latex.count("}")
            assert "math::" not in part.latex
            assert "$" not in part.latex
        else:
            text = part.text if isinstance(part, Source) else part
            assert text.count("$") % 2 == text.count("**") % 2 == 0
            assert text.strip() == text
