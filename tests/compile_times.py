"""``python -m tests.compile_times --record``: note when the functions of each engine are compiled.

A process of its own compiles each engine into an empty folder. What is written is what
`sim.running.compiled` reads.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from sim.running.compiled import POINTS, RECORD


def measured(key: str) -> dict[str, Any]:
    """Compile an engine here, and return its steps as the record has them."""
    import numpy as np
    from numba.core import event

    from sim.running.compiled import steps

    ends: list[float] = []

    class Noting(event.Listener):
        def on_start(self, started: event.Event) -> None:
            pass

        def on_end(self, ended: event.Event) -> None:
            ends.append(time.process_time())

    found, first = {}, time.process_time()
    begun, seen = first, 0
    with event.install_listener("numba:compile", Noting()):
        for policy in steps(key):
            own, now = ends[seen:], time.process_time()
            times = np.array([0.0, *np.subtract(own, begun)])
            places = np.linspace(0, len(own), POINTS + 1)
            points = np.interp(places, np.arange(len(times)), times)
            points[-1] = now - begun
            found[policy] = {"functions": len(own), "shares": points.tolist()}
            begun, seen = now, len(ends)
    whole = begun - first
    for step in found.values():
        step["shares"] = [round(one / whole, 5) for one in step["shares"]]
    return found


def main() -> None:
    """Record all engines, or print what was measured of one."""
    from sim.engines.registry import ENGINES

    parser = argparse.ArgumentParser(prog="python -m tests.compile_times", description=__doc__)
    parser.add_argument("engine", nargs="?", choices=ENGINES)
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    if chosen.engine:
        print(json.dumps(measured(chosen.engine)))
        return
    record = {}
    for key in ENGINES:
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-m", "tests.compile_times", key]
            asked = {**os.environ, "NUMBA_CACHE_DIR": folder}
            record[key] = json.loads(subprocess.run(words, env=asked, check=True, capture_output=True).stdout)
        print(key, {policy: step["shares"][-1] for policy, step in record[key].items()}, flush=True)
    if chosen.record:
        RECORD.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
