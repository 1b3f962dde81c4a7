"""The command line: ``python -m sim run | sweep | map | reproduce | trace | whatif | ...``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from sim.engines import plugins
from sim.model.fields import BadInput
from sim.shell.parsing import Parser, refuse_empty
from theory.shell import finished

#: The function that declares the options of an action, and the action.
_Declare = Callable[[argparse.ArgumentParser], None]
_Run = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None, program: str = "sim", called: str = "python -m sim") -> int:
    """Run the command line; return the exit status (2: bad input, one line on stderr).

    Parameters
    ----------
    arguments : sequence of str, optional
    program, called : str, optional
        Its name before what it says, and as it is typed.
    """

    def run() -> int:
        refuse_empty(sys.argv[1:] if arguments is None else arguments)
        chosen = parser(called).parse_args(arguments)
        plugins.use(getattr(chosen, "policies", ()))
        return chosen.action(chosen)

    return finished(program, run, BadInput)


def parser(called: str = "python -m sim") -> argparse.ArgumentParser:
    """Return the parser of all actions; each leaves in `action` what is to be called."""
    whole = Parser(prog=called, description="Simulate straggler mitigation policies on a cluster.")
    actions = whole.add_subparsers(required=True, metavar=" | ".join(verbs()), parser_class=Parser)
    for name, declare, run, text in _actions():
        action = actions.add_parser(name, help=text)
        declare(action)
        action.set_defaults(action=run)
    return whole


def verbs() -> list[str]:
    """Return the names of all actions."""
    return [name for name, *_ in _actions()]


def _actions() -> Iterator[tuple[str, _Declare, _Run, str]]:
    """Yield name, options, function and help of each action, in the order of the help."""
    from sim.running.contract import check
    from sim.shell import (
        check_advice,
        compile,
        export,
        fleet,
        listings,
        rollouts,
        run,
        several,
        sweep,
        wait,
        whatif,
    )
    from sim.shell import map as maps
    from sim.shell import reproduce as claims
    from sim.shell import trace as traces
    from sim.shell.mcp import command as mcp

    for name, module, text in (
        ("run", run, "compare policies on the same jobs"),
        ("sweep", sweep, "compare policies at several values of a field"),
        ("map", maps, "say which policy wins where, over two fields"),
        ("reproduce", claims, "compute what the papers report, claim by claim"),
        ("trace", traces, "say what stragglers cost a cluster, from its log"),
        ("whatif", whatif, "say which setting would gain what, on the jobs of a log"),
        ("check-advice", check_advice, "say of settings that somebody advises what they would gain and cost"),
        ("wait", wait, "say of a task that still runs: wait, start a copy, or restart it"),
        ("fleet", fleet, "say which of many logs lost most, and what to do first about them"),
        ("rollouts", rollouts, "say how many more answers than needed a training step should start"),
        ("mcp", mcp, "answer the questions of other programs, such as assistants, about logs"),
        ("check", check, "say whether rules of one's own keep the contract"),
        ("export", export, "write the lessons or a small Lab as static pages, which need no server"),
        ("compile", compile, "compile the engines ahead of time"),
    ):
        yield name, module.add_options, module.run, text
    yield "repeated", several.add_repeated, several.repeated, "measure luck, machine, work from repeated runs"
    yield "after", several.add_after, several.after, "say what a change did, from a log before and one after"
    yield "gate", several.add_gate, several.gate, "fail a pipeline if a figure is worse beyond doubt"
    yield "presets", listings.add_options, listings.presets, "list the presets"
    yield "policies", listings.add_rules, listings.policies, "list the rules policies are made of"
    yield "fields", listings.add_engine, listings.fields, "list the fields of a scenario"
