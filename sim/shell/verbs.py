"""The command line: ``python -m sim run | sweep | map | reproduce | trace | whatif | ...``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import NamedTuple

from sim.engines import plugins
from sim.model.fields import BadInput
from sim.shell.parsing import Parser, refuse_empty
from theory.shell import finished


class Verb(NamedTuple):
    """A module with a function that declares the options of an action, and with the action."""

    help: str
    module: str
    declare: str = "add_options"
    run: str = "run"


#: Name -> what runs it, in the order of the help. A module is imported where its verb is typed.
VERBS = {
    "run": Verb("compare policies on the same jobs", "sim.shell.run"),
    "sweep": Verb("compare policies at several values of a field", "sim.shell.sweep"),
    "map": Verb("say which policy wins where, over two fields", "sim.shell.map"),
    "reproduce": Verb("compute what the papers report, claim by claim", "sim.shell.reproduce"),
    "trace": Verb("say what stragglers cost a cluster, from its log", "sim.shell.trace"),
    "whatif": Verb("say which setting would gain what, on the jobs of a log", "sim.shell.whatif"),
    "check-advice": Verb(
        "say of settings that somebody advises what they would gain and cost", "sim.shell.check_advice"
    ),
    "wait": Verb("say of a task that still runs: wait, start a copy, or restart it", "sim.shell.wait"),
    "fleet": Verb("say which of many logs lost most, and what to do first about them", "sim.shell.fleet"),
    "rollouts": Verb(
        "say how many more answers than needed a training step should start", "sim.shell.rollouts"
    ),
    "mcp": Verb(
        "answer the questions of other programs, such as assistants, about logs", "sim.shell.mcp.command"
    ),
    "check": Verb("say whether rules of one's own keep the contract", "sim.running.contract.check"),
    "export": Verb(
        "write the lessons or a small Lab as static pages, which need no server", "sim.shell.export"
    ),
    "compile": Verb("compile the engines ahead of time", "sim.shell.compile"),
    "repeated": Verb(
        "measure luck, machine, work from repeated runs", "sim.shell.several", "add_repeated", "repeated"
    ),
    "after": Verb(
        "say what a change did, from a log before and one after", "sim.shell.several", "add_after", "after"
    ),
    "gate": Verb(
        "fail a pipeline if a figure is worse beyond doubt", "sim.shell.several", "add_gate", "gate"
    ),
    "presets": Verb("list the presets", "sim.shell.listings", run="presets"),
    "policies": Verb("list the rules policies are made of", "sim.shell.listings", "add_rules", "policies"),
    "fields": Verb("list the fields of a scenario", "sim.shell.listings", "add_engine", "fields"),
}


def main(arguments: Sequence[str] | None = None, program: str = "sim", called: str = "python -m sim") -> int:
    """Run the command line; return the exit status (2: bad input, one line on stderr).

    Parameters
    ----------
    arguments : sequence of str, optional
    program, called : str, optional
        Its name before what it says, and as it is typed.
    """

    def run() -> int:
        words = sys.argv[1:] if arguments is None else arguments
        refuse_empty(words)
        chosen = parser(called, words).parse_args(words)
        plugins.use(getattr(chosen, "policies", ()))
        return chosen.action(chosen)

    return finished(program, run, BadInput)


def parser(called: str = "python -m sim", words: Collection[str] = VERBS.keys()) -> argparse.ArgumentParser:
    """Return the parser of all actions; each leaves in `action` what is to be called.

    Parameters
    ----------
    called : str, optional
        As the program is typed.
    words : collection of str, optional
        What is typed: only actions among these words get their options.
    """
    whole = Parser(prog=called, description="Simulate straggler mitigation policies on a cluster.")
    actions = whole.add_subparsers(required=True, metavar=" | ".join(VERBS), parser_class=Parser)
    for name, verb in VERBS.items():
        action = actions.add_parser(name, help=verb.help)
        if name in words:
            module = import_module(verb.module)
            getattr(module, verb.declare)(action)
            action.set_defaults(action=getattr(module, verb.run))
    return whole
