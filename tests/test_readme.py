"""What the README tells people to do works, and is what CI does."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"^\.venv/bin/python -m ((?!pytest).+)$", README, re.MULTILINE)


def command(name: str) -> str:
    """Return the one command that README.md shows between the marks of this name."""
    block = re.search(rf"<!-- {name} -->\n```sh\n(.*?)\n```\n<!-- /{name} -->", README, re.DOTALL)
    assert block, f"README.md has no command marked {name}"
    return block[1]


@pytest.mark.parametrize("name", ["app", "tests", "browser"])
def test_ci_runs_what_the_readme_tells_people_to_run(name: str) -> None:
    assert "\n" not in command(name)
    shown = subprocess.run([ROOT / ".ci" / "run", "--show", name], capture_output=True, text=True, check=True)
    assert shown.stdout == command(name) + "\n"


def test_the_commands_of_the_readme_do_what_they_are_shown_for() -> None:
    assert command("app").endswith("streamlit run app.py")
    assert command("tests").endswith("python -m pytest -n 2 --dist worksteal")


def test_the_readme_has_examples_for_the_shell() -> None:
    assert {example.split()[0] for example in EXAMPLES} == {"sim", "theory"}


@pytest.mark.compiled
def test_the_lines_for_python_run_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"<!-- python -->\n```python\n(.*?)```\n<!-- /python -->", README, re.DOTALL)
    assert block
    lines = [line for line in block[1].splitlines() if line]
    assert len(lines) <= 10
    found: dict[str, Any] = {}
    for line in lines:
        exec(line, found)
    assert "fair+late" in capsys.readouterr().out
    assert found["figure"].data
    assert set(found["loads"].load) == {0.4, 0.8}
    assert found["flowtimes"]["fair+late"].shape == found["shares"].shape


@pytest.mark.compiled
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_for_the_shell_runs(example: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    few = ["--replications", "2"] if example.startswith("sim run") else []  # the last one is taken
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(example), *few],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or len(list(tmp_path.iterdir())) > 1
