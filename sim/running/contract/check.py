"""Checks the rules of a file against the contract: in plain Python, then compiled, each in a process.

In plain Python an index beyond the end of an array is an error; compiled it would read what lies there. Both
must give the same bits.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sim.model.fields import BadInput
from sim.model.files import opened
from sim.running.processes.wire import started
from sim.telling.words import plain
from theory.quoting import quoted

#: Seconds of processor time after which a rule that is still at the same step is taken for stuck; by the
#: clock so many times as many, since the machine may have other work.
PATIENCE_S, SLOWER = 120.0, 10


def check(path: str, tell: Callable[[str], object] = lambda step: None) -> list[str]:
    """Return what is wrong with the rules of a file, in words; nothing if they keep the contract.

    Parameters
    ----------
    path : str
    tell : callable, optional
        Called with each step as it begins.
    """
    try:
        opened(path).close()
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise BadInput(f"check: {quoted(path)} is not accepted ({reason}); give a file of Python") from None
    digests = []
    for way, flag in (("plain Python", "1"), ("compiled", "0")):
        found, complaints = _tried(path, flag, lambda step, way=way: tell(f"{way}, {step}"))  # type: ignore[misc]
        if complaints:
            return complaints
        digests.append(found)
    plain, compiled = digests
    return [
        f"{step}: compiled code gives other results than plain Python: a whole number is too large for 64 "
        "bits, an index lies outside its array, or something is remembered in a variable of the module"
        for step, digest in plain.items()
        if compiled.get(step) != digest
    ][:1]


def _tried(path: str, flag: str, tell: Callable[[str], object]) -> tuple[dict[str, str], list[str]]:
    """Run a child to its end; return the digest of each step, and what is wrong."""
    child = started(
        "sim.running.contract.child",
        str(Path(path).absolute()),
        str(PATIENCE_S),
        environment=os.environ | {"NUMBA_DISABLE_JIT": flag, "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with child:
        return _read(child, tell)


def _read(child: subprocess.Popen[str], tell: Callable[[str], object]) -> tuple[dict[str, str], list[str]]:
    """Follow a child to its end."""
    assert child.stdout is not None
    assert child.stderr is not None
    errors: list[str] = []
    reader = threading.Thread(target=lambda stream=child.stderr: errors.append(stream.read()), daemon=True)
    reader.start()
    step, ended, late, steps, begun = "loading the file", False, threading.Event(), 0, 0
    digests: dict[str, str] = {}
    complaints: list[str] = []

    def stuck() -> None:
        late.set()
        child.kill()

    timer = _started(stuck)
    for line in child.stdout:
        timer.cancel()
        said = _said(line)
        step, steps = said.get("step", step), said.get("steps", steps)
        if "step" in said:
            begun += 1
            tell(f"{begun} of {steps}: {step}")
        if "digest" in said:
            digests[step] = said["digest"]
        complaints += [said["complaint"]] if "complaint" in said else []
        ended = ended or "end" in said
        timer = _started(stuck)
    timer.cancel()
    child.wait()
    reader.join(1)
    if late.is_set() or child.returncode == -getattr(signal, "SIGXCPU", 0):
        complaints.append(f"{step}: it does not come to an end within {plain(PATIENCE_S)} s")
    elif not ended and not complaints:
        last = next(iter("".join(errors).strip().splitlines()[-1:]), "without a word")
        complaints.append(f"{step}: the process ended ({last}); is an array written beyond its end?")
    return digests, complaints


def _started(stuck: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(SLOWER * PATIENCE_S, stuck)
    timer.daemon = True  # who interrupts does not wait for it
    timer.start()
    return timer


def _said(line: str) -> dict[str, Any]:
    """Return what a line of the child says; nothing if the rule itself has printed it."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what `check` is asked with."""
    parser.add_argument("file", help="a file of rules, as docs/how-to/write-a-rule.md shows them")


def run(chosen: argparse.Namespace) -> int:
    """Check a file, telling what is tried; return the exit status."""
    count = 0

    def tell(step: str) -> None:
        nonlocal count
        count += 1
        if sys.stderr and sys.stderr.isatty():
            print(f"\r\033[K{step}", end="", file=sys.stderr, flush=True)

    complaints = check(chosen.file, tell)
    if sys.stderr and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if complaints:
        raise BadInput(f"check: {'; '.join(complaints)}")
    print(f"{Path(chosen.file).name}: keeps the contract ({count} steps, in plain Python and compiled)")
    return 0
