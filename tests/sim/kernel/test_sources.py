"""The cache folder changes its name when it must, and only then."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.kernel.compile import ROOT, fingerprint, shared_sources

#: Files whose functions no other compiled code calls, and files whose functions it does call.
LEAVES = (
    "sim/engines/slots/sharing/fair.py",
    "sim/engines/slots/sharing/hopper_dag.py",
    "sim/engines/slots/speculation/late.py",
    "sim/engines/slots/speculation/ese.py",
    "sim/engines/probes/run.py",
    "sim/engines/probes/protocols/hopper.py",
    "sim/engines/gang/engine.py",
    "sim/engines/gang/redundancy/small.py",
    "sim/engines/slots/run.py",
    "sim/model/policy.py",
)
SHARED = (
    "sim/kernel/heap.py",
    "sim/kernel/compile.py",
    "sim/kernel/records.py",
    "sim/engines/slots/signatures.py",
    "sim/engines/slots/sharing/ordered.py",
    "sim/engines/slots/speculation/candidates.py",
    "sim/engines/slots/speculation/dolly.py",
    "sim/engines/gang/redundancy/expansion.py",
    "sim/engines/gang/learning/network.py",
    "sim/model/laws.py",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources."""
    for package in ("sim", "theory"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def edit(path: Path, old: str = "\nfrom __future__", new: str = "\n# edited\nfrom __future__") -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("file", LEAVES)
def test_an_edit_that_numba_notices_leaves_the_folder(copy: Path, file: str) -> None:
    before = fingerprint(copy)
    edit(copy / file)
    assert fingerprint(copy) == before


@pytest.mark.parametrize("file", SHARED)
def test_an_edit_that_numba_does_not_notice_changes_the_folder(copy: Path, file: str) -> None:
    before = fingerprint(copy)
    edit(copy / file)
    assert fingerprint(copy) != before


def test_a_rule_that_another_rule_begins_to_call_is_no_longer_a_leaf(copy: Path) -> None:
    fair, fifo = copy / "sim/engines/slots/sharing/fair.py", copy / "sim/engines/slots/sharing/fifo.py"
    assert fair not in shared_sources(copy)
    fifo.write_text(fifo.read_text() + "\n\nfrom sim.engines.slots.sharing.fair import pick_job as fairest\n")
    assert fair in shared_sources(copy)


def test_every_file_whose_names_compiled_functions_use_is_among_them() -> None:
    """By another route: the syntax tree, and every name in the body of a decorated function."""
    shared = set(shared_sources())
    seen = set()
    for path in (ROOT / "sim").rglob("*.py"):
        tree = ast.parse(path.read_text())
        origin = {
            alias.asname or alias.name: source(node.module or "", alias.name)
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for function in tree.body:
            if isinstance(function, ast.FunctionDef) and compiled(function, origin):
                used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                seen |= {file for name in used if (file := origin.get(name)) is not None}
    assert len(seen) > 20
    assert seen <= shared


def compiled(function: ast.FunctionDef, origin: dict[str, Path | None]) -> bool:
    """Whether a function is decorated by Numba, or by something of the kernels' own."""
    names = {
        node.id for one in function.decorator_list for node in ast.walk(one) if isinstance(node, ast.Name)
    }
    kernels = (ROOT / "sim/kernel/compile.py", *(ROOT / "sim").rglob("signatures.py"))
    return "njit" in names or any(origin.get(name) in kernels for name in names)


def source(module: str, name: str) -> Path | None:
    """Return the file of our own that a name is imported from."""
    whole = ROOT.joinpath(*module.split("."))
    files = (whole / f"{name}.py", whole.with_suffix(".py"), whole / "__init__.py")
    return next((file for file in files if module.split(".")[0] in ("sim", "theory") and file.exists()), None)


#: Prints how many tasks Redundant-small starts of a job of 3 whose demand is too large, and the cache folder.
DECIDE = """
import os
import numpy as np
from sim.engines.gang.signatures import CLUSTER, HANDED, JOB, NODE
from sim.engines.gang.redundancy.small import RULE
from sim.kernel.hook import table_of

cluster, jobs, nodes = (np.zeros(1, dtype).view(np.recarray) for dtype in (CLUSTER, JOB, NODE))
jobs.tasks, jobs.task_size = 3, 1000.0
values = RULE.values(None, {"r": 2.0, "d": 120.0})
(decide,) = RULE.compiled(values)
arrays = {"cluster": cluster, "jobs": jobs, "nodes": nodes, "numbers": np.array(values)}
table = table_of(HANDED, arrays)
print(decide(table.ctypes.data, 0), os.environ["NUMBA_CACHE_DIR"])
"""


@pytest.mark.compiled
def test_a_changed_leaf_takes_effect_in_the_same_folder(copy: Path) -> None:
    def decided() -> list[str]:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(copy / "cache"), "PYTHONPATH": str(copy)}
        command = [sys.executable, "-c", DECIDE]
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, check=True, timeout=300
        )
        return done.stdout.split()

    before, folder = decided()
    assert before == "3"
    edit(copy / "sim/engines/gang/redundancy/small.py", "else job.tasks", "else 70 + job.tasks")
    assert decided() == ["73", folder]
    edit(copy / "sim/engines/gang/redundancy/expansion.py")
    again, other = decided()
    assert again == "73"
    assert other != folder
