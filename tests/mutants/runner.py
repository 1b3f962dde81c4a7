"""Mutants, tried one after the other in a copy of the project."""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]
#: What a copy does without.
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "*.egg-info")
#: How pytest ends when all tests passed, when some failed, and when it did not end within its `LIMITS`.
PASSED, FAILED, ENDLESS = 0, 1, -signal.SIGXCPU
#: Processor seconds of one run of pytest, without compilation (`plain`) and with it: a bug may keep a
#: simulation from ending.
LIMITS = {True: 60, False: 600}
#: How a mutant may end. That time ran out is no catch: a slow machine would do the same.
CAUGHT, MISSED, TIMED_OUT = "caught", "missed", "timed out"
#: What pytest says of a test that failed because a time of its own ran out.
WAITED = re.compile(r"^E +([\w.]+\.)?(Timeout\w+|RuntimeError: AppTest script run timed out)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of the project, and where its compiled code is kept."""

    root: Path
    cache: Path

    def test(self, selection: str, *, plain: bool) -> subprocess.CompletedProcess[str]:
        """Run the selected tests up to the first that fails, or to its limit."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        command += ["--hypothesis-profile=mutants"]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(self.cache), "NUMBA_DISABLE_JIT": str(int(plain))}
        limit = LIMITS[plain]
        return subprocess.run(
            [*command, *shlex.split(selection)],
            cwd=self.root,
            env=environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10)),
            capture_output=True,
            text=True,
            check=False,
        )

    def tried(self, mutant: Mutant) -> str:
        """Return how the tests of a mutant end once it is in the sources, which are mended afterwards.

        Returns
        -------
        str
            `CAUGHT` if one fails by itself, `TIMED_OUT` if its time or that of all ran out, else `MISSED`.

        Raises
        ------
        RuntimeError
            If the tests did not run, as when there are none.
        """
        path, broken = mutant.applied(self.root)
        whole, times = path.read_text(), path.stat()
        path.write_text(broken)
        try:
            done = self.test(mutant.tests, plain=mutant.plain)
        finally:
            path.write_text(whole)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # what is compiled stays valid
        if done.returncode not in (PASSED, FAILED, ENDLESS) or skipped_all(done):
            raise RuntimeError(
                f"{mutant.name}: pytest {mutant.tests} did not run\n{done.stdout}{done.stderr}"
            )
        if done.returncode == ENDLESS or WAITED.search(done.stdout):
            return TIMED_OUT
        return MISSED if done.returncode == PASSED else CAUGHT


def skipped_all(done: subprocess.CompletedProcess[str]) -> bool:
    """Tell whether no test ran, as when all need compiled code and it is switched off."""
    return done.returncode == PASSED and " passed" not in done.stdout


@contextmanager
def copied() -> Iterator[Project]:
    """Copy the project to a temporary folder, which is deleted in the end."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder, "project")
        shutil.copytree(ROOT, root, ignore=LEFT_OUT)
        yield Project(root, Path(folder, "cache"))


def unbroken(project: Project, mutants: Sequence[Mutant]) -> str:
    """Run the tests of all mutants on the sources as they are; return what pytest says if some fail."""
    said = []
    for plain in (False, True):
        selections = sorted({mutant.tests for mutant in mutants if mutant.plain == plain})
        for selection in selections:
            done = project.test(selection, plain=plain)
            if done.returncode != PASSED or skipped_all(done):
                said.append(f"pytest {selection}\n{done.stdout}{done.stderr}")
    return "\n".join(said)
