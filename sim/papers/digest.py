"""A digest of all that an outcome depends on: if it changes, the recorded number is stale.

Of the code behind a claim counts what is computed: its function and all definitions of the claims that this
reaches. What they are called, in which files and in which order they stand, does not matter, nor do
docstrings, annotations and comments. Of a preset counts its scenario. The engines are not in it: that they
still give the same numbers is found by computing them again.
"""

from __future__ import annotations

import ast
import dis
import hashlib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import CodeType
from typing import Any

from sim.papers.claim import Claim
from sim.papers.picture import Picture

PACKAGE = "sim.papers"
#: What is said of a result in calls of a module; nothing of it is computed with.
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
SILENT = {f"{PACKAGE}.{name}" for name in ("claim", "picture", "reproduce", "digest", "record")}


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
    return _sixteen((of.key, repr(judged), _call(compute)))


def _sixteen(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _call(of: Any) -> str:
    """Return what stands for a function with what it is given, or for a value that it is given."""
    if isinstance(of, partial):
        return f"{_call(of.func)}{[*map(_call, of.args)]}{[(k, _call(v)) for k, v in of.keywords.items()]}"
    if callable(of):
        return resolved(of.__module__, of.__qualname__)
    return _preset(of) if isinstance(of, str) else repr(of)


def _preset(text: str) -> str:
    """Return a text; if it is the name of a preset, with its scenario."""
    from sim.engines.registry import PRESETS

    return f"{text!r} {PRESETS[text].scenario!r}" if text in PRESETS else repr(text)


@cache
def resolved(module: str, name: str) -> str:
    """Return what stands for a name in a module: a digest if the claims define it, else the name.

    Examples
    --------
    >>> resolved("sim.papers.runs", "np"), resolved("sim.papers.runs", "student")
    ('np', 'student')
    >>> len(resolved("sim.papers.runs", "largest"))
    16
    """
    if not module.startswith(PACKAGE) or module in SILENT:
        return name
    defined, imported = _names(module)
    if name in defined:
        return _sixteen([shape(_Resolved(module, name, defined[name]).node)])
    return resolved(*imported[name]) if name in imported else name


@cache
def _names(module: str) -> tuple[Mapping[str, ast.AST], Mapping[str, tuple[str, str]]]:
    """Return what a module defines, and where what it imports is from, in functions too."""
    defined: dict[str, ast.AST] = {}
    for node in _tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.AnnAssign) and node.value:
            defined[ast.unparse(node.target)] = node.value
        elif isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                defined |= dict(zip(map(ast.unparse, target.elts), value.elts, strict=True))
            else:
                defined[ast.unparse(target)] = value
    imported: dict[str, tuple[str, str]] = {}
    for found in ast.walk(_tree(module)):
        for one in found.names if isinstance(found, ast.ImportFrom) else ():
            name, source = one.asname or one.name, (str(found.module), one.name)  # type: ignore[attr-defined]
            if imported.setdefault(name, source) != source or name in defined:
                raise ValueError(f"{module}: {name} is the name of several things")
    return defined, imported


class _Resolved(ast.NodeTransformer):
    """Puts what it stands for in place of each global name; leaves out what computes nothing."""

    def __init__(self, module: str, name: str, node: ast.AST) -> None:
        self.module, self.name = module, name
        bare = _Bare().visit(deepcopy(node))
        self.globals = _globals(bare)
        if isinstance(bare, ast.FunctionDef | ast.ClassDef):
            bare.name = ""
        self.node = self.visit(bare)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id not in self.globals:
            return node
        return ast.Name("itself" if node.id == self.name else resolved(self.module, node.id))

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(_preset(node.value)) if isinstance(node.value, str) else node


class _Bare(ast.NodeTransformer):
    """Leaves out docstrings, annotations and imports."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.body = [one for one in node.body if not _is_silent(one)] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        if isinstance(node, ast.arg):
            node.annotation = None
        return node


def _globals(node: ast.AST) -> set[str]:
    """Return the names that a definition reads and does not bind itself, as Python compiles it."""
    is_value = isinstance(node, ast.expr)
    whole = ast.Expression(node) if is_value else ast.Module([node], [])  # type: ignore[arg-type, list-item]
    with _PARSING:
        left = [compile(ast.fix_missing_locations(whole), "", "eval" if is_value else "exec")]
    found: set[str] = set()
    while left:
        code = left.pop()
        read = (one for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
        found |= {one.argval for one in read}
        left += [one for one in code.co_consts if isinstance(one, CodeType)]
    return found


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
