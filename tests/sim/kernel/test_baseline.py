"""Code for a baseline runs on every machine that has it, wherever its folder is moved, and on no other.

Another machine is this one under another name and with other features, which Numba takes from its variables.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.kernel.cache import BASELINES, machines, usual
from sim.kernel.folder import AHEAD_VARIABLE
from tests.conftest import JIT_IS_OFF

ROOT = Path(__file__).resolve().parents[3]
V3 = BASELINES["x86-64-v3"]
#: Nothing is left of this difference unless a product is added to without having been rounded.
TINY = """
from sim.kernel.compile import kernel

@kernel
def rest(x, y):
    return x * x - y
"""
REST = """
from tiny import rest
print(rest(1 + 2.0**-30, 1 + 2.0**-29), sum(rest.stats.cache_hits.values()))
"""
#: Compiles nothing, or says what.
RUN = """
import json, sys
from numba.core import event
class Compiled(event.Listener):
    def on_start(self, one): print("compiled", one.data["dispatcher"], file=sys.stderr)
    def on_end(self, one): pass
event.register("numba:compile", Compiled())
from sim.shell.verbs import main
sys.exit(main(sys.argv[1:]))
"""
on_x86 = pytest.mark.skipif(
    JIT_IS_OFF or platform.machine() not in ("x86_64", "AMD64"), reason="needs compiled code of x86-64"
)


def features(names: frozenset[str]) -> str:
    return ",".join(f"+{name}" for name in sorted(names))


#: Machines: their variables, and whether they have x86-64-v3.
HASWELL = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": features(V3.needs)}
NEHALEM = {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": "+cmov,+cx16,+sse4.2,+popcnt,-avx,-avx2"}


def ran(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    whole = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "STRAGGLER"))}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=whole | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )


@on_x86
def test_what_is_compiled_for_a_baseline_is_used_where_it_is_moved(tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(TINY)
    here, there = tmp_path / "here", tmp_path / "there"

    def rest(**environment: str) -> list[str]:
        return ran(tmp_path, "-c", REST, **environment).stdout.split()

    assert rest(NUMBA_CACHE_DIR=str(here), **V3.environment) == ["0.0", "0"]
    shutil.copytree(here, there)
    shutil.move(here, tmp_path / "ahead")
    assert rest(NUMBA_CACHE_DIR=str(there), **HASWELL) == ["0.0", "1"]
    ahead = {AHEAD_VARIABLE: str(tmp_path / "ahead"), "NUMBA_CACHE_DIR": str(tmp_path / "own")}
    assert rest(**ahead, **HASWELL) == ["0.0", "1"]
    assert not list((tmp_path / "own").rglob("*.nbc"))
    assert rest(**ahead, **NEHALEM) == ["0.0", "0"]
    (tmp_path / "ahead").chmod(0o777)  # somebody else may have put code into it
    assert rest(**ahead, **HASWELL) == ["0.0", "0"]


@on_x86
def test_code_for_this_very_machine_comes_first(tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(TINY)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    for machine, hits in ((HASWELL, "0"), (V3.environment, "0"), (HASWELL, "1")):
        assert ran(tmp_path, "-c", REST, **cache, **machine).stdout.split() == ["0.0", hits]
    for file in tmp_path.rglob("*.2.nbc"):
        file.unlink()  # of the baseline
    assert ran(tmp_path, "-c", REST, **cache, **HASWELL).stdout.split() == ["0.0", "1"]


@pytest.mark.parametrize("name", BASELINES)
def test_a_machine_without_one_feature_has_not_the_baseline(name: str) -> None:
    baseline = BASELINES[name]
    triple = {"x86-64-v3": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}[name]
    assert usual(triple) == name
    both = (triple, "one", features(baseline.needs)), (triple, baseline.cpu, "")
    assert tuple(machines(both[0])) == both
    assert tuple(machines(both[1])) == both[1:]  # no second time
    for feature in baseline.needs:
        lacking = f"{features(baseline.needs - {feature})},-{feature}"
        assert [cpu for _, cpu, _ in machines((triple, "one", lacking))] == ["one"]
    assert usual("riscv64-unknown-linux-gnu") == ""


def test_a_baseline_of_another_architecture_is_refused() -> None:
    other = "aarch64" if platform.machine() in ("x86_64", "AMD64") else "x86-64-v3"
    for name in (other, "nonsense"):
        with pytest.raises(subprocess.CalledProcessError) as caught:
            ran(ROOT, "-m", "sim", "compile", "--portable", name)
        assert caught.value.returncode == 2
        assert caught.value.stderr.startswith(f"sim: portable: '{name}' is not accepted")


@on_x86
@pytest.mark.slow
def test_an_engine_compiled_for_a_baseline_gives_the_same_bits(tmp_path: Path) -> None:
    """As code for this machine does; another machine compiles nothing for it."""
    line = ["run", "--preset", "aktas-beta3", "--jobs", "2000", "--replications", "2"]
    line += ["--policy", "none", "--policy", "redundant-small:r=2,d=60", "--json", "-"]
    native = json.loads(ran(ROOT, "-c", RUN, *line).stdout)
    made = ran(ROOT, "-m", "sim", "compile", "gang", "--portable", NUMBA_CACHE_DIR=str(tmp_path / "made"))
    assert "gang: compiled, kept in" in made.stdout
    shutil.move(tmp_path / "made", tmp_path / "moved")
    done = ran(ROOT, "-c", RUN, *line, NUMBA_CACHE_DIR=str(tmp_path / "moved"), **HASWELL)
    assert "compiled" not in done.stderr
    found = json.loads(done.stdout)
    for one in (*found["policies"].values(), *native["policies"].values()):
        del one["seconds"]
    assert found["policies"] == native["policies"]
    ready = "from sim.running.compiled import is_compiled; print(is_compiled('gang'), is_compiled('slots'))"
    for machine, said in ((HASWELL, ["True", "False"]), (NEHALEM, ["False", "False"])):
        assert (
            ran(ROOT, "-c", ready, NUMBA_CACHE_DIR=str(tmp_path / "moved"), **machine).stdout.split() == said
        )
