"""The table of measured coverage: a row as a value, written to and read from its document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sim

PLACE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "coverage.md"
#: Share of the experiments below which an interval does not keep its promise of 95 %.
ENOUGH = 0.93
ABOUT = """# What 95 % intervals cover

An interval over replications is given where it holds the true value in at least 93 % of experiments.
Elsewhere the statistic is marked *unreliable* and has no interval: its jobs are too few to know it. Which
is which follows from the moments of the laws, and from how many times a queue empties and fills within a
replication (`sim/model/outcome.py`). This table is the measurement behind it:
the share of experiments of {size} whose interval holds the true value, in percent. A thousand experiments
measure 95 % to ± 1.4, four hundred to ± 2.1. Version {version}; written by
`python -m tests.benchmarks.coverage --record`, which goes on where it was stopped.

The true values: on the idle cluster order statistics in closed form; in M/G/1 Pollaczek and Khinchine for
the mean, and the jobs of all experiments for quantiles; with 100 slots the mean of all experiments (of
`srpt+none`; differences from `fifo+none`). *Difference of means* on the idle cluster: two copies of each
task against one. The mean of all experiments is no true value where the variance is infinite: there the
simulated cluster seems to be covered, and is marked all the same.

The project uses Student's interval. The others were tried for means: shifting by the skewness (Johnson), a
transformation of it (Hall), bootstrap-t, batches of the replications, and a regression on what was drawn,
whose means are known (control variates). None covers in every row in which Student's does not. The
regression comes nearest, but a policy that kills copies cuts what was drawn short and leaves it no hold.

"""


@dataclass(frozen=True)
class Row:
    """The coverage of one statistic by each method."""

    system: str
    law: str
    statistic: str
    experiments: int
    reliable: bool
    covered: dict[str, float]


HEAD = ("system", "tail index β", "statistic", "experiments", "interval")


def write(rows: Iterable[Row], methods: Sequence[str], *, record: bool, size: str) -> None:
    """Print the rows as they come; add each to those recorded if asked to."""
    for row in rows:
        print(_line(row, methods), flush=True)
        if record:
            _write([*recorded(methods), row], methods, size)


def _write(rows: Iterable[Row], methods: Sequence[str], size: str) -> None:
    heads = [*HEAD, *methods]
    lines = [
        "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(heads),
        *(_line(row, methods) for row in rows),
    ]
    head = ABOUT.format(size=size, version=sim.__version__)
    PLACE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def _line(row: Row, methods: Sequence[str]) -> str:
    shares = [f"{100 * row.covered[name]:.1f}" if name in row.covered else "" for name in methods]
    marked = "yes" if row.reliable else "unreliable"
    cells = [row.system, row.law, row.statistic, f"{row.experiments:,}", marked, *shares]
    return "| " + " | ".join(cells) + " |"


def recorded(methods: Sequence[str]) -> list[Row]:
    """Return the rows that are recorded."""
    if not PLACE.exists():
        return []
    found = []
    for line in PLACE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) < len(HEAD) or cells[4] not in ("yes", "unreliable"):
            continue
        system, law, statistic, experiments, marked, *shares = cells
        covered = {name: float(share) / 100 for name, share in zip(methods, shares, strict=True) if share}
        count = int(experiments.replace(",", ""))
        found.append(Row(system, law, statistic, count, marked == "yes", covered))
    return found
