"""A digest of all that an outcome depends on: if it changes, the recorded number is stale.

Of the sources behind a claim counts what is computed, not what is said of it: docstrings, comments and the
sentences of a claim may be put better without computing anything anew. Of a preset counts its scenario.
The engines are not in it: that they still give the same numbers is found by computing them again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from sim.papers.claim import Claim
from sim.papers.picture import Picture

PACKAGE = "sim.papers"
#: What a claim says; nothing of it is computed with.
SAID = {
    "taken",
    "statement",
    "setting",
    "method",
    "because",
    "paper",
    "place",
    "title",
    "about",
    "unit",
    "marks",
    "panels",
}
#: Fields of a syntax tree that say nothing more.
ABOUT = {"ctx", "kind", "type_comment"}
#: Modules of `PACKAGE` that compute nothing.
SILENT = {
    f"{PACKAGE}.{name}" for name in ("claim", "picture", "reproduce", "digest", "record", "check", "reasons")
}


def digest(of: Claim | Picture) -> str:
    """Return sixteen digits that change when the claim's rule or the computation behind it does.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from sim.papers import CLAIMS
    >>> claim = CLAIMS["xl-fig4-alpha2"]
    >>> digest(claim) == digest(replace(claim, statement="Said better."))
    True
    >>> digest(claim) == digest(replace(claim, reported=1.8))
    False
    """
    compute = of.compute if isinstance(of, Claim) else of.draw
    judged = (of.reported, of.region, of.shape) if isinstance(of, Claim) else ()
    parts = [of.key, repr(judged), _called(compute)]
    for module in sorted(_behind(_function(compute).__module__)):
        parts.append(computed(module))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _function(compute: Callable[..., Any]) -> Any:
    return compute.func if isinstance(compute, partial) else compute


def _called(compute: Callable[..., Any]) -> str:
    """Return a function's name with what it is given."""
    given = (compute.args, compute.keywords) if isinstance(compute, partial) else ()
    shown = [getattr(one, "__qualname__", repr(one)) for part in given[:1] for one in part]
    return f"{_function(compute).__qualname__}{shown}{given[1:] or ''}"


@cache
def _behind(name: str) -> frozenset[str]:
    """Return the modules of the claims that a module needs, itself included."""
    found, open_ = set(), {name}
    while open_:
        here = open_.pop()
        found.add(here)
        open_ |= {one for one in _imported(here) if one not in found}
    return frozenset(found - SILENT)


def _imported(name: str) -> Iterator[str]:
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            yield node.module or ""


#: Two threads that parse at a time end in a SystemError in Python 3.11.
_PARSING = Lock()


@cache
def _tree(name: str) -> ast.Module:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ValueError(f"{name}: has no source")
    with _PARSING:
        return ast.parse(Path(found.origin).read_text(encoding="utf-8"))


@cache
def computed(name: str) -> str:
    """Return what a module computes, and the scenarios of the presets it names."""
    from sim.engines.registry import PRESETS

    tree = deepcopy(_tree(name))
    words = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [one for one in node.keywords if one.arg not in SAID]
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            node.body = [one for one in node.body if not _is_silent(one)] or [ast.Pass()]
    scenarios = [repr(PRESETS[one].scenario) for one in sorted(words & set(PRESETS))]
    return "\n".join([shape(tree), *scenarios])


def shape(node: Any) -> str:
    """Return what a syntax tree says, the same for every Python: `ast.dump` is another one with each version.

    Examples
    --------
    >>> shape(ast.parse("f(1, y)", mode="eval"))
    "Expression(body=Call(func=Name(id='f'), args=[Constant(value=1), Name(id='y')]))"
    """
    if isinstance(node, list):
        return f"[{', '.join(map(shape, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    parts = [
        f"{name}={shape(part)}"
        for name, part in ast.iter_fields(node)
        if part not in (None, []) and name not in ABOUT
    ]
    return f"{type(node).__name__}({', '.join(parts)})"


def _is_silent(node: ast.stmt) -> bool:
    """Tell whether a statement computes nothing: a text, or an import, whose module counts on its own."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Import | ast.ImportFrom)
