"""The options of `run`, `sweep` and `map` that define an experiment, read and reported."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from sim.engines import plugins
from sim.engines.registry import preset, with_trace
from sim.model.fields import About, BadInput, canonical, from_text, in_full, settable
from sim.model.files import Output, keep_apart, output
from sim.running import execution_options
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from theory.quoting import quoted, visible

if TYPE_CHECKING:
    import pandas as pd

    from sim.running.experiment import Experiment


# The shell line that repeats an experiment.


def shell_line(start: str, experiment: Experiment, effort: Effort, *, workload: str = "") -> str:
    """Return the ``python -m sim run ...`` that repeats an experiment.

    Parameters
    ----------
    start : str
        Preset to start from; fields in which the scenario differs from it are set.
    experiment : Experiment
    effort : Effort
        Whose replications and precision are told.
    workload : str, optional
        Path of the workload file, if there is one.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> experiment = Experiment.of_texts(preset("small").scenario.replace(load=0.5), ["hopper"])
    >>> shell_line("small", experiment, Effort(replications=4))
    'python -m sim run --preset small --set load=0.5 --policy hopper+budget --replications 4'
    """
    words = ["python", "-m", "sim", "run", "--preset", start]
    base = preset(start).scenario
    if experiment.trace is not None:
        words += ["--workload", _file(workload or experiment.trace.source)]
        base = with_trace(base, experiment.trace)
    for name in settable(type(base)):
        value = getattr(experiment.scenario, name)
        given = name == "load" and experiment.trace is not None and experiment.scenario.keeps_times
        if value != getattr(base, name) and not given:
            text = ",".join(map(repr, value)) if isinstance(value, tuple) else str(value)
            words += ["--set", f"{name}={text}"]
    for text in experiment.texts:
        words += ["--policy", text]
    if experiment.baseline:
        words += ["--baseline", experiment.texts[experiment.baseline]]
    words += ["--replications", str(effort.most)]
    words += plugin_files(experiment)
    if effort.precision is not None:
        words += ["--precision", f"{effort.precision:g}"]
    return shlex.join(words)


def plugin_files(experiment: Experiment) -> list[str]:
    """Return the options that name the files of rules of one's own; packages are found without."""
    files = [source.name for source in plugins.sources(experiment.policies) if source.text]
    return [word for name in files for word in ("--policies", _file(name))]


def _file(name: str) -> str:
    """Return a name as it is; one that nobody could read in a shell line is left to be filled in."""
    return name if name == visible(name) else "FILE"


def add_options(run: argparse.ArgumentParser) -> None:
    """Add what says which runs are asked for."""
    run.add_argument("--preset", default="light", help="scenario to start from (default: light)")
    run.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="change a field (repeatable)"
    )
    run.add_argument("--policy", action="append", default=[], help="policy to compare (repeatable)")
    run.add_argument(
        "--baseline", default="", help="policy the others are compared with (default: the first)"
    )
    run.add_argument(
        "--workload", metavar="FILE", help="take the jobs from a SWIM, SWF or CSV file, or a log"
    )
    run.add_argument(
        "--replications", metavar="R", help="how many (default: 10), or the most with --precision"
    )
    run.add_argument("--precision", metavar="X", help="stop when mean flowtimes are known to +-X percent")
    run.add_argument("--jobs", metavar="N", help="jobs of one replication (the field jobs)")
    run.add_argument("--seed", metavar="N", help="random seed (the field seed)")
    run.add_argument("--threads", metavar="N", help="replications run at a time (default: the cores)")
    run.add_argument("--json", metavar="FILE", help="write the result as JSON; - is standard output")
    execution_options.add_options(run)


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files that `outputs` begins beside that of ``--json``."""
    parser.add_argument("--csv", metavar="FILE", help="write every number as CSV, with its interval")
    parser.add_argument("--figure", metavar="FILE", help="draw the flowtime of each policy as SVG")


def experiment(chosen: argparse.Namespace) -> tuple[Experiment, list[str]]:
    """Return what is to be run, and the policies as they were typed."""
    from sim.logs import read
    from sim.model.workload import refuse_load
    from sim.running.experiment import Experiment

    start = preset(chosen.preset)
    kind = type(start.scenario)
    changes: dict[str, Any] = {}
    for item in chosen.set:
        name, equals, value = item.partition("=")
        if not equals:
            raise BadInput(f"set: {quoted(item)} is not accepted; give field=value")
        name = in_full(name.strip(), settable(kind))
        changes[name] = from_text(name, value, kind)
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


def effort(chosen: argparse.Namespace) -> Effort:
    """Return how well the answer is to be known, and where it is worked out."""
    return Effort(
        replications=chosen.replications, precision=chosen.precision, threads=chosen.threads, keep=chosen.keep
    )


@contextmanager
def progress(asked: Experiment, replications: int) -> Iterator[Callable[[int], object]]:
    """Yield what is told of tasks that are done: a bar, on a terminal only."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield lambda tasks: None
        return
    from tqdm import tqdm

    from sim.running.compiled import telling
    from sim.running.experiment import expected_tasks

    total = int(expected_tasks(asked) * replications)
    with tqdm(total=total, unit=" tasks", unit_scale=True, file=sys.stderr, leave=False) as bar:

        def done(tasks: int) -> None:
            if bar.desc:
                bar.set_description_str("", refresh=False)
            bar.update(tasks)

        with telling(asked.engine.key, asked.policies, bar.set_description_str):
            yield done


@contextmanager
def outputs(chosen: argparse.Namespace) -> Iterator[tuple[Output | None, ...]]:
    """Begin the files of ``--json``, ``--csv`` and ``--figure``; only the first may be standard output."""
    for name in ("csv", "figure"):
        if getattr(chosen, name) == "-":
            raise BadInput(f"{name}: '-' is not accepted; give the name of a file")
    if chosen.figure and not chosen.figure.endswith(".svg"):
        raise BadInput(f"figure: {quoted(chosen.figure)} is not accepted; give a name that ends with .svg")
    with ExitStack() as files:
        begun = [
            files.enter_context(output(name, getattr(chosen, name))) for name in ("json", "csv", "figure")
        ]
        keep_apart(begun, execution_options.read_by(chosen))
        yield tuple(begun)


def write_tables(
    sheet: Output | None, drawn: Output | None, table: Callable[[], pd.DataFrame], unit: str, field: str = ""
) -> None:
    """Write the statistics as CSV and as a figure, where they are asked for."""
    made = cache(table)  # for both
    if sheet is not None:
        from sim.logs.tabled import as_csv

        sheet.write(as_csv(made()).encode())
    if drawn is not None:
        from sim.shell.figure import as_svg

        drawn.write(as_svg(made(), unit, field))


def write(target: Output, report: Any, table: Callable[[], str]) -> None:
    """Write JSON; where that fails after all, show what would else be lost."""
    try:
        target.write(json.dumps(report, indent=1, allow_nan=False))
    except BadInput:
        print(table())
        raise


def number(name: str, value: str | None, about: About, kind: type, default: Any = None) -> Any:
    """Read an option that is a number, or its default if it is not given."""
    return default if value is None else canonical(name, value, kind, about)
