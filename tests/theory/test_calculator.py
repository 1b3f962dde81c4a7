"""The calculator of the shell: every function by name, every wrong word refused in one line."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theory
from tests.depth import each
from theory import CHAPTERS, FUNCTIONS
from theory.__main__ import main
from theory.calculator import as_json, call, simple, text, usage

INF = float("inf")
ROOT_OF_DETECTION = 1 + 2**-0.5  # sigma* at alpha = 2
#: 1 + J(u) at alpha = 2, sigma = sigma*, s = 0
LEAST_RESOURCE = 1 + 2 * (U := 0.5 / ROOT_OF_DETECTION) ** 2 - 2 / 3 * U**3 - U
DETECTED = {"copies": 2, "sigma": ROOT_OF_DETECTION, "resource": LEAST_RESOURCE}
ONE_COPY = {"copies": [1], "objective": 2, "price": 0}
ROOT = Path(__file__).resolve().parents[2]

#: Modules without formulas: what the others are written with, and the calculator itself.
WITHOUT_FORMULAS = {"domain", "shape", "calculator", "shell", "quoting", "papers", "__main__"}
#: Public functions that cannot be called with words, and why.
NOT_FOR_THE_SHELL = {
    "allocation": ({"tasks", "slots", "smallest_first", "serve"}, "checked arrays, for the allocations"),
    "service_rate": ({"tail_index", "checked_job"}, "checked arguments, for the rates"),
    "weighted_optimum": ({"weights"}, "checked weights, for the allocations"),
    "cloned_job": (
        {"waiting_jobs", "job_cost", "cost_slope", "cost_curvature"},
        "take Jobs, for the solvers",
    ),
    "optimal_cloning": ({"best_copies"}, "takes Jobs, for the solvers"),
    "small_jobs": ({"job_sizes", "latency_branches", "cost_branches", "mix"}, "take and give JobSizes"),
    "response_time": ({"cluster", "queue_of"}, "take and give a Cluster"),
}

#: Calls of every function of the contract, without and with its optional arguments, and their values.
#: Each value is had in another way: by hand, from the paper, or from the definition.
CONTRACT = {
    "blow_up k=2 beta=1.25": 1.5,  # (2 * 5/4 - 1) / (4 * 1/4)
    "optimal_copies S=60 T=20 beta=1.6": 3.0,
    "optimal_copies S=60 T=20 beta=1.6 physical=true": 3.0,
    "service_rate S=8 T=9 beta=1.5": 9.0,
    "service_rate S=8 T=9 beta=1.5 physical=false": 9.0,
    "marginal_rate S=24 T=9 beta=1.5": 0.28125,  # 2 (9 / 24)^2
    "marginal_rate S=24 T=9 beta=1.5 physical=true": 0.28125,
    "threshold beta=1.6": 1.25,
    "threshold beta=4 physical=false": 0.5,
    "hopper_allocation T=10,40,25 S=30 beta=1.6": [12.5, 0, 17.5],
    "hopper_allocation T=10 S=30 beta=1.6 physical=true": [30],
    "fair_hopper_allocation T=30,52.5 S=100 beta=1.5 epsilon=0.5": [40, 60],
    "fair_hopper_allocation T=30,52.5 S=100 beta=1.5 epsilon=0.5 as_printed=true": [25, 75],
    "projected_fair_allocation T=10,10 S=60 beta=1.5 epsilon=0.5": [30, 30],
    "dag_allocation T=10,10 weight=1,1 S=80 beta=1.6": [40, 40],
    "dag_allocation T=10,10 weight=1,1 S=80 beta=1.6 downstream=5,5 as_printed=false": [40, 40],
    "weighted_optimum T=10,10 weight=1,1 S=80 beta=1.6": [40, 40],
    "total_rate T=9,9 allocation=8,18 beta=1.5": 27.0,  # 9 and 18
    "total_rate T=9,9 allocation=8,18 beta=1.5 weight=2,1": 36.0,
    "single_copy_delay omega=0.5 alpha=3": 5 / 3,
    "single_copy_delay omega=0.5 alpha=2": INF,
    "cloned_delay omega=0.5 alpha=2": 17 / 12,
    "cloning_load_limit alpha=2": 0.75,
    "cloning_load_limit alpha=2 copies=2": 0.75,
    "cutoff_load alpha=2": 0.75,
    "cutoff_load alpha=2 size_variability=1": 0.75,
    "cutoff_rate alpha=2 machines=3000 tasks=50 mean=2.5": 18.0,  # 0.75 * 3000 / 125
    "cloned_job_duration m=1 c=2 scale=3 alpha=1.5": 4.5,  # the mean of Pareto(3, 3)
    "cloned_job_resource m=5 c=2 scale=3 alpha=1.5": 45.0,
    "optimal_cloning m=1 scale=1 alpha=2 machines=9 limit=1 gamma=0": ONE_COPY,
    "optimal_cloning m=1 scale=1 alpha=2 machines=9 limit=1 gamma=0 integer=true": ONE_COPY,
    "detection_resource c=2 sigma=1 alpha=2 s=0": 11 / 12,  # 1 + J(1/2)
    "sigma_star alpha=2": ROOT_OF_DETECTION,
    "sigma_star alpha=2 copies=2": ROOT_OF_DETECTION,
    "detection_optimum alpha=2": DETECTED,
    "detection_optimum alpha=2 limit=8": DETECTED,
    "ese_resource sigma=0.5 alpha=2": 10 / 9,  # 1 + J(1) / 3
    "mantri_sigma alpha=2 delta=0.75": 2.0,
    "order_statistic_moment n=2 k=2 alpha=2": 8 / 3,
    "order_statistic_moment n=5 k=5 alpha=2 power=2": INF,
    "coded_cost n=4 k=4 alpha=3": 6.0,  # four mean slowdowns
    "erlang_c servers=2 load=0.5": 1 / 3,
    "small_job_probability d=20 size_tail=1 k_max=2": 1 / 3,
    "small_job_probability d=20 size_tail=1 k_max=2 size_min=10 size_max=inf": 1 / 3,
    "redundant_latency d=0 r=2 alpha=3 size_tail=3 k_max=1": 22.5,  # 15 * 3/2
    "redundant_latency d=inf r=2 alpha=3 size_tail=3 power=1 k_max=1 size_min=10 size_max=inf": 18.0,
    "redundant_latency d=inf r=2 alpha=3 size_tail=3 k_max=1 as_printed=true": 18.0,  # 15 * 6/5
    "redundant_cost d=inf r=2 alpha=3 size_tail=3 k_max=1 size_min=10 size_max=inf": 36.0,
    "redundant_cost d=0 r=2 alpha=3 size_tail=3 k_max=1 as_printed=true": 22.5,
    "response_time d=0 r=2 load=0.5 alpha=3 size_tail=1.5": INF,
    "response_time d=0 r=2 load=0 alpha=3 size_tail=3 k_max=1 size_min=10 size_max=inf capacity=200": 22.5,
    "response_time d=0 r=2 load=0 alpha=3 size_tail=3 k_max=1 moments=two": 22.5,
    "response_time d=0 r=2 load=0 alpha=3 size_tail=3 k_max=1 moments=one as_printed=true": 22.5,
    "optimal_demand load=0.3 r=2 alpha=3 size_tail=3": INF,
    "optimal_demand load=0.95 r=2 alpha=3 size_tail=3 k_max=10 size_min=10 size_max=inf capacity=200": 0.0,
    "optimal_demand load=0.95 r=2 alpha=3 size_tail=3 moments=two": 0.0,
    "optimal_demand load=0.95 r=2 alpha=3 size_tail=3 moments=one as_printed=false": 0.0,
    "job_outlier_probability p=0.5 n=2 c=2": 0.5625,  # (1 - 1/4)^2
    "task_outlier_probability p=0.5 n=2 c=2": 0.4375,  # 1 - (1 - 1/4)^2
    "job_level_copies p=0.1 n=1 epsilon=0.01": 2,
    "task_level_copies p=0.1 n=10 epsilon=0.05": 3,
    "learned_outlier_probability start=0.2 observed=0.4,0.1": 0.2,  # 0.3, then (0.3 + 0.1) / 2
}


def run(line):
    """Exit status, standard output and standard error of a command line."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(line.split())
    return status, out.getvalue(), err.getvalue()


def number(word):
    return float(word) if isinstance(word, str) else word


def numbers(value):
    """The numbers in a value from JSON, infinity among them."""
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    return [numbers(item) for item in value] if isinstance(value, list) else number(value)


def numbers_in_text(out):
    """The numbers in a value as printed without ``--json``."""
    out = out.removesuffix("\n")
    if "=" in out:
        return {key: numbers_in_text(item) for key, item in (line.split("=") for line in out.split("\n"))}
    return [number(word) for word in out.split(",")] if "," in out else number(out)


def assert_same(found, expected):
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            assert_same(found[key], value)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        assert np.size(found) == np.size(expected)


# --- the contract --------------------------------------------------------------------------------


@each("line", CONTRACT)
def test_the_contract_holds_from_the_shell(line):
    status, out, err = run(line)
    assert (status, err) == (0, "")
    assert_same(numbers_in_text(out), CONTRACT[line])
    status, out, err = run(line + " --json")
    assert (status, err) == (0, "")
    found = numbers(json.loads(out, parse_constant=pytest.fail))
    assert_same(found, CONTRACT[line])
    assert np.ndim(found) == np.ndim(CONTRACT[line])  # a list stays a list, a number a number


@pytest.mark.parametrize(
    "line",
    ["blow_up k=2 beta=1.2500001", "hopper_allocation T=10,40,25 S=31 beta=1.6", "sigma_star alpha=2.0001"],
)
def test_a_wrong_value_would_be_noticed(line):
    name = line.split()[0]
    expected = next(value for key, value in CONTRACT.items() if key.startswith(name + " "))
    _, out, _ = run(line)
    with pytest.raises(AssertionError):
        assert_same(numbers_in_text(out), expected)


def test_every_name_of_the_contract_is_there():
    assert {line.split()[0] for line in CONTRACT} <= set(FUNCTIONS)


# --- the registry --------------------------------------------------------------------------------


def public_functions(module):
    return {
        name
        for name, item in vars(importlib.import_module(f"theory.{module}")).items()
        if inspect.isfunction(item) and item.__module__ == f"theory.{module}" and not name.startswith("_")
    }


def modules():
    return [
        found.name for found in pkgutil.iter_modules(theory.__path__) if found.name not in WITHOUT_FORMULAS
    ]


@pytest.mark.parametrize("module", modules())
def test_every_public_function_can_be_called_by_name_or_is_excused(module):
    excused, _ = NOT_FOR_THE_SHELL.get(module, (set(), ""))
    listed = set(CHAPTERS.get(module, ()))
    assert listed | excused == public_functions(module)
    assert not listed & excused


def test_no_two_functions_share_a_name_and_no_chapter_is_left_over():
    names = [name for chapter in CHAPTERS.values() for name in chapter]
    assert sorted(names) == sorted(set(names)) == sorted(FUNCTIONS)
    assert len(FUNCTIONS) == len(names)
    assert set(CHAPTERS) | set(NOT_FOR_THE_SHELL) <= set(modules())


@each("name", FUNCTIONS)
def test_every_function_explains_itself(name):
    assert FUNCTIONS[name].__name__ == name
    status, page, _ = run(f"help {name}")
    assert status == 0
    assert page.startswith(f"{name} {usage(name)}".rstrip() + "\n")
    for part in ("Returns", "Examples", ">>>"):
        assert part in page, part
    assert run(f"{name} --help") == run(f"{name} alpha=x -h") == (0, page, "")


def test_the_menu_gives_every_function_one_line_with_its_meaning():
    status, menu, err = run("")
    assert (status, err) == (0, "")
    assert run("help") == run("--help") == (0, menu, "")
    lines = [line.split(maxsplit=1) for line in menu.splitlines() if line.startswith("  ")]
    assert [line[0] for line in lines] == list(FUNCTIONS)
    assert dict(lines)["sigma_star"].startswith("Threshold at which detected stragglers")
    assert all(line[1].endswith(".") and not set("`") & set(line[1]) for line in lines)
    status, out, _ = run("--json")
    assert (status, list(json.loads(out).items())) == (0, [tuple(line) for line in lines])


# --- what is printed -----------------------------------------------------------------------------


def test_several_named_results_are_printed_a_line_each_or_as_an_object():
    _, out, _ = run("detection_optimum alpha=1.5")
    assert [line.partition("=")[0] for line in out.splitlines()] == ["copies", "sigma", "resource"]
    _, out, _ = run("detection_optimum alpha=1.5 --json")
    assert json.loads(out)["copies"] == 3


def test_what_is_printed_can_be_typed_again():
    _, first, _ = run("hopper_allocation T=10,40,25 S=100 beta=1.4")
    _, value, _ = run(f"total_rate T=10,40,25 allocation={first.strip()} beta=1.4")
    jobs = call("hopper_allocation", ["T=10,40,25", "S=100", "beta=1.4"])
    assert np.array_equal(numbers_in_text(first), jobs)
    assert float(value) == FUNCTIONS["total_rate"]([10, 40, 25], jobs, 1.4)


def test_results_of_every_kind_have_words():
    assert text(2.5) == "2.5"
    assert text(np.float64(INF)) == "inf"
    assert text(-INF) == "-inf"
    assert text(np.int64(3)) == "3"
    assert text(np.bool_(False)) == "false"
    assert text("constrained") == "constrained"
    assert text(((1, 2), (), (3,))) == "1,2;;3"
    assert text([{"k": 1}, {"k": 2}]) == "k=1\n\nk=2"
    assert as_json({"a": np.array([[1.0, INF]]), "b": None}) == '{"a": [[1.0, "inf"]], "b": null}'
    assert simple(float("nan")) == "nan"


# --- what is read --------------------------------------------------------------------------------


def test_a_list_of_one_may_be_typed_with_or_without_a_comma():
    for word in ("10", "10,", "10.0", "1e1"):
        assert run(f"fair_allocation T={word} S=30 --json") == (0, "[30.0]\n", "")
    assert run("mg1_wait load=0.5, scv=1 --json") == (0, "[1.0]\n", "")  # the comma makes it a list


def test_whole_numbers_truths_and_missing_windows_are_read():
    assert run("task_count_probability k=1 k_max=1.0") == (0, "1.0\n", "")
    assert run("threshold beta=4 physical=False") == (0, "0.5\n", "")
    with_gap = run("learned_outlier_probability start=0.2 observed=0.4,none,0.1")
    assert with_gap == run("learned_outlier_probability start=0.2 observed=0.4,0.1")
    assert run("learned_outlier_probability start=0.2 observed=none") == (0, "0.2\n", "")
    assert run("locality_order T=3,1 local=true,false percent=0 --json")[0] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "sigma_sta alpha=2",
            "there is no function sigma_sta; did you mean sigma_star? python -m theory lists all",
        ),
        ("qqq", "there is no function qqq. python -m theory lists all"),
        ("help qqq", "there is no function qqq. python -m theory lists all"),
        (
            "sigma_star alpa=2",
            "sigma_star has no argument alpa; did you mean alpha? It takes: alpha [copies=2]",
        ),
        ("sigma_star alpha=2 zzz=1", "sigma_star has no argument zzz. It takes: alpha [copies=2]"),
        ("sigma_star", "sigma_star needs alpha; it takes: alpha [copies=2]"),
        ("erlang_c", "erlang_c needs servers load; it takes: servers load"),
        ("sigma_star 2", "sigma_star takes its arguments as name=value (got 2): alpha [copies=2]"),
        ("sigma_star alpha=2 alpha=3", "sigma_star: alpha is given twice"),
        ("sigma_star alpha=two", "sigma_star: alpha must be a number, or a list such as 10,40,25 (got two)"),
        ("sigma_star alpha=", "sigma_star: alpha must be a number, or a list such as 10,40,25 (got nothing)"),
        (
            "fair_allocation T=1,,2 S=3",
            "fair_allocation: T must be a number, or a list such as 10,40,25 (got 1,,2)",
        ),
        ("fair_allocation T=1,2 S=3,4", "fair_allocation: S must be a number (got 3,4)"),
        ("detection_optimum alpha=2 limit=2.5", "detection_optimum: limit must be a whole number (got 2.5)"),
        ("detection_optimum alpha=2 limit=inf", "detection_optimum: limit must be a whole number (got inf)"),
        ("threshold beta=2 physical=1", "threshold: physical must be true or false (got 1)"),
        ("sigma_star alpha=2 --jsn", "there is no option --jsn; there are --json and --help"),
        ("coded_cost n=3 k=4 alpha=2", "coded_cost: n must be a whole number of at least k (got 3.0)"),
        (
            "response_time d=1 r=2 load=0.5 alpha=3 size_tail=3 moments=three",
            "response_time: moments must be two or one (got three)",
        ),
        (
            "learned_outlier_probability start=0.2 observed=a",
            "learned_outlier_probability: observed must be a number or a list such as 1,2,3 or none (got a)",
        ),
    ],
)
def test_a_wrong_word_is_named_in_one_line_with_what_would_do(line, message):
    assert run(line) == (2, "", f"theory: {message}\n")


def test_a_function_may_complain_in_several_lines_but_the_shell_shows_one(monkeypatch):
    def fussy(alpha: float) -> float:
        """Refuse."""
        raise ValueError(f"alpha must be\n  larger (got {alpha})")

    monkeypatch.setattr("theory.cutoff.cutoff_load", fussy)
    assert run("cutoff_load alpha=2") == (
        2,
        "",
        "theory: cutoff_load: alpha must be larger (got 2.0)\n",
    )


def test_lists_of_different_lengths_are_refused_not_raised():
    status, out, err = run("erlang_c servers=1,2,3 load=0.5,0.6")
    assert (status, out) == (2, "")
    assert err.startswith("theory: erlang_c: ")
    assert err.count("\n") == 1


WORDS = "-1 0 0.5 1 1.5 2 3 10 1e6 inf -inf nan 1,2 0.1,0.2,0.3 2, , x none true two"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_is_typed_there_is_a_value_or_one_line_and_never_nan(data):
    name = data.draw(st.sampled_from(list(FUNCTIONS)))
    keys = [word.strip("[]").partition("=")[0] for word in usage(name).split()]
    chosen = [key for key in keys if data.draw(st.integers(0, 4))]
    words = [f"{key}={data.draw(st.sampled_from(WORDS.split(' ')))}" for key in chosen]
    status, out, err = run(" ".join([name, *words, "--json"]))
    assert status in (0, 2)
    assert (out.count("\n"), err.count("\n")) == ((1, 0) if status == 0 else (0, 1))
    assert err.startswith(f"theory: {name}") or not err
    assert "nan" not in out.lower()
    assert status or numbers(json.loads(out, parse_constant=pytest.fail)) is not None


# --- the real thing ------------------------------------------------------------------------------


def shell(*words):
    command = [sys.executable, "-m", "theory", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_python_dash_m_theory_answers_and_sets_the_exit_status():
    answer = shell("sigma_star", "alpha=2", "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert json.loads(answer.stdout) == pytest.approx(ROOT_OF_DETECTION)
    refusal = shell("sigma_star", "alpha=0.5")
    assert (refusal.returncode, refusal.stdout) == (2, "")
    assert refusal.stderr.startswith("theory: sigma_star: alpha must be above 1")
    assert refusal.stderr.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error():
    with subprocess.Popen(
        [sys.executable, "-m", "theory"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as lister:
        lister.stdout.close()
        complaint = lister.stderr.read()
        assert (lister.wait(), complaint) == (0, b"")


def test_the_menu_alone_imports_no_formula():
    code = "import sys, theory; list(theory.FUNCTIONS); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_every_formula_is_at_the_top_whatever_was_imported_before():
    for module in CHAPTERS:
        importlib.import_module(f"theory.{module}")  # some are called as their function is
    assert {name: getattr(theory, name) for name in FUNCTIONS} == dict(FUNCTIONS)
    assert set(theory.__all__) == {*FUNCTIONS, "CHAPTERS", "FUNCTIONS"} == set(dir(theory))
    with pytest.raises(AttributeError, match="sigma_sta"):
        theory.sigma_sta  # noqa: B018
