"""Generates parts of the documents from the code: options, rules, fields, formulas, errata, papers.

A document has a mark ``<!-- generated: NAME -->`` and its end ``<!-- /generated -->``. When the site is
built, `filled` puts the part of that name between them; the file in the repository stays as it is.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from importlib import import_module
from typing import Any

import sim
from pages.errata.words import PAPERS as ERRATA
from pages.errata.words import found
from pages.frame.browser import panels
from pages.frame.menu import entries
from pages.shared.controls.control import Control
from sim.engines.registry import ENGINES
from sim.logs.formats import FORMATS
from sim.shell import app
from sim.shell.verbs import main, parser
from theory import CHAPTERS
from theory.__main__ import USAGE
from theory.calculator import usage
from theory.papers import PAPERS, Paper

MARK = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- /generated -->", re.DOTALL)
#: Words of a chapter's reference -> the paper's key; a chapter without one is of general use.
TITLES = {
    "Speculation-aware Cluster Scheduling": "hopper-note",
    "Decentralized Speculation-aware": "hopper",
    "Optimization for Speculative Execution": "xu-lau",
    "Learning Effective Straggler Mitigation": "aktas-soljanin",
    "let resources idle": "dolly",
}
#: What the functions of `sim` return, or raise, with the methods to call.
RESULTS = (
    "sim.running.library.ComparisonResult",
    "sim.model.result.Comparison",
    "sim.running.library.Sweep",
    "sim.advice.diagnosis.library.DiagnosisResult",
    "sim.advice.whatif.library.WhatIfResult",
    "sim.advice.whatif.second_opinion.SecondOpinion",
    "sim.advice.several.report.AfterResult",
    "sim.advice.fleet.library.FleetResult",
    "sim.advice.waiting.library.WaitResult",
    "sim.model.fields.BadInput",
)


def filled(text: str) -> str:
    """Return a document with every generated part in its place."""
    return MARK.sub(lambda mark: PARTS[mark[1]](), text)


def shell() -> str:
    """Return the options of the program and of every action, from the parsers, and the calculator."""
    actions = next(one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in actions._choices_actions}
    starts = app.parser()
    parts = ["## straggler-lab", f"{starts.description} {starts.epilog}", _options(starts)]
    parts.append("## python -m sim")
    for name, one in actions.choices.items():
        parts += [f"### `{name}`", f"{_sentence(about[name])}", _options(one)]
    parts += ["## python -m theory", f"```text\n{USAGE.rstrip()}\n```"]
    return "\n\n".join(parts)


def _options(one: argparse.ArgumentParser) -> str:
    """Return the options of a parser as a table."""
    rows = [(_spelt(option), _help(option)) for option in one._actions if option.dest != "help"]
    return _table(("option", "meaning"), rows)


def _spelt(option: argparse.Action) -> str:
    """Return how an option is written, with the name of its value."""
    value = option.metavar or ("" if option.nargs == 0 else option.dest.upper())
    value = " ".join(value) if isinstance(value, tuple) else value
    if not option.option_strings:
        return f"`{value if option.metavar else option.dest}`"
    return ", ".join(f"`{word} {value}`".replace(" `", "`") for word in option.option_strings)


def _help(option: argparse.Action) -> str:
    """Return what an option does, and what it may be."""
    text = (option.help or "") % {"default": option.default, "prog": "python -m sim"}
    return f"{text} (one of {', '.join(map(str, option.choices))})" if option.choices else text


def fields() -> str:
    """Return the fields of the scenario of each engine."""
    parts = []
    for engine in ENGINES:
        rows = [
            (f"`{name}`", f"`{one['default']}`", one["unit"], one["accepted"], one["text"])
            for name, one in _listed("fields", "--engine", engine).items()
        ]
        parts += [f"## Engine `{engine}`", _table(("field", "default", "unit", "accepted", "meaning"), rows)]
    return "\n\n".join(parts)


def presets() -> str:
    """Return the presets with their questions and policies."""
    rows = [
        (
            f"`{name}`",
            one["title"],
            one["engine"],
            one["question"],
            " ".join(f"`{p}`" for p in one["policies"]),
        )
        for name, one in _listed("presets").items()
    ]
    return _table(("preset", "title", "engine", "question", "policies"), rows)


def policies() -> str:
    """Return the rules of each engine with their parameters."""
    parts = []
    for engine in ENGINES:
        parts.append(f"## Engine `{engine}`")
        for kind, rules in _listed("policies", "--engine", engine).items():
            parts.append(f"### {_sentence(kind)[:-1]}")
            for key, one in rules.items():
                source = f" *{one['reference']}.*" if one["reference"] else ""
                parts.append(f"`{key}` — **{one['title']}**: {one['summary']}.{source}")
                rows = [
                    (f"`{name}`", f"`{p['default']:g}`", p["unit"], p["accepted"], p["text"])
                    for name, p in one["parameters"].items()
                ]
                if rows:
                    parts.append(_table(("parameter", "default", "unit", "accepted", "meaning"), rows))
    return "\n\n".join(parts)


def links() -> str:
    """Return the controls of each page, as a link names them."""
    parts = []
    for name, panel in panels().items():
        entry = next(one for one in entries() if one.name == name)
        rows = [
            (_called(control), control.label, _default(control.default), control.about)
            for control in panel.controls.values()
        ]
        parts += [
            f"## {entry.title}: `/{entry.name}`",
            _table(("name", "control", "default", "meaning"), rows),
        ]
    return "\n\n".join(parts)


def _called(control: Control) -> str:
    """Return the name of a control in links, with the one that older links have."""
    return f"`{control.link}`" + (f", before: `{control.name}`" if control.symbol else "")


def _default(value: Any) -> str:
    """Return a default as a cell: nothing where there is none, the number of entries of a long list."""
    if value in ("", None, (), []):
        return ""
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return f"`{text}`" if len(text) <= 40 else "see the page"


def formats() -> str:
    """Return the readers of logs in the order in which they are tried."""
    return _table(("key", "log"), [(f"`{one.KEY}`", one.TITLE) for one in FORMATS])


def knows() -> str:
    """Return what each format tells, and what its system can do."""
    names = {
        "order": "order of stages",
        "submission": "submission",
        "launch": "launch",
        "start": "start of work",
        "read": "size read",
        "written": "size written",
        "hosts": "hosts",
        "slots": "slots",
        "profile": "profile",
        "copies": "second copies",
        "again": "runs again",
    }
    rows = []
    for one in FORMATS:
        cells = asdict(one.KNOWS)
        cells["copies"] = f"`{one.KNOWS.how}`" if one.KNOWS.how else cells["copies"]
        rows.append((f"`{one.KEY}`", *(cells[name] for name in names)))
    return _table(("key", *names.values()), rows)


def papers() -> str:
    """Return the papers as a list, with their formulas."""
    lines = []
    for key, one in PAPERS.items():
        address = f" <{one.address}>" if one.address else ""
        names = [f"`{name}`" for chapter in _chapters(key) for name in CHAPTERS[chapter]]
        formulas = f"\n\n  Formulas: {', '.join(names)}." if names else ""
        lines.append(f"- {one.cited()}{address}{formulas}")
    return "\n".join(lines)


def theory() -> str:
    """Return the formulas by paper, chapter by chapter, from their docstrings."""
    parts = []
    for key, title in [*((key, one.title) for key, one in PAPERS.items()), ("", "Tools of all papers")]:
        chapters = _chapters(key)
        if not chapters:
            continue
        parts.append(f"## {title}")
        if key:
            parts.append(f"{PAPERS[key].cited()} {f'<{PAPERS[key].address}>' if PAPERS[key].address else ''}")
        for chapter in chapters:
            parts += [f"### {_title(chapter)}", f"```{{eval-rst}}\n{_described(chapter)}\n```"]
    return "\n\n".join(parts)


def _described(chapter: str) -> str:
    """Return a chapter in reStructuredText: what it is about, then its functions and what they return."""
    module = import_module(f"theory.{chapter}")
    about = (inspect.getdoc(module) or "").partition("\n")[2].strip()
    returned = [
        one
        for one in vars(module).values()
        if inspect.isclass(one) and one.__module__ == module.__name__ and not one.__name__.startswith("_")
    ]
    lines = [about, "", ".. currentmodule:: theory", ""]
    for name in CHAPTERS[chapter]:
        lines += [
            f".. autofunction:: {name}",
            "",
            f"   Shell: ``{f'python -m theory {name} {usage(name)}'.rstrip()}``",
            "",
        ]
    for one in returned:
        lines += [f".. autoclass:: theory.{chapter}.{one.__name__}", "   :members:", ""]
    return "\n".join(lines)


def _title(chapter: str) -> str:
    """Return the first line of a chapter's docstring, which says what it is about."""
    first = (inspect.getdoc(import_module(f"theory.{chapter}")) or "").partition("\n")[0].rstrip(".")
    return re.sub(r":math:`([^`]*)`", r"$\1$", first).replace("``", "`")


def _chapters(key: str) -> list[str]:
    """Return the chapters of a paper; of no paper those that name none."""
    return [chapter for chapter in CHAPTERS if _paper(chapter) == key]


def _paper(chapter: str) -> str:
    """Return the key of the first paper that a chapter names in its reference, or nothing."""
    text = " ".join((inspect.getdoc(import_module(f"theory.{chapter}")) or "").split())
    named = text.partition("Reference:")[2]
    places = [(named.index(title), key) for title, key in TITLES.items() if title in named]
    return min(places)[1] if places else ""


def python() -> str:
    """Return what `import sim` offers, and what comes back."""
    lines = [".. currentmodule:: sim", ""]
    for name in sim.__all__:
        if callable(getattr(sim, name)):
            lines += [f".. autofunction:: {name}", ""]
    results = []
    for one in RESULTS:
        results += [f".. autoclass:: {one}", "   :members:", "   :show-inheritance:", ""]
    version = f"`sim.__version__` is the version, here `{sim.__version__}`."
    rst = "```{{eval-rst}}\n{}\n```"
    return "\n\n".join(
        ["## Functions", version, rst.format("\n".join(lines)), "## Results", rst.format("\n".join(results))]
    )


def errata() -> str:
    """Return the findings of all papers, with their instances computed now."""
    parts = []
    for paper in ERRATA.values():
        parts += [f"## {paper.short}", f"{paper.reference}.", found(paper)]
        parts += ["**Confirmed.**", _bullets(paper.confirmed)]
        for place, finding in enumerate(paper.findings, start=1):
            shown = finding.show()
            remark = "Remark on " if finding.remark else ""
            said, right = ("Said", "Worth knowing") if finding.remark else ("Printed", "Right")
            parts += [
                f"### {place}. {finding.title}",
                f"{remark}{finding.place}",
                f"**{said}.** {finding.printed}",
                f"**{right}.** {finding.right}",
                f"**An instance.** {shown.told}",
            ]
            if shown.table is not None:
                rows = [(str(index), *map(str, row)) for index, row in zip(*_rows(shown.table), strict=True)]
                parts.append(_table(("", *map(str, shown.table.columns)), rows))
            parts += [f"**How we know.** {finding.known}", _bullets(f"`{one}`" for one in finding.tests)]
        parts += ["### Small slips" if paper.slips else "", _bullets(paper.slips)]
    return "\n\n".join(part for part in parts if part)


def _rows(table: Any) -> tuple[Iterable[Any], Iterable[Any]]:
    """Return the index and the rows of a table of pandas."""
    return table.index, table.itertuples(index=False)


def citation() -> str:
    """Return the text of `CITATION.cff`, with the papers as references."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this software, please cite it, and the papers whose results you use.",
        "title: straggler-lab",
        "type: software",
        "authors:",
        "  - name: The straggler-lab maintainers",
        f"version: {sim.__version__}",
        "license: Apache-2.0",
        "abstract: >-",
        "  Simulations of stragglers and extra copies in compute clusters, and the formulas of five papers",
        "  as functions.",
        "references:",
    ]
    for one in PAPERS.values():
        lines += _reference(one)
    return "\n".join(lines) + "\n"


def _reference(paper: Paper) -> list[str]:
    """Return a paper as `CITATION.cff` has it."""
    lines = ["  - type: article", f'    title: "{paper.title}"', "    authors:"]
    for name in paper.authors:
        given, _, family = name.rpartition(" ")
        lines += [f"      - given-names: {given}", f"        family-names: {family}"]
    lines += [f'    journal: "{paper.venue}"', f"    year: {paper.year}"]
    if paper.pages:
        start, _, end = paper.pages.partition("–")
        lines += [f"    start: {start}", f"    end: {end}"]
    lines += [f"    doi: {paper.doi}"] if paper.doi else []
    return [*lines, f"    url: {paper.address}"]


def _listed(*words: str) -> Any:
    """Return what a listing of the shell prints as JSON."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        main([*words, "--json"])
    return json.loads(printed.getvalue())


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    heads = [*heads]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    """Return a text as a cell has it: on one line, with bars that end no cell."""
    return " ".join(str(text).split()).replace("|", "\\|") or " "


def _bullets(lines: Iterable[str]) -> str:
    """Return a list in Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def _sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


#: Name of a mark -> what fills it.
PARTS: dict[str, Callable[[], str]] = {
    "shell": shell,
    "fields": fields,
    "presets": presets,
    "policies": policies,
    "links": links,
    "formats": formats,
    "knows": knows,
    "papers": papers,
    "theory": theory,
    "python": python,
    "errata": errata,
}
