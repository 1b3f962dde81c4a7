"""The question of the Allocation page: some jobs, and how each rule shares the slots among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

import numpy as np
import pandas as pd

from pages.shared.controls.links import as_text
from sim.model.cached import cached_property
from sim.model.fields import About, BadInput, canonical
from sim.telling.words import number, plain
from theory.allocation import fair_allocation, hopper_allocation, srpt_allocation, virtual_sizes
from theory.dag_allocation import DagCase, dag_allocation, dag_cases
from theory.fairness import FairRegime, fair_hopper_allocation, fair_regime, projected_fair_allocation
from theory.objective import Distance, distance_from_optimum
from theory.quoting import quoted
from theory.service_rate import threshold
from theory.weighted_optimum import slot_price, weighted_optimum

# The jobs of the Allocation page: rows of a table, as a link writes them, and as the theory takes them.
#
# A row may leave its DAG weight :math:`\alpha` and its downstream work :math:`T'` open. Each follows from
# the other by :math:`\alpha = T'/T`; without either, the weight is 1.

MOST_JOBS = 12
#: The least number but 0 that is accepted: between a cell and another of its row there are 12 digits at most,
#: and a share of a slot can still be told from rounding.
LEAST = 1e-6
#: Columns of the table, and what they accept.
TASKS = About("tasks left", low=0, high=1000)
WEIGHT = About("DAG weight", low=0, high=1000, open_low=True)
DOWNSTREAM = About("downstream work", low=0, high=1e6)
COLUMNS = {"T": TASKS, "α": WEIGHT, "T'": DOWNSTREAM}


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was typed: None for a cell left empty, and perhaps what cannot be used."""

    name: str
    T: float | None
    weight: float | None = None
    downstream: float | None = None

    @property
    def cells(self) -> dict[str, float | None]:
        """Return the cells by column."""
        return dict(zip(COLUMNS, (self.T, self.weight, self.downstream), strict=True))


Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs as the theory takes them, arrays of one length."""

    names: tuple[str, ...]
    T: np.ndarray
    weight: np.ndarray
    downstream: np.ndarray

    @property
    def weighted(self) -> bool:
        """Tell whether the weights differ."""
        return bool(np.any(self.weight != self.weight[0]))


def read_rows(text: str) -> Rows:
    """Read the jobs of a link: ``T[:weight[:downstream]]``, separated by commas.

    Examples
    --------
    >>> read_rows("30,52.5:2")
    (Row(name='A', T=30.0, weight=None, downstream=None), Row(name='B', T=52.5, weight=2.0, downstream=None))
    >>> read_rows("30,x")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: jobs: 'x' is not accepted; give T[:weight[:downstream]], e.g. 30,52.5:2
    """
    parts = text.split(",")
    if len(parts) > MOST_JOBS:
        raise BadInput(f"jobs: {len(parts)} jobs are not accepted; give at most {MOST_JOBS}")
    rows = tuple(_read_row(name, part) for name, part in zip(ascii_uppercase, parts, strict=False))
    _, complaints = checked(rows)
    if complaints:
        raise BadInput(f"jobs: {complaints[0]}")
    return rows


def _read_row(place: str, text: str) -> Row:
    name, _, numbers = text.rpartition("=")
    cells = numbers.split(":")
    try:
        values = [float(cell) if cell.strip() else None for cell in cells]
    except ValueError:
        values = []
    if not 1 <= len(values) <= len(COLUMNS) or values[0] is None or name not in ("", *ascii_uppercase):
        raise BadInput(f"jobs: {quoted(text)} is not accepted; give T[:weight[:downstream]], e.g. 30,52.5:2")
    return Row(name or place, *values)


def write_rows(rows: Rows) -> str:
    """Write the rows that can be used as `read_rows` reads them.

    Examples
    --------
    >>> write_rows(read_rows("30,52.5:2,7::14"))
    '30,52.5:2,7::14'
    >>> write_rows((Row("A", 3.0), Row("C", 5.0)))  # where B was deleted
    '3,C=5'
    """
    usable = [row for row in rows if _is_filled(row) and not _complaints(row)][:MOST_JOBS]
    written = []
    for place, row in zip(ascii_uppercase, usable, strict=False):
        cells = ":".join("" if cell is None else as_text(cell) for cell in row.cells.values())
        written.append((f"{row.name}=" if row.name != place else "") + cells.rstrip(":"))
    return ",".join(written)


def as_frame(rows: Rows) -> pd.DataFrame:
    """Return the rows as a table to be edited."""
    cells = {column: [row.cells[column] for row in rows] for column in COLUMNS}
    return pd.DataFrame({"Job": [row.name for row in rows], **cells}).astype(dict.fromkeys(COLUMNS, float))


def from_frame(frame: pd.DataFrame) -> Rows:
    """Return an edited table as rows, those without a name named by the first free letters.

    Examples
    --------
    >>> frame = as_frame((Row("A", 3.0), Row("C", None)))
    >>> frame.loc[2] = [None, 8.0, None, 4.0]
    >>> [(row.name, row.T, row.downstream) for row in from_frame(frame)]
    [('A', 3.0, None), ('C', None, None), ('B', 8.0, 4.0)]
    """
    names = ["" if pd.isna(name) else str(name) for name in frame["Job"]]
    free = (letter for letter in ascii_uppercase if letter not in names)
    cells = [[None if pd.isna(cell) else float(cell) for cell in row] for row in frame[[*COLUMNS]].to_numpy()]
    return tuple(Row(name or next(free, "?"), *row) for name, row in zip(names, cells, strict=True))


def checked(rows: Rows) -> tuple[Jobs | None, list[str]]:
    """Return the jobs of the rows that can be used, and what is wrong with the others, cell by cell.

    There are no jobs where none has a task left.

    Examples
    --------
    >>> jobs, complaints = checked((Row("A", 10.0, None, 20.0), Row("B", -3.0), Row("C", None)))
    >>> jobs.names, jobs.weight, complaints
    (('A',), array([2.]), ['job B, T: -3.0 is not accepted; give a number from 0 to 1000'])
    """
    filled = [row for row in rows if _is_filled(row)]
    complaints = [complaint for row in filled for complaint in _complaints(row)]
    usable = [row for row in filled if not _complaints(row)]
    if len(usable) > MOST_JOBS:
        complaints.append(f"{len(usable)} jobs are more than the {MOST_JOBS} that can be told apart")
        usable = usable[:MOST_JOBS]
    return (_jobs(usable) if any(row.T for row in usable) else None), complaints


def _is_filled(row: Row) -> bool:
    """Tell whether anything was typed: a row just added is not wrong, only empty."""
    return any(cell is not None for cell in row.cells.values())


def _complaints(row: Row) -> list[str]:
    found = []
    for column, about in COLUMNS.items():
        cell = row.cells[column]
        if cell is None and column != "T":
            continue
        try:
            canonical(f"job {row.name}, {column}", "an empty cell" if cell is None else cell, float, about)
        except BadInput as error:
            found.append(str(error))
            continue
        if cell is not None and 0 < cell < LEAST:
            found.append(
                f"job {row.name}, {column}: {cell!r} is not accepted; give {'0, or ' * (not about.open_low)}"
                f"at least {as_text(LEAST)}: less is lost in rounding"
            )
    if not found and row.weight is None and row.downstream == 0:
        found.append(f"job {row.name}, α: T' = 0 makes it 0; give a weight above 0")
    return found


def _jobs(rows: Sequence[Row]) -> Jobs:
    T = np.array([row.T for row in rows], dtype=float)
    weight = np.array([_weight(row) for row in rows])
    downstream = [
        w * t if row.downstream is None else row.downstream for row, w, t in zip(rows, weight, T, strict=True)
    ]
    return Jobs(tuple(row.name for row in rows), T, weight, np.array(downstream, dtype=float))


def _weight(row: Row) -> float:
    if row.weight is not None:
        return row.weight
    return row.downstream / row.T if row.downstream and row.T else 1.0


# The shares of the slots under each rule of the theory, and the value of each share.
#
# A rule is a row of the Allocation page: shares of the slots, the case it decided by, and how far the sums
# of service rates, plain and weighted, are below the best ones.


@dataclass(frozen=True, slots=True)
class Request:
    """Jobs that want slots.

    Attributes
    ----------
    jobs : Jobs
    slots : float
        To be shared, > 0.
    beta : float
        Tail index of task times, > 1.
    epsilon : float
        Unfairness allowed, in [0, 1].
    printed : bool
        Whether rules are taken as the papers print them.
    """

    jobs: Jobs
    slots: float
    beta: float
    epsilon: float
    printed: bool = False

    @property
    def physical(self) -> bool:
        """Tell whether a task in service has at least one copy; as printed, it need not."""
        return not self.printed

    @property
    def theta(self) -> float:
        """Return the threshold, in slots per task."""
        return float(threshold(self.beta, self.physical))

    @property
    def wanted(self) -> np.ndarray:
        """Return the virtual size of each job."""
        return virtual_sizes(self.jobs.T, self.beta, self.physical)

    @property
    def short(self) -> bool:
        """Tell whether slots are too few for all virtual sizes."""
        return self.regime(1.0).constrained

    def regime(self, epsilon: float) -> FairRegime:
        """Return the case and the water level of Algorithm 2; with `epsilon` = 1, of Algorithm 1."""
        return fair_regime(self.jobs.T, self.slots, self.beta, epsilon, self.physical)

    @property
    def cases(self) -> tuple[DagCase, ...]:
        """Return the cases of Algorithm 3 that apply."""
        return dag_cases(*self._weighted, self.jobs.downstream, self.printed, self.physical)

    @property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray, float, float]:
        return self.jobs.T, self.jobs.weight, self.slots, self.beta


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to share slots: its name, what it is, its shares, and the case they were decided by."""

    name: str
    about: str
    shares: Callable[[Request], np.ndarray]
    case: Callable[[Request], str]

    def answer(self, asked: Request) -> Share:
        """Return the shares and what they are worth, or why there are none."""
        try:
            slots = self.shares(asked)
        except ValueError as error:
            return Share(self, None, _refusal(self, asked, error), None, None)
        jobs = asked.jobs
        rate = distance_from_optimum(jobs.T, slots, asked.beta, None, asked.slots)
        weighted = distance_from_optimum(jobs.T, slots, asked.beta, jobs.weight, asked.slots)
        return Share(self, slots, self.case(asked), rate, weighted)


@dataclass(frozen=True, slots=True)
class Share:
    """What a rule answers.

    Attributes
    ----------
    slots : ndarray or None
        Of each job; None where the rule has no answer.
    case : str
        What decided, or why there is no answer.
    rate, weighted : Distance or None
        The sum of service rates, plain and weighted, and its distance from the best.
    """

    rule: Rule
    slots: np.ndarray | None
    case: str
    rate: Distance | None
    weighted: Distance | None


def _fair(asked: Request) -> np.ndarray:
    return fair_allocation(asked.jobs.T, asked.slots)


def _srpt(asked: Request) -> np.ndarray:
    return srpt_allocation(asked.jobs.T, asked.slots)


def _hopper(asked: Request) -> np.ndarray:
    return hopper_allocation(asked.jobs.T, asked.slots, asked.beta, asked.physical)


def _fair_hopper(asked: Request) -> np.ndarray:
    return fair_hopper_allocation(
        asked.jobs.T, asked.slots, asked.beta, asked.epsilon, asked.printed, asked.physical
    )


def _projected(asked: Request) -> np.ndarray:
    return projected_fair_allocation(
        asked.jobs.T, asked.slots, asked.beta, asked.epsilon, asked.printed, asked.physical
    )


def _dag(asked: Request) -> np.ndarray:
    jobs = asked.jobs
    return dag_allocation(
        jobs.T, jobs.weight, asked.slots, asked.beta, jobs.downstream, asked.printed, asked.physical
    )


def _optimum(asked: Request) -> np.ndarray:
    return weighted_optimum(asked.jobs.T, asked.jobs.weight, asked.slots, asked.beta)


def _idle(asked: Request) -> str:
    left = asked.slots - float(_srpt(asked).sum())
    return (
        f"{number(left)} slots idle: no second copies" if left > 1e-9 * asked.slots else "one copy per task"
    )


def _short(asked: Request) -> str:
    return "constrained: slots are short" if asked.short else "not constrained: S ∝ T"


def _guaranteed(asked: Request) -> str:
    regime = asked.regime(asked.epsilon)
    case = "constrained" if regime.constrained else f"not constrained, level {number(regime.level)}"
    if asked.printed:
        case = f"m₁ counts V ≤ S/N − ε = {number(asked.slots / len(asked.jobs.T) - asked.epsilon)}"
    return f"{case}; guarantee F = {number(regime.guarantee)}"


def _passes(asked: Request) -> str:
    return "one pass, as printed" if asked.printed else "repeated until nobody is below F"


def _named(asked: Request) -> str:
    return " and ".join(f"case {case.case}" + (f", k = {case.k}" if case.k else "") for case in asked.cases)


def _price(asked: Request) -> str:
    jobs = asked.jobs
    return f"a slot more adds {number(slot_price(jobs.T, jobs.weight, asked.slots, asked.beta))}"


RULES = (
    Rule("Fair share", "S/N slots each, whatever a job needs", _fair, lambda asked: "S/N each"),
    Rule("SRPT", "smallest job first, one slot per task", _srpt, _idle),
    Rule("Algorithm 1", "Hopper: the largest sum of rates", _hopper, _short),
    Rule("Algorithm 2", "Hopper with a guarantee for everyone", _fair_hopper, _guaranteed),
    Rule("Projection", "Hopper, SIGCOMM § 4.3: raise to the guarantee, share the rest", _projected, _passes),
    Rule("Algorithm 3", "Hopper for pipelined phases, a heuristic", _dag, _named),
    Rule("Exact optimum", "the largest weighted sum of rates", _optimum, _price),
)


def answers(asked: Request) -> dict[str, Share]:
    """Return what every rule makes of a question, by the names of the rules.

    Examples
    --------
    >>> from pages.formulas.allocation.question import checked, read_rows
    >>> jobs, _ = checked(read_rows("30,52.5"))
    >>> answers(Request(jobs, 100, 1.5, 0.5, printed=True))["Algorithm 2"].slots.round().tolist()
    [25.0, 75.0]
    """
    return {rule.name: rule.answer(asked) for rule in RULES}


@dataclass(frozen=True)
class Scene:
    """What the page has seen: a question, and what every rule makes of it.

    Attributes
    ----------
    asked : Request
    pour : str
        Name of the rule whose shares are shown as water.
    """

    asked: Request
    pour: str

    @cached_property
    def found(self) -> dict[str, Share]:
        """Shares under the rules as they were asked for."""
        return answers(self.asked)

    @cached_property
    def right(self) -> dict[str, Share]:
        """Shares under the rules with the papers' errors corrected."""
        return answers(self.corrected) if self.asked.printed else self.found

    @property
    def corrected(self) -> Request:
        """The question, asked of the corrected rules."""
        return replace(self.asked, printed=False)

    @property
    def poured(self) -> Share:
        """Shares that are shown as water."""
        return self.found[self.pour]


def _refusal(rule: Rule, asked: Request, error: ValueError) -> str:
    """Say why a printed rule has no answer."""
    if rule.shares is _dag:
        found = _named(asked)
        return f"{found} apply at once" if found else f"no case applies at S = {plain(asked.slots)}"
    if rule.shares is _fair_hopper:
        return "no m₂ satisfies the printed condition"
    return str(error)
