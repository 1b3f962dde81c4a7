"""Features that only some systems have are optional: everything can be imported and run without them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.depth import some

ROOT = Path(__file__).resolve().parents[1]
#: Modules that Windows has not, and one that is not installed there.
ELSEWHERE = ("fcntl", "grp", "posix_ipc", "pwd", "readline", "resource", "syslog", "termios", "tty", "uvloop")
#: Functions that Windows or macOS has not.
OF_OS = (
    *("fork", "getuid", "geteuid", "getpriority", "nice", "setpriority", "PRIO_PROCESS", "setsid", "getpgid"),
    *("killpg", "sched_getaffinity", "sched_setaffinity", "posix_fadvise", "posix_fallocate", "mkfifo"),
)
#: What needs an extra, of packages that ask by themselves where they run.
EXTRA = ("sim.shell.mcp.server",)
#: A Python from which these have been taken, and that says it is on Windows, once what we build on has been
#: imported: that knows where it runs.
WITHOUT = f"""
import asyncio, multiprocessing, os, subprocess, sys
import concurrent.futures.process, multiprocessing.popen_spawn_posix, multiprocessing.resource_tracker
import numba, numpy, orjson, pandas, plotly.graph_objects, prometheus_client, pyarrow, scipy, starlette, tqdm
import streamlit.testing.v1, streamlit.web.bootstrap, streamlit.web.server.starlette.starlette_app
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {ELSEWHERE!r}:
            raise ModuleNotFoundError("not on this system: " + name, name=name)
for name in {ELSEWHERE!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
for name in {OF_OS!r}:
    if hasattr(os, name):
        delattr(os, name)
os.process_cpu_count = os.cpu_count  # of Python 3.13, which is another function there
sys.platform = "win32"
"""
IMPORTED = """
import importlib
for name in {names!r}:
    importlib.import_module(name)
"""
#: A run by the pool, which lowers the priority of its workers, and the app itself.
RUN = """
from pathlib import Path
from streamlit.testing.v1 import AppTest
screen = AppTest.from_file(str(Path("app.py").resolve()), default_timeout=300).run()
assert not screen.exception, screen.exception
screen.query_params["preset"], screen.query_params["precision"] = "small", "10"
screen.switch_page("pages/compare/page.py").run()
assert not screen.exception, screen.exception
"""


def everything() -> list[str]:
    """Return the modules of theory, sim and pages, but for scripts and what needs an extra."""
    found = []
    for package in ("theory", "sim", "pages"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if parts[-1] not in ("page", "__main__") and not name.startswith(EXTRA):
                found.append(name)
    return found


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_everything_is_imported_without_what_only_some_systems_have() -> None:
    names = everything()
    assert len(names) > 250
    done = run(WITHOUT + IMPORTED.format(names=names))
    assert done.returncode == 0, done.stderr


@pytest.mark.compiled
def test_pages_run_without_what_only_some_systems_have() -> None:
    done = run(WITHOUT + RUN)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    "code", some(["import resource", "import uvloop", "import os; os.setpriority", "import fcntl"], 0)
)
def test_what_is_missing_would_be_noticed(code: str) -> None:
    assert run(WITHOUT + code).returncode != 0
