"""Old names of modules: for one release they are the modules themselves."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sim.aliases import NOW
from sim.version import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "old",
    [
        "sim.slots.signatures",
        "sim.gang.redundancy.expansion",
        "sim.policy",
        "sim.traces.formats",
        "sim.fields",
    ],
)
def test_an_old_name_is_the_module_itself_and_says_so(old: str) -> None:
    code = (
        "import sys, warnings; from importlib import import_module; warnings.simplefilter('error')\n"
        "import sim; from sim.aliases import now\n"
        f"new = import_module(now({old!r})); named = new.__name__, new.__spec__.name\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        f"    found = import_module({old!r})\n"
        "assert found is new and (new.__name__, new.__spec__.name) == named, found\n"
        "assert any(one.category is DeprecationWarning for one in said), said\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr


def test_every_old_name_leads_somewhere_and_only_for_one_release() -> None:
    assert all(find_spec(new) for new in NOW.values())
    assert tuple(map(int, __version__.split(".")[:2])) < (0, 4), "delete sim/aliases.py"
