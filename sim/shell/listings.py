"""Listings of the command line: presets, the rules of an engine, the fields of a scenario."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import Any

from sim.engines.registry import ENGINES, PRESETS, engine
from sim.model.fields import about_fields, kinds_of_fields, settable
from sim.running.execution_options import add_policies


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the form of a listing."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Declare the options: the form, and the engine whose rules or fields are listed."""
    add_options(parser)
    parser.add_argument(
        "--engine", default="slots", help=f"of which engine: {', '.join(ENGINES)} (default: slots)"
    )


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Declare the options: the form, the engine, and files of one's own."""
    add_engine(parser)
    add_policies(parser)


def presets(chosen: argparse.Namespace) -> int:
    """List the presets."""
    from sim.running.report import scenario_as_dict

    listed = {
        name: {
            "title": one.title,
            "question": one.question,
            "engine": one.engine,
            "policies": list(one.policies),
            "scenario": scenario_as_dict(one.scenario),
        }
        for name, one in PRESETS.items()
    }
    lines = [
        f"{name:12} {one['title']} [{one['engine']}]\n{'':12} {one['question']}"
        for name, one in listed.items()
    ]
    return _listing(chosen, listed, lines)


def policies(chosen: argparse.Namespace) -> int:
    """List the rules of an engine with their parameters."""
    policy = engine(chosen.engine).implementation.policy
    listed: dict[str, Any] = {}
    lines = [policy.grammar(), ""]
    width = max(8, *(len(key) for registry in policy.registries().values() for key in registry))
    for kind, registry in policy.registries().items():
        lines.append(f"{kind}:")
        listed[kind] = {}
        for key, rule in registry.items():
            listed[kind][key] = rule_as_dict(rule)
            lines.append(f"  {key:{width}} {rule.title}: {rule.summary}")
            for p in rule.parameters:
                accepted = p.about.accepted(int if p.whole else float)
                lines.append(f"  {'':{width}}   {p.name}={p.default:g}  {p.text} ({accepted})")
    return _listing(chosen, listed, lines)


def rule_as_dict(rule: Any) -> dict[str, Any]:
    """Return what is known of a rule of an engine, as values of JSON."""
    return {
        "title": rule.title,
        "summary": rule.summary,
        "reference": rule.reference,
        "parameters": {
            p.name: {
                "default": p.default,
                "text": p.text,
                "unit": p.about.unit,
                "accepted": p.about.accepted(int if p.whole else float),
            }
            for p in rule.parameters
        },
    }


def fields(chosen: argparse.Namespace) -> int:
    """List the fields of a scenario of an engine with types, units and what they accept."""
    scenario = engine(chosen.engine).scenario
    defaults = scenario()
    listed = {}
    lines = []
    for name in settable(scenario):
        about, kind = about_fields(scenario)[name], kinds_of_fields(scenario)[name]
        default = getattr(defaults, name)
        accepted = (
            "numbers separated by commas"
            if kind is tuple
            else about.accepted(kind)
            if kind is not str or about.choices
            else "text"
        )
        listed[name] = {
            "type": "list" if kind is tuple else kind.__name__,
            "unit": about.unit,
            "default": "inf" if default == math.inf else default,
            "accepted": accepted,
            "text": about.text,
        }
        unit = f" [{about.unit}]" if about.unit else ""
        lines.append(f"{name:15} {listed[name]['default']!s:10} {about.text}{unit}; {accepted}")
    return _listing(chosen, listed, lines)


def _listing(chosen: argparse.Namespace, listed: Any, lines: Sequence[str]) -> int:
    """Print a listing as text or JSON."""
    print(json.dumps(listed, indent=1) if chosen.json else "\n".join(lines))
    return 0
