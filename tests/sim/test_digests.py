"""What is kept is kept by a digest of every source that decides it: what is loaded when it is made."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sim.advice.whatif import certificate
from sim.running.code_digest import ASIDE, OF_LOGS, ROOMS, ROOT, _paths

LOADED = """
import json, sys
from pathlib import Path
{made}
files = {{getattr(one, "__file__", None) for one in list(sys.modules.values())}}
print(json.dumps(sorted(filter(None, files))))
"""
ADVISED = """
from sim.advice.fleet.first_look import advised, looked_at
from sim.logs import samples
from sim.logs.formats import read_history
history = read_history(samples.spark(speculation=False))
looked_at(history, "log")
advised(history)
"""
PROMISED = """
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import system_of
from sim.logs import samples
from sim.logs.formats import read_history
history = read_history(samples.spark(speculation=False))
answer(Replay(fit(history)), system_of(history), replications=2, sweep=False)
"""
COMPARED = """
from sim import compare
compare("light", ["fair+late", "hopper"], replications=2)
"""
#: What no number depends on: where the program is, which names it has, and in what words it answers.
OPEN = "sim/__init__.py sim/aliases.py sim/version.py"
#: What is kept -> how it is made, the sources of its digest, and files and folders that do not decide it.
KEPT: dict[str, tuple[str, Callable[[], Iterable[Path]], str]] = {
    # how it is run, and which engines there are; a workload is known by what was read of it
    "looks at a fleet, answers about samples": (ADVISED, lambda: _paths(OF_LOGS), "sim/running sim/engines"),
    "runs": (COMPARED, lambda: _paths(ROOMS, ASIDE), "sim/telling sim/logs"),
    # besides: readers of other systems than those of the pairs, and what is said, and what it costs
    "the certificate": (
        PROMISED,
        certificate._sources,
        "sim/running sim/engines sim/telling sim/advice sim/logs theory/__init__.py theory/domain.py "
        "theory/quoting.py",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_every_source_that_decides_what_is_kept_is_in_its_digest(name: str) -> None:
    made, watched, aside = KEPT[name]
    said = subprocess.run(
        [sys.executable, "-c", LOADED.format(made=made)], check=True, capture_output=True, cwd=ROOT
    ).stdout
    loaded = {
        path.relative_to(ROOT)
        for path in map(Path, json.loads(said))
        if path.is_relative_to(ROOT) and {*path.relative_to(ROOT).parts}.isdisjoint({".venv", "tests"})
    }
    known = {path.relative_to(ROOT) for path in watched()}
    left = {
        path
        for path in loaded - known
        if not any(path.is_relative_to(one) for one in f"{OPEN} {aside}".split())
    }
    assert len(loaded & known) > 20
    assert not left
