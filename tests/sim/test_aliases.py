"""Old names of modules: for one release they are the modules themselves."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from sim.aliases import NOW
from sim.version import __version__

ROOT = Path(__file__).resolve().parents[2]


#: What documents and examples of version 0.2 imported.
IMPORTED = """
sim.fields BadInput
sim.formula Formula
sim.gang.learning.forward best_rate
sim.gang.learning.network Network
sim.gang.policy read_policy
sim.gang.redundancy.expansion RATE
sim.gang.rule Redundancy
sim.gang.run GangRun
sim.gang.scenario GangScenario
sim.gang.signatures decide
sim.policy parameter
sim.presets PRESETS
sim.probes.protocol Protocol
sim.probes.protocols.sparrow_srpt RULE
sim.probes.signatures label
sim.slots.policy SlotPolicy
sim.slots.rule Speculation
sim.slots.signatures next_check
sim.slots.speculation.candidates first_candidate
sim.traces.formats read_history
sim.traces.source Upload
sim.workload generate
"""


def test_what_was_imported_from_an_old_name_is_there_and_is_the_module_itself() -> None:
    code = (
        "import sys, warnings; from importlib import import_module; warnings.simplefilter('ignore')\n"
        "import sim; from sim.aliases import now\n"
        f"for line in {IMPORTED.split(chr(10))[1:-1]!r}:\n"
        "    old, name = line.split()\n"
        "    new = import_module(now(old)); named = new.__name__, new.__spec__.name\n"
        "    with warnings.catch_warnings(record=True) as said:\n"
        "        warnings.simplefilter('always')\n"
        "        found = import_module(old)\n"
        "    assert found is new and (new.__name__, new.__spec__.name) == named, old\n"
        "    assert any(one.category is DeprecationWarning for one in said), old\n"
        "    assert hasattr(found, name), line\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr


def test_every_old_name_leads_somewhere_and_only_for_one_release() -> None:
    assert all(find_spec(new) for new in NOW.values())
    assert tuple(map(int, __version__.split(".")[:2])) < (0, 4), "delete sim/aliases.py"
