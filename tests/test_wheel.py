"""A wheel holds every file of its packages and of the app; installed elsewhere, it runs and serves all."""

from __future__ import annotations

import asyncio
import glob
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from pages.lessons import FILES as LESSONS
from sim.logs.samples import FLEET
from sim.shell.verbs import parser
from tests.benchmarks.sessions import Visitor

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("sim", "theory")
PATTERNS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
ERRATA = ("aktas-soljanin", "dolly", "hopper", "xu-lau")
PROSE = [*(f"errata/{name}.md" for name in ERRATA), *(f"lessons/{name}.md" for name in LESSONS)]
#: A data file -> what reads it, and prints how much there is.
READERS = {
    "sim/content/claims.toml": "from sim.papers import CLAIMS; print(len(CLAIMS))",
    **{
        f"sim/content/{name}": (
            f"from sim.telling.content import FOLDER, read; print(len(read(FOLDER / '{name}').parts))"
        )
        for name in PROSE
    },
    "sim/content/certificate.json": (
        "from sim.advice.whatif.certificate import certificate; print(certificate().promises)"
    ),
    "sim/content/engine.json": "from sim.shell.wasm import shipped; print(len(shipped().wasm))",
    "sim/content/fields.toml": "from sim.shell.mcp.fields import FIELDS; print(len(FIELDS))",
    "sim/content/settings.toml": "from sim.advice.whatif.advised import families; print(len(families()))",
    "sim/content/figures.toml": "from sim.papers.picture import SAID; print(len(SAID))",
    "sim/papers/curves.json": "from sim.papers.record import CURVES, recorded; print(len(recorded(CURVES)))",
    "sim/papers/results.json": "from sim.papers.record import recorded; print(len(recorded()))",
    "sim/running/compile_times.json": (
        "from sim.running.compiled import recorded; print(len(recorded('slots')))"
    ),
    "sim/engines/gang/learning/curve.json": (
        "import json; from sim.engines.gang.learning.network import CURVE; "
        "print(len(json.loads(CURVE.read_text())))"
    ),
    "sim/engines/gang/learning/network.json": (
        "from sim.engines.gang.learning.network import read_network; print(len(read_network().rates))"
    ),
    "sim/telling/glossary.toml": "from sim.telling.glossary import TERMS; print(len(TERMS))",
    "sim/running/live/first_answers.zip": (
        "from sim.running.live.request import Records; print(len(Records().names))"
    ),
    "sim/map/shipped.json": "from sim.map.shipped import shipped; print(len(shipped().squares))",
    "sim/engines/presets.toml": "from sim.engines.registry import PRESETS; print(len(PRESETS))",
    "sim/telling/document.jinja": "from sim.telling.document import as_html; print(len(as_html('', ())))",
    "sim/logs/samples/spark_with_speculation.zstd": (
        "from sim.logs.samples import spark; print(len(spark(speculation=True).data))"
    ),
    "sim/logs/samples/spark_without_speculation.zstd": (
        "from sim.logs.samples import spark; print(len(spark(speculation=False).data))"
    ),
    **{
        f"sim/logs/samples/run_{run}.parquet": (
            f"from sim.logs.samples import before_after; print(len(before_after({run}).data))"
        )
        for run in (1, 2, 3, 4)
    },
    **{
        f"sim/logs/samples/applications/{name}.parquet": (
            f"from sim.logs.samples import fleet; print(len(fleet('{name}').data))"
        )
        for name in FLEET
    },
}
#: A command -> what it is asked here, of LOG and RULES in the working directory.
COMMANDS = {
    "theory": "pareto_moment x_m=1 a=2.5",
    "sim run": "--preset small --replications 2",
    "sim sweep": "--preset small --vary load=0.5,0.6 --replications 2",
    "sim map": "--preset small --x load=0.5,0.6 --y beta=1.4,1.6 --replications 2 --full",
    "sim reproduce": "",
    "sim trace": "LOG",
    "sim whatif": "LOG",
    "sim check-advice": "LOG spark.speculation.quantile=0.5",
    "sim wait": "--done 12,13,11,14,12 --running 95",
    "sim fleet": "LOG --compute 0",
    "sim rollouts": "--awaited 8 --law exponential --mean 60",
    "sim repeated": "LOG LOG",
    "sim after": "LOG LOG",
    "sim gate": "LOG LOG --fail-if mean>+10%",
    "sim mcp": "",
    "sim check": "RULES",
    "sim export": "lessons site",
    "sim compile": "gang",
    "sim presets": "",
    "sim policies": "",
    "sim fields": "",
}
#: Commands that refuse what they are asked here, whether always, and the end of what they say.
REFUSED = {
    "sim check": (True, "give a function with @next_check of sim.engines.slots.signatures"),  # RULES has none
    "sim mcp": (False, "install it with: pip install '.[mcp]'"),
    "sim export": (False, "install it with: pip install '.[export]'"),
    "sim repeated": (True, "'LOG' is the run of 'LOG'; give another run"),
}
#: Commands that end with another status than 0: a gate that cannot tell.
STATUS = {"sim gate": 3}
LOG = "from sim.logs.samples import spark; open('LOG', 'wb').write(spark(speculation=True).data)"


def files() -> set[str]:
    """Return every file of the packages, but for what Python leaves behind."""
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()]
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def app_files() -> set[str]:
    """Return every file that serves the app."""
    found = [path for path in (ROOT / "pages").rglob("*") if path.is_file()]
    names = {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}
    return names | {"app.py", ".streamlit/config.toml"}


def data_files() -> set[str]:
    return {name for name in files() if not name.endswith(".py")}


def forgotten(names: set[str], patterns: Mapping[str, Sequence[str]], root: Path = ROOT) -> set[str]:
    """Return the data files that no pattern of their package takes, as setuptools reads patterns."""
    taken = set()
    for package in {(root / name).parent for name in names}:
        place = package.relative_to(root)
        for pattern in (*patterns.get("*", ()), *patterns.get(".".join(place.parts), ())):
            taken |= {(place / name).as_posix() for name in glob.glob(pattern, root_dir=package)}
    return names - taken


def test_no_data_file_is_forgotten() -> None:
    assert len(data_files()) >= 7
    assert forgotten(data_files(), PATTERNS) == set()


def test_a_file_that_would_be_forgotten_is_named(tmp_path: Path) -> None:
    for name in ("sim/__init__.py", "sim/one.toml", "sim/.hidden", "sim/folder/two.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    names = {"sim/one.toml", "sim/.hidden", "sim/folder/two.json"}
    assert forgotten(names, PATTERNS, tmp_path) == {"sim/.hidden"}
    assert forgotten(names, {"sim": ["*.json"]}, tmp_path) == names
    listed = {
        "sim.papers": ["results.json"],
        "sim.map": ["*"],
        "sim.engines.gang.learning": ["*"],
        "*": ["*.zstd", "*.parquet", "*.toml"],
    }
    assert forgotten(data_files(), listed) == {
        *(f"sim/content/{name}" for name in (*PROSE, "certificate.json", "engine.json")),
        "sim/papers/curves.json",
        "sim/running/compile_times.json",
        "sim/running/live/first_answers.zip",
        "sim/telling/document.jinja",
    }


def test_every_data_file_has_a_reader_and_every_command_is_asked() -> None:
    assert data_files() == set(READERS)
    (actions,) = (one for one in parser()._actions if one.choices)
    assert {"theory", *(f"sim {name}" for name in actions.choices or ())} == set(COMMANDS)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel in a copy, in which Python has left something behind."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*app_files(), "deploy/wheel.py"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for place in ("sim", "pages"):
        (source / place / "__pycache__").mkdir()
        (source / place / "__pycache__" / "left.pyc").touch()
    (source / ".streamlit" / "secrets.toml").touch()
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", built, source], check=True)
    (found,) = built.iterdir()
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the wheel; it finds what that needs where the tests do."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    inside = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", inside))
    needed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "needed.pth").write_text("\n".join(needed))  # no .pth of theirs is read, so not the checkout
    python = Path(sysconfig.get_path("scripts", "venv", inside)) / Path(sys.executable).name
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, wheel], check=True)
    return python


def ran(python: Path, words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.wheel
def test_the_wheel_has_the_files_of_the_packages_and_of_the_app_and_no_others(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == files() | {f"straggler_lab/{name}" for name in app_files()}


@pytest.mark.wheel
@pytest.mark.parametrize("name", READERS)
def test_an_installed_data_file_is_read(name: str, installed: Path, tmp_path: Path) -> None:
    place = f"import sim; assert sim.__file__.startswith({str(installed.parents[1])!r}), sim.__file__; "
    done = ran(installed, ["-c", place + READERS[name]], tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


@pytest.mark.wheel
@pytest.mark.parametrize("command", COMMANDS)
def test_an_installed_command_runs(command: str, installed: Path, tmp_path: Path) -> None:
    if "LOG" in COMMANDS[command]:
        assert ran(installed, ["-c", LOG], tmp_path).returncode == 0
    rules = (ROOT / "examples" / "oldest_first.py").read_text()
    (tmp_path / "RULES").write_text(rules.replace("@next_check\n", ""))
    done = ran(installed, ["-m", *f"{command} {COMMANDS[command]}".split()], tmp_path)
    always, said = REFUSED.get(command, (False, ""))
    if always or (said and done.returncode):
        assert (done.returncode, done.stderr.strip()[-len(said) :]) == (2, said), done.stderr
    else:
        assert done.returncode == STATUS.get(command, 0), done.stderr
        assert done.stdout or said


@pytest.mark.wheel
def test_the_installed_command_serves_the_app_and_opens_it(installed: Path, tmp_path: Path) -> None:
    """Compare follows a run, and another process computes a map: it has to find the pages, too."""
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            [installed.parent / "straggler-lab", "--open", "threshold?v=1"],
            cwd=tmp_path,
            env=environment | {"BROWSER": f"{browser} %s"},
            stdout=log,
            stderr=log,
        )
    try:
        deadline = time.monotonic() + 300
        while not opened.exists():
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.1)
        url, page = opened.read_text().strip().rsplit("/", 1)
        assert page == "threshold?v=1"
        for page, query in (("compare", "v=1"), ("threshold", "v=1"), ("map", "v=1&seed=2")):
            asyncio.run(visited(url.replace("http", "ws"), page, query))
    finally:
        server.terminate()
        server.wait(30)
    said = (tmp_path / "log").read_text()
    assert f"straggler-lab: {url}/threshold?v=1" in said
    assert "Traceback" not in said


async def visited(base: str, page: str, query: str) -> None:
    async with Visitor(base, page, query) as visitor:
        visitor.charts_wanted = 1
        visitor.patience = 600
        await visitor.visit()
        assert not visitor.errors


@pytest.mark.wheel
def test_the_installed_command_has_the_verbs_of_sim(installed: Path, tmp_path: Path) -> None:
    done = [
        subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for words in (
            [installed.parent / "straggler-lab", "policies"],
            [installed, "-m", "sim", "policies"],
        )
    ]
    assert done[0] == done[1] > ""
