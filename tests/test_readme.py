"""The commands of the README work, and are those that CI runs."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sim
from docs import take_pictures

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
PICTURES = re.findall(r"docs/pictures/([\w-]+)\.webp", README)
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
    assert set(found["loads"].load) == {0.4, 0.8}


@pytest.mark.compiled
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_for_the_shell_runs(example: str, tmp_path: Path) -> None:
    for name in ("examples", "sim/logs/samples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    few = ["--replications", "2"] if example.startswith("sim run") else []  # the last one is taken
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(example), *few],
        cwd=tmp_path,  # where no module of ours is: `sim/` there holds samples only
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or len(list(tmp_path.iterdir())) > 1


@pytest.mark.compiled
def test_the_first_line_for_the_shell_prints_intervals() -> None:
    command = [sys.executable, "-m", *shlex.split(EXAMPLES[0])]
    table = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rows = [line for line in table.splitlines() if line.startswith(("fair+late", "hopper"))]
    assert [row.count(" ± ") for row in rows] == [4, 4]  # mean, median, p95 and resource
    assert "unreliable" not in table


def test_the_changelog_is_short_and_begins_with_this_version() -> None:
    parts = re.split(r"^## \[", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    assert all(len(part.splitlines()) <= 40 for part in parts)
    assert [part.partition("]")[0] for part in parts][:2] == ["Unreleased", sim.__version__]


def test_the_readme_is_a_page() -> None:
    assert len(README.splitlines()) <= 150
    assert len(README.split()) <= 1200


@pytest.mark.parametrize("page", sorted({name.rpartition("-")[0] for name in PICTURES}))
def test_a_picture_shows_the_controls_that_its_page_has_today(page: str) -> None:
    kept = json.loads(take_pictures.CONTROLS.read_text(encoding="utf-8"))
    assert kept[page] == take_pictures.declared(page), "take it anew: python -m docs.take_pictures"


def test_a_control_with_another_label_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = take_pictures.declared("compare")
    panel = importlib.import_module("pages.compare.controls").PANEL
    other = dataclasses.replace(panel.controls["load"], label="Another label")
    monkeypatch.setitem(panel.controls, "load", other)
    assert kept != take_pictures.declared("compare")


def test_pictures_are_small_and_each_has_its_script() -> None:
    files = {path.stem: path for path in take_pictures.FOLDER.glob("*.webp")}
    assert set(files) == set(PICTURES)
    assert files.keys() <= {
        f"{page}-{theme}" for page in take_pictures.PAGES for theme in take_pictures.THEMES
    }
    assert all(path.stat().st_size <= take_pictures.MOST_BYTES for path in files.values())
