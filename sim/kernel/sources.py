"""The source files on which compiled code of other files depends, read from their imports.

Numba compiles a cached function anew when its own file has changed. It does not look at the files of the
functions that it calls, nor at those of the constants that it holds: these are the files named here. A
file that no other compiled code needs, such as that of a rule or of an engine's loop, is not among them.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What is imported when a file is: an import in a function, or for the sake of types, is indented.
IMPORT = re.compile(r"^from ((?:sim|theory)[\w.]*) import (\([^)]*\)|[^\n#]*)", re.MULTILINE)
USES_NUMBA = re.compile(r"^(?:import|from) numba\b", re.MULTILINE)
DECORATOR = re.compile(r"^@(\w+)", re.MULTILINE)


def fingerprint(root: Path = ROOT) -> bytes:
    """Return a digest of the names and contents of `shared_sources`."""
    state = hashlib.sha256()
    for path in shared_sources(root):
        state.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return state.digest()


def shared_sources(root: Path = ROOT) -> list[Path]:
    """Return the files that compiled code of other files depends on, sorted.

    A file holds compiled code if it uses Numba, or decorates a function with what such a file has. Other
    compiled code depends on it if it imports anything from it. From any other file it can take constants
    only, which are written in capitals.
    """
    paths = sorted(path for pattern in ("sim/**/*.py", "theory/**/*.py") for path in root.glob(pattern))
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    modules = {path.relative_to(root).with_suffix("").as_posix().replace("/", "."): path for path in paths}
    imports = {path: _imports(modules, text) for path, text in sources.items()}
    users = {path for path, text in sources.items() if USES_NUMBA.search(text)}
    compiled = users | {
        path
        for path, text in sources.items()
        if any(imports[path].get(name) in users for name in DECORATOR.findall(text))
    }
    shared: set[Path] = set()
    waiting = list(compiled)
    while waiting:
        path = waiting.pop()
        needed = {file for name, file in imports[path].items() if file in compiled or name.isupper()}
        waiting += needed - shared - compiled
        shared |= needed - {path}
    return sorted(shared)


def _imports(modules: dict[str, Path], source: str) -> dict[str, Path]:
    """Return name -> file it is imported from, for names from our own packages."""
    found = {}
    for module, listed in IMPORT.findall(source):
        for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", listed)):
            for known in (f"{module}.{name}", module, f"{module}.__init__"):
                if known in modules:
                    found[name] = modules[known]
                    break
    return found
