"""Shared set-up of all tests: how Hypothesis searches, what is quick, what is compiled, one compilation."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from sim.running.live.pool import NICENESS

ROOT = Path(__file__).resolve().parents[1]
JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
CI = bool(os.environ.get("CI"))

#: Profile -> how many runs of an engine a search tries, as a multiple of what its test asks for. The mutants
#: (`tests/mutants`) are found by so few.
FEW = 1 / 6
SCALES = {"here": FEW, "ci": FEW, "plain": FEW, "mutants": FEW, "deep": 3.0}
#: Examples of other searches.
EXAMPLES = 50
# No deadline: the first example of a test may be the one that compiles a kernel. In CI the same examples are
# tried each time: what a change broke is told apart from what a new example found.
settings.register_profile("here", deadline=None, max_examples=EXAMPLES)
settings.register_profile("ci", deadline=None, max_examples=EXAMPLES, derandomize=True, print_blob=True)
settings.register_profile("plain", deadline=None, derandomize=CI, max_examples=8)
# That a bug is found is all that is asked; to simplify its example takes most of the time.
settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=8 if JIT_IS_OFF else EXAMPLES,
    phases=(Phase.explicit, Phase.generate),
)
settings.register_profile("deep", deadline=None, max_examples=300)
settings.load_profile("plain" if JIT_IS_OFF else "ci" if CI else "here")

#: Where the engines are tested; those that are compiled side by side, a process for each list.
ENGINES = ROOT / "tests" / "sim"
COMPILED = (("slots",), ("gang", "probes"))
compiling: list[subprocess.Popen[bytes]] = []

#: What `-m quick` runs before each commit, in less than a minute: of each folder all tests and doctests, or
#: those of some files. None opens a page or runs an engine (`Quick`).
QUICK_FILES = {
    "tests": "structure said_once readable_fields depth",
    "tests/mutants": "generated",
    "tests/sim": "scenario policy laws statistics glossary traces workload report byte_cache",
    "tests/sim/map": "axis boundaries",
    "tests/sim/logs": "dask flink folder foreign history json_items knows kubernetes",
    "tests/pages": "charts jobs palette notice room_questions tables words diagnose_words card_numbers "
    "chart_numbers decentralised_numbers detection_numbers table_numbers theory_chart_numbers",
    "tests/pages/lessons": "course prediction questions typed two_logs",
    "tests/pages/server": "documents gate headers log measures messages notify reads rooms uploads",
}
QUICK_FOLDERS = ("theory", "pages", "tests/theory", "tests/sim/papers", "tests/sim/telling")
QUICK = {ROOT / folder for folder in QUICK_FOLDERS}
QUICK |= {ROOT / folder / f"test_{name}.py" for folder in QUICK_FILES for name in QUICK_FILES[folder].split()}
#: Marks of tests that run by themselves only, or are of what is compiled.
NOT_QUICK = {"browser", "slow", "speed", "hosting", "wheel", "real", "wasm", "compiled"}


class Quick:
    """Lets no quick test open a page or run an engine, whichever tests it runs among."""

    #: Module that may be there -> class and method.
    REFUSED = (
        ("streamlit.testing.v1.app_test", "AppTest", "run"),
        ("sim.engines.run", "Run", "advance"),
    )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Refuse it from its set-up on."""
        if not item.get_closest_marker("quick"):
            return (yield)
        with pytest.MonkeyPatch.context() as patch:
            for module, name, method in self.REFUSED:
                if module in sys.modules:  # to import it takes as long as a hundred quick tests
                    owner = getattr(sys.modules[module], name)
                    patch.setattr(owner, method, refused(getattr(owner, method), threading.get_ident()))
            return (yield)


def refused(method: Callable[..., object], of_thread: int) -> Callable[..., object]:
    """Return what fails in a quick test's thread; a warm start that a page began may run in another."""

    def called(*given: object, **named: object) -> object:
        if threading.get_ident() == of_thread:
            pytest.fail(
                "a quick test opens no page and runs no engine; take its file out of tests/conftest.py"
            )
        return method(*given, **named)

    return called


def pytest_configure(config: pytest.Config) -> None:
    """Search deeper where slow tests are asked for; stand back in workers; compile while they collect.

    Of what is quick only its files are collected, and nothing is compiled.
    """
    config.pluginmanager.register(Quick())
    if config.option.markexpr == "quick":
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            config.args = sorted(map(str, QUICK))
        return
    if re.search(r"(?<!not )\bslow\b", config.option.markexpr) and not JIT_IS_OFF:
        settings.load_profile("deep")
    if hasattr(config, "workerinput") and hasattr(os, "nice"):
        os.nice(max(0, NICENESS - os.nice(0)))  # as simulations do, which would wait for other tests
    starts_workers = getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput")
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    if starts_workers and not JIT_IS_OFF and any(ENGINES.is_relative_to(path) for path in asked):
        compiling.extend(
            subprocess.Popen([sys.executable, "-m", "sim", "compile", *names], cwd=ROOT) for names in COMPILED
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished() -> None:
    """Wait until all is compiled, as workers would compile the same engine twice; they collect meanwhile."""
    while compiling:
        compiling.pop().wait()


def pytest_collection_finish() -> None:
    """Set what is loaded apart from what is searched for garbage, as the server does.

    Streamlit searches all of it after each run of a page.
    """
    gc.collect()
    gc.set_threshold(50_000, 10, 10)
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is quick, and skip what cannot run without compilation."""
    for item in items:
        among = not QUICK.isdisjoint([item.path, *item.path.parents])
        if among and NOT_QUICK.isdisjoint(mark.name for mark in item.iter_markers()):
            item.add_marker(pytest.mark.quick)
    if JIT_IS_OFF:
        skip = pytest.mark.skip(reason="needs compiled code (NUMBA_DISABLE_JIT is set)")
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(skip)


@contextmanager
def main_given_back() -> Iterator[None]:
    """Put the main module back: Streamlit leaves its script there, and a process begun later would run it."""
    main = sys.modules["__main__"]
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@pytest.fixture(autouse=True, scope="module")
def main_is_given_back() -> Iterator[None]:
    """Leave no page as the main module of the tests of the next file."""
    with main_given_back():
        yield
