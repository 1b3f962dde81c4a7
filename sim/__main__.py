"""The command line: ``python -m sim run | sweep | map | reproduce | trace | whatif | train-rl | ...``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NoReturn

import sim
from sim import listings, own
from sim.engines import ENGINES, engine
from sim.fields import About, BadInput, canonical, from_text, kinds_of_fields
from sim.files import Output, keep_apart, output
from sim.presets import preset, with_trace
from sim.scenario import Scenario
from sim.where import add_options, add_policies, opened
from theory.shell import finished
from theory.shown import quoted, shortened

if TYPE_CHECKING:
    from sim.experiment import Experiment

NOTHING_WRONG = 0


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(re.sub(r"\S{81,}", lambda word: shortened(word[0]), message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status (2: bad input, one line on stderr)."""

    def run() -> int:
        _refuse_empty(sys.argv[1:] if arguments is None else arguments)
        chosen = _parser().parse_args(arguments)
        own.use(getattr(chosen, "policies", ()))
        return chosen.action(chosen)

    return finished("sim", run, BadInput)


def _refuse_empty(arguments: Sequence[str]) -> None:
    """Refuse ``--name=--``, of which argparse makes an empty list before Python 3.13."""
    for one in arguments:
        if one.startswith("--") and one.endswith("=--"):
            raise BadInput(f"{shortened(one[:-3])}: '--' is not accepted; give a value")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m sim", description="Simulate straggler mitigation policies on a cluster.")
    actions = parser.add_subparsers(
        required=True,
        metavar="run | sweep | map | reproduce | trace | whatif | train-rl | compile | "
        "presets | policies | fields",
        parser_class=_Parser,
    )
    run = actions.add_parser("run", help="compare policies on the same jobs")
    run.set_defaults(action=_run)
    _add_experiment(run)
    swept = actions.add_parser("sweep", help="compare policies at several values of a field")
    swept.set_defaults(action=_sweep)
    swept.add_argument(
        "--vary", required=True, metavar="FIELD=V1,V2,...", help="the field, and the values it takes"
    )
    _add_experiment(swept)
    from sim.map.command import add_options as add_map_options

    mapped = actions.add_parser("map", help="say which policy wins where, over two fields")
    mapped.set_defaults(action=_map)
    _add_experiment(mapped)
    add_map_options(mapped)
    from sim.claims import command as claims

    reproduce = actions.add_parser("reproduce", help="compute what the papers report, claim by claim")
    claims.add_options(reproduce)
    reproduce.set_defaults(action=claims.run)
    from sim.gang.learning.command import add_options

    training = actions.add_parser("train-rl", help="learn how much redundancy a job starts with")
    training.set_defaults(action=_train)
    add_options(training)
    from sim.traces import command

    trace = actions.add_parser("trace", help="say what stragglers cost a cluster, from its log")
    trace.set_defaults(action=command.run)
    command.add_options(trace)
    from sim.whatif import command as whatif_command

    whatif = actions.add_parser("whatif", help="say which setting would gain what, on the jobs of a log")
    whatif.set_defaults(action=whatif_command.run)
    whatif_command.add_options(whatif)
    from sim.contract import check as contract

    checking = actions.add_parser("check", help="say whether rules of one's own keep the contract")
    checking.set_defaults(action=contract.run)
    contract.add_options(checking)
    compiled = actions.add_parser("compile", help="compile the engines ahead of time")
    compiled.add_argument("engine", nargs="*", help=f"which: {', '.join(ENGINES)} (default: all)")
    compiled.set_defaults(action=_compile)
    for name, action, text in (
        ("presets", listings.presets, "list the presets"),
        ("policies", listings.policies, "list the rules policies are made of"),
        ("fields", listings.fields, "list the fields of a scenario"),
    ):
        listing = actions.add_parser(name, help=text)
        listing.add_argument("--json", action="store_true", help="print JSON")
        if action is not listings.presets:
            listing.add_argument(
                "--engine", default="slots", help=f"of which engine: {', '.join(ENGINES)} (default: slots)"
            )
        if action is listings.policies:
            add_policies(listing)
        listing.set_defaults(action=action)
    return parser


def _add_experiment(run: argparse.ArgumentParser) -> None:
    """Add what says which runs are asked for."""
    run.add_argument("--preset", default="light", help="scenario to start from (default: light)")
    run.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="change a field (repeatable)"
    )
    run.add_argument("--policy", action="append", default=[], help="policy to compare (repeatable)")
    run.add_argument(
        "--baseline", default="", help="policy the others are compared with (default: the first)"
    )
    run.add_argument("--workload", metavar="FILE", help="take the jobs from a SWIM or CSV file")
    run.add_argument(
        "--replications", metavar="R", help="how many (default: 10), or the most with --precision"
    )
    run.add_argument("--precision", metavar="X", help="stop when mean flowtimes are known to +-X percent")
    run.add_argument("--jobs", metavar="N", help="jobs of one replication (the field jobs)")
    run.add_argument("--seed", metavar="N", help="random seed (the field seed)")
    run.add_argument("--threads", metavar="N", help="replications run at a time (default: the cores)")
    run.add_argument("--json", metavar="FILE", help="write the result as JSON; - is standard output")
    add_options(run)


def _run(chosen: argparse.Namespace) -> int:
    """Compare policies and report."""
    from sim.command import shell_line
    from sim.experiment import compare
    from sim.report import as_json, as_table

    experiment, names = _experiment(chosen)
    replications, precision, threads = _effort(chosen)
    with output("json", chosen.json) as target:
        _keep_workload(target, chosen)
        with opened(chosen, experiment) as places, _progress(experiment, replications) as bar:
            comparison = compare(
                experiment,
                replications=replications,
                precision=precision,
                threads=threads,
                progress=bar.update if bar else lambda tasks: None,
                **places,
            ).called(names)
        if target is None:
            print(as_table(comparison))
            return NOTHING_WRONG
        line = shell_line(
            chosen.preset,
            experiment,
            workload=chosen.workload or "",
            replications=replications,
            precision=precision,
        )
        _write(target, as_json(comparison, sim.__version__, line), lambda: as_table(comparison))
    return NOTHING_WRONG


def _effort(chosen: argparse.Namespace) -> tuple[int, float | None, int | None]:
    """Return the number of replications, the precision and the number of threads."""
    from sim.experiment import MOST

    precision = _number(
        "precision", chosen.precision, About("percent", low=0, high=100, open_low=True), float
    )
    replications = _number("replications", chosen.replications, About("", low=1, high=100_000), int)
    threads = _number("threads", chosen.threads, About("", low=1, high=1024), int)
    return replications or (10 if precision is None else MOST), precision, threads


def _sweep(chosen: argparse.Namespace) -> int:
    """Compare policies at several values of a field and report each as it is done."""
    from sim.command import shell_line
    from sim.experiment import Experiment
    from sim.report import as_json, as_table
    from sim.sweep import sweep

    experiment, names = _experiment(chosen)
    field, values = _vary(chosen.vary, type(experiment.scenario))
    replications, precision, threads = _effort(chosen)
    points, tables = [], []
    with output("json", chosen.json) as target:
        _keep_workload(target, chosen)
        with (
            opened(chosen, experiment, **{field: values}) as places,
            _progress(experiment, replications * len(values)) as bar,
        ):
            for value, comparison in sweep(
                experiment,
                field,
                values,
                replications=replications,
                precision=precision,
                threads=threads,
                progress=bar.update if bar else lambda tasks: None,
                **places,
            ):
                called = comparison.called(names)
                tables.append(f"{field} = {value}\n{as_table(called)}\n")
                if target is None:
                    print(tables[-1], flush=True)
                point = Experiment(
                    comparison.scenario, experiment.policies, experiment.trace, experiment.baseline
                )
                line = shell_line(
                    chosen.preset,
                    point,
                    workload=chosen.workload or "",
                    replications=replications,
                    precision=precision,
                )
                points.append({field: value} | {"found": as_json(called, sim.__version__, line)})
        if target is not None:
            found = {"version": sim.__version__, "vary": field, "points": points}
            _write(target, found, lambda: "\n".join(tables))
    return NOTHING_WRONG


def _map(chosen: argparse.Namespace) -> int:
    """Compute a map."""
    from sim.map.command import run

    return run(chosen, _experiment(chosen)[0])


def _vary(text: str, kind: type[Scenario]) -> tuple[str, list[Any]]:
    """Read ``FIELD=V1,V2,...``."""
    name, equals, listed = text.partition("=")
    if not equals or not listed.strip(", "):
        raise BadInput(f"vary: {quoted(text)} is not accepted; give field=value,value,...")
    if kinds_of_fields(kind).get(name.strip()) is tuple:
        raise BadInput(
            f"vary: {quoted(name.strip())} is not accepted; give a field that is one value, not a list"
        )
    return name.strip(), [from_text(name.strip(), value, kind) for value in listed.split(",")]


def _write(target: Output, report: Any, table: Callable[[], str]) -> None:
    """Write JSON; where that fails after all, show what would else be lost."""
    try:
        target.write(json.dumps(report, indent=1, allow_nan=False))
    except BadInput:
        print(table())
        raise


def _keep_workload(target: Output | None, chosen: argparse.Namespace) -> None:
    keep_apart([target], [chosen.workload] if chosen.workload else [])


def _train(chosen: argparse.Namespace) -> int:
    """Train the network of redundant-rl."""
    from sim.gang.learning.command import run

    return run(chosen)


def _compile(chosen: argparse.Namespace) -> int:
    """Compile engines ahead of time, a line for each step."""
    from sim.compiled import told

    for key in [engine(name).key for name in chosen.engine] or ENGINES:
        for line in told(key):
            print(line, flush=True)
    return NOTHING_WRONG


def _experiment(chosen: argparse.Namespace) -> tuple[Experiment, list[str]]:
    """Return what is to be run, and the policies as they were typed."""
    from sim.experiment import Experiment
    from sim.recorded import refuse_load
    from sim.traces import read

    start = preset(chosen.preset)
    kind = type(start.scenario)
    changes: dict[str, Any] = {}
    for item in chosen.set:
        name, equals, value = item.partition("=")
        if not equals:
            raise BadInput(f"set: {quoted(item)} is not accepted; give field=value")
        changes[name.strip()] = from_text(name.strip(), value, kind)
    for name in ("jobs", "seed"):
        if (value := getattr(chosen, name)) is not None:
            changes[name] = from_text(name, value, kind)
    scenario, trace = start.scenario, None
    if chosen.workload:
        trace = read(chosen.workload)
        scenario = with_trace(scenario, trace)
        if changes.get("jobs", scenario.jobs) != scenario.jobs:
            raise BadInput(
                f"jobs: {changes['jobs']} is not accepted; all {scenario.jobs} of {trace.told} are used"
            )
    scenario = scenario.replace(**changes)
    if trace is not None and "load" in changes:
        refuse_load(scenario, "load")
    texts = [text.strip() for text in chosen.policy or start.policies]
    return Experiment.of_texts(scenario, texts, trace, chosen.baseline), texts


def _number(name: str, value: str | None, about: About, kind: type) -> Any:
    """Read an option that is a number; None stays None."""
    return None if value is None else canonical(name, value, kind, about)


def _progress(experiment: Any, replications: int) -> Any:
    """Progress bar in tasks, on a terminal only."""
    if not (sys.stderr and sys.stderr.isatty()):
        return nullcontext()
    from tqdm import tqdm

    from sim.experiment import expected_tasks

    total = int(expected_tasks(experiment) * replications)
    return tqdm(total=total, unit=" tasks", unit_scale=True, file=sys.stderr, leave=False)


if __name__ == "__main__":
    sys.exit(main())
