"""The shell with random input: every command ends with a status and at most one line of complaint.

No traceback, no control characters on the terminal, no NaN. What is run is of five jobs.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sim.engines.registry import ENGINES, PRESETS, engine
from sim.model.fields import settable
from sim.shell.verbs import main
from tests.depth import each
from tests.foreign import HOSTILE

pytestmark = pytest.mark.compiled

FIELDS = sorted({name for key in ENGINES for name in settable(engine(key).scenario)})
RULES = sorted(
    {
        key
        for one in ENGINES
        for rules in engine(one).implementation.policy.registries().values()
        for key in rules
    }
)
PARAMETERS = sorted(
    {
        parameter.name
        for one in ENGINES
        for rules in engine(one).implementation.policy.registries().values()
        for rule in rules.values()
        for parameter in rule.parameters
    }
)
FILES = {
    "jobs.csv": b"job_id,submit,tasks,size\na,0,3,1\nb,1,2,2\nc,5,4,1\n",
    "bad.csv": b"job_id,submit,tasks\na,0,3\nb,1,x\n",
    "nul.csv": b"job_id,submit,tasks\na,0,3\n\0,1,2\n",
    "empty": b"",
    "bin": bytes(range(256)) * 9,
}
TYPED = """
- -- --json 0 -1 1 2 3 0.5 1.5 10 1e5 1e16 1e308 1e-308 5e-324 1e999 inf -inf nan 0x10 1_000 true None
1,2 1;2 a=b = a= =b : + a:b=c * @x {0} %s %(prog)s . /dev/zero no/such
pareto lognormal bounded-pareto trace exponential empirical outlier zipf gang
"""
ODD = ["", " ", "\t", "9" * 400, "9" * 5000, "\uff11", "½", *TYPED.split(), *FILES, *HOSTILE.values()]
words = st.sampled_from(ODD)


def maybe(option: str, values: st.SearchStrategy[str], share: float = 0.2) -> st.SearchStrategy[list[str]]:
    given = values.map(lambda value: [f"--{option}={value}"])
    return st.floats(0, 1).flatmap(lambda chance: given if chance < share else st.just([]))


@st.composite
def policies(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(RULES) | words)
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(PARAMETERS) | st.sampled_from(RULES))
        text += f"{draw(st.sampled_from(':,+'))}{name}={draw(words)}"
    return text


settings_of_fields = st.tuples(st.sampled_from(FIELDS), words).map("=".join) | words


@st.composite
def experiments(draw: st.DrawFn) -> list[str]:
    arguments = [
        "--preset",
        draw(st.sampled_from(sorted(PRESETS)) | words),
        "--set=jobs=5",
        "--replications=1",
    ]
    for part in (
        *(maybe("set", settings_of_fields, 0.5) for _ in range(3)),
        *(maybe("policy", policies(), 0.4) for _ in range(2)),
        maybe("workload", words, 0.3),
        *(maybe(name, words, 0.1) for name in ("baseline", "precision", "jobs", "seed", "threads", "json")),
    ):
        arguments += draw(part)
    return arguments


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    command = draw(
        st.sampled_from(["run", "run", "sweep", "trace", "reproduce", "fields", "presets", "policies"])
    )
    arguments: list[str] = []
    if command in ("run", "sweep"):
        arguments = draw(experiments())
        if command == "sweep":
            arguments += draw(maybe("vary", settings_of_fields, 0.9))
    elif command == "trace":
        arguments = draw(st.lists(words, max_size=2))
        for name in ("json", "html", "out", "most-gib"):
            arguments += draw(maybe(name, words, 0.3))
    elif command == "reproduce":
        arguments = [draw(st.just("xl-fig4-alpha2") | words), *draw(maybe("json", words))]
    else:
        arguments = draw(maybe("engine", st.sampled_from([*ENGINES]) | words, 0.5)) + draw(
            maybe("json", words)
        )
    return [command, *arguments, *([draw(words)] if draw(st.integers(0, 9)) == 0 else [])]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder of files to name, in which files may be written."""
    here, there = Path.cwd(), tmp_path_factory.mktemp("typed")
    for name, content in FILES.items():
        (there / name).write_bytes(content)
    os.chdir(there)
    yield
    os.chdir(here)


def assert_ends_well(arguments: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = main(arguments)
        except SystemExit as ended:  # --help
            status = ended.code
    assert status in (0, 2)
    said = err.getvalue()
    assert (status == 2) == bool(said), said
    assert said.count("\n") <= 1
    assert all(sign.isprintable() or sign == "\n" for sign in said)
    assert len(said) < 3000
    assert not (status == 2 and out.getvalue().startswith("Traceback"))


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(arguments=command_lines())
@example(arguments=["run", "--set=slots=" + "9" * 5000])
@example(arguments=["--help"])
@example(arguments=["\udcff"])
def test_every_command_ends_with_a_status_and_a_line(arguments: list[str]) -> None:
    assert_ends_well(arguments)


@each("text", HOSTILE.values())
@pytest.mark.parametrize(
    "command",
    [
        ["{}"],
        ["run", "{}"],
        ["run", "--preset={}"],
        ["run", "--set={}"],
        ["run", "--set=slots={}"],
        ["run", "--set={}=1"],
        ["run", "--policy={}"],
        ["run", "--policy=hopper:{}=1"],
        ["run", "--policy=hopper:epsilon={}"],
        ["run", "--baseline={}"],
        ["run", "--workload={}"],
        ["run", "--replications={}"],
        ["run", "--precision={}"],
        ["run", "--threads={}"],
        ["run", "--json=no/such/{}"],
        ["sweep", "--vary={}"],
        ["sweep", "--vary=load={}"],
        ["reproduce", "{}"],
        ["trace", "no/such/{}"],
        ["trace", "jobs.csv", "--html=no/such/{}"],
        ["trace", "jobs.csv", "--most-gib={}"],
        ["policies", "--engine={}"],
        ["fields", "--engine={}"],
        ["run", "--jobs=5", "--keep=no/such/{}"],
        ["run", "--policies={}"],
        ["check", "{}"],
    ],
    ids=" ".join,
)
def test_a_hostile_text_in_every_argument_is_one_line(command: list[str], text: str) -> None:
    assert_ends_well([word.format(text) for word in command])


def test_an_option_without_a_value_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Before Python 3.13 argparse makes an empty list of it."""
    assert main(["fields", "--engine=--"]) == 2
    assert capsys.readouterr().err == "sim: --engine: '--' is not accepted; give a value\n"
