"""Run the tests that a change can break: ``python -m tests.near FILE...``; without files, since the commit.

A test file is near a file if it imports it, itself or through others, or opens a page that does. Of test
files that go through all pages, the cases of those pages are run. ``--list`` names the test files, the
nearest first, and does not run them. Other arguments are pytest's.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from pages.frame.menu import entries
from tests.test_structure import ROOT, modules, needed

#: A registry by its module and name, and a package that imports the files it lists.
REGISTRY, LISTED = re.compile(r'"([\w.]+):\w+"'), 'import_module(f"{__name__}.'


@cache
def sources() -> dict[str, str]:
    """Return module -> its source, of the product and of the tests."""
    files = modules() | {module_of(path): path for path in (ROOT / "tests").rglob("*.py")}
    return {name: path.read_text("utf-8") for name, path in files.items()}


@cache
def needs() -> dict[str, set[str]]:
    """Return module -> the modules that it needs, be it by a registry or by the list of a package."""
    texts, found = sources(), {}
    for name, text in texts.items():
        below = {one for one in texts if one.startswith(f"{name}.")} if LISTED in text else set()
        found[name] = (needed(text, texts) | below | {*REGISTRY.findall(text)} & texts.keys()) - {name}
    return found


@cache
def opened(source: str) -> set[str]:
    """Return the names of pages in a source.

    Examples
    --------
    >>> opened('visit("compare", load="0.5")')
    {'compare'}
    """
    nodes = ast.walk(ast.parse(source))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {entry.name for entry in entries()} & texts


def upwards(changed: Iterable[str], needs: Mapping[str, set[str]]) -> list[str]:
    """Return the changed modules and all that need them, the nearest first.

    Examples
    --------
    >>> upwards(["a"], {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"a"}, "e": set()})
    ['a', 'b', 'd', 'c']
    """
    users: dict[str, set[str]] = {}
    for name, modules_needed in needs.items():
        for one in modules_needed:
            users.setdefault(one, set()).add(name)
    found: dict[str, None] = {}
    news = {*changed}
    while news:
        found |= dict.fromkeys(sorted(news))
        news = {name for one in news for name in users.get(one, ())} - found.keys()
    return [*found]


def near(changed: Iterable[str]) -> tuple[list[str], list[str], set[str]]:
    """Return the test files near changed modules, those that go through all pages, and the pages near."""
    texts = sources()
    found = upwards(changed, needs())
    # what a page, or the tabs of one, are drawn by
    scripts = [f"{one.rpartition('.')[0]}." for one in found if one.endswith((".page", ".head"))]
    pages = {
        entry.name
        for entry in entries()
        if any(one.startswith(entry.package) for one in found)
        or any(f"{entry.package}.".startswith(one) for one in scripts)
    }
    tests = {name: text for name, text in texts.items() if name.startswith("tests.")}
    through = [name for name, text in tests.items() if "entries()" in text]
    visiting = [name for name in sorted(tests) if "tests.pages.visits" in needs()[name]]
    named = [name for name in visiting if opened(texts[name]) & pages]
    there = [name for name in dict.fromkeys([*found, *named]) if name not in through]
    return files_of(there), files_of(through if pages else [name for name in through if name in found]), pages


def files_of(names: Iterable[str]) -> list[str]:
    """Return the files of those modules that hold tests.

    Examples
    --------
    >>> files_of(["tests.samples", "tests.sim.test_laws"])
    ['tests/sim/test_laws.py']
    """
    return [f"{name.replace('.', '/')}.py" for name in names if name.rpartition(".")[2].startswith("test_")]


def changed_files() -> list[Path]:
    """Return the files that differ from the last commit, or are not in it."""
    line = ["git", "status", "--porcelain", "--no-renames", "-uall"]
    told = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for one in told.splitlines() if (path := ROOT / one[3:]).is_file()]


def module_of(file: Path) -> str:
    """Return the module of a file; of prose, its reader.

    Examples
    --------
    >>> module_of(ROOT / "sim" / "model" / "laws.py"), module_of(ROOT / "pages" / "logs" / "__init__.py")
    ('sim.model.laws', 'pages.logs')
    """
    parts = file.relative_to(ROOT).with_suffix("").parts
    if parts[:2] == ("sim", "content"):
        return "sim.telling.content"
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def main(arguments: list[str]) -> int:
    """Run the tests, or list them; return pytest's code."""
    files = [Path(one).resolve() for one in arguments if Path(one).is_file()]
    others = [one for one in arguments if not Path(one).is_file() and one != "--list"]
    there, through, pages = near(map(module_of, files or changed_files()))
    some = ["-k", " or ".join(sorted(pages))] if pages else []
    print(f"{len(there)} test files, and {len(through)} for all pages {' '.join(some)}", file=sys.stderr)
    if "--list" in arguments:
        print("\n".join([*there, *through]))
        return 0
    whole = [sys.executable, "-m", "pytest", "-q", *others]
    runs = [[*whole, *there]] * bool(there) + [[*whole, *some, *through]] * bool(through)
    codes = [subprocess.run(run, cwd=ROOT).returncode for run in runs]
    return max((code for code in codes if code != 5), default=0)  # 5: of these, none is run usually


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
