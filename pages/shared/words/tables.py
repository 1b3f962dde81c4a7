"""The numbers of a comparison as tables: by policy, by job size, and tidy for download."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.control import drawer
from sim.model.counted_jobs import CLASSES
from sim.model.result import MEASURES, Comparison, PairedDifference, PolicyResult, change, class_change
from sim.model.statistics import Estimate
from sim.running.report import RATIOS
from sim.telling.document import Drawn, Head, Part, as_html
from sim.telling.glossary import defined
from sim.telling.palette import palette
from sim.telling.words import measured

# Files to download: a button each, in a row; the content is made on demand.

#: Suffix of a file -> its media type, and the remark beside its label.
KINDS = {
    ".csv": ("text/csv", None),
    ".json": ("application/json", None),
    ".parquet": ("application/vnd.apache.parquet", "All that was read, compact: drop it here again."),
    ".html": ("text/html", "One file with all charts, to zoom and to save as pictures."),
}
SHARE = "The address of this page holds every control: copy it to share what you see."


def downloads(*files: tuple[str, str, Callable[[], str | bytes]]) -> None:
    """Draw a button for each file: its label, its name, and what makes its content."""
    with st.container(horizontal=True):
        for label, name, make in files:
            kind, about = KINDS[PurePath(name).suffix]
            st.download_button(
                label, make, name, kind, icon=":material/download:", on_click="ignore", help=about
            )


def json_text(value: Mapping[str, object]) -> str:
    """Return what a JSON file has."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


def charts_page(figures: Mapping[str, SerializedFigure]) -> str:
    """Return charts, by their titles, as one page that needs no network."""
    drawn = {title: figure.figure.to_plotly_json() for title, figure in figures.items()}
    dark = palette(True).ink in str([values["layout"] for values in drawn.values()])  # they are of one theme
    parts: list[Part] = []
    for number, (title, values) in enumerate(drawn.items()):
        parts += [Head(title), Drawn(f"chart-{number}", [values], title)]
    return as_html("straggler-lab", parts, scheme="dark" if dark else "light")


# The formulas of a page, folded: paragraphs, equations as `theory` has them, and sources.
#
# A part is a text in Markdown, an `Equation` of the theory, or a `Latex` that no function of the theory
# has.


@dataclass(frozen=True, slots=True)
class Latex:
    """An equation in LaTeX."""

    latex: str


@dataclass(frozen=True, slots=True)
class Source:
    """The source of what stands above, in small print."""

    text: str


class Equation:
    r"""The equations that functions of `theory` compute, as their docstrings have them, a line each.

    Parameters
    ----------
    *functions : callable
    begin : str, optional
        What stands before the first.
    letters : mapping of str to str, optional
        Letters of the docstring -> those of the page.

    Examples
    --------
    >>> from theory.cloning import task_outlier_probability
    >>> from theory.cutoff import cloning_load_limit
    >>> Equation(task_outlier_probability, begin="P = ").latex
    'P = 1 - (1 - p^c)^n'
    >>> print(Equation(cloning_load_limit, letters={r"\alpha": r"\beta"}).latex)
    \omega < \frac{r \beta - 1}{r^2 (\beta - 1)}
    """

    def __init__(
        self, *functions: Callable[..., object], begin: str = "", letters: dict[str, str] | None = None
    ) -> None:
        self._functions, self._begin, self._letters = functions, begin, letters or {}

    @property
    def latex(self) -> str:
        """The LaTeX of the equations."""
        lines = [_equation(function) for function in self._functions]
        found = self._begin + lines[0]
        if len(lines) > 1:  # a phone has no room for two side by side
            rows = r" \\[6pt] ".join([found, *lines[1:]])
            found = rf"\begin{{gathered}} {rows} \end{{gathered}}"
        for letter, ours in self._letters.items():
            found = found.replace(letter, ours)
        return found


def _equation(function: Callable[..., object]) -> str:
    """Return the first equation of a docstring, on one line."""
    found = re.search(r"^\.\. math:: (.*?)(?:\n\n|\Z)", inspect.getdoc(function) or "", re.S | re.M)
    return re.sub(r"\s+", " ", found[1]).rstrip(" .,") if found else ""


FormulaPart = str | Latex | Equation | Source


def show_formulas(
    page: str,
    parts: Sequence[FormulaPart] | Callable[[], Sequence[FormulaPart]],
    label: str = "The formulas",
) -> None:
    """Draw the drawer of formulas of a page."""
    if not (box := drawer(page, "formulas", label, ":material/function:")):
        return
    for part in parts() if callable(parts) else parts:
        match part:
            case Source(text):
                box.caption(text)
            case str():
                box.markdown(part)
            case _:
                box.latex(part.latex)


NO_JOBS = "no jobs"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table by policy: a statistic, its name, and how it is shown."""

    title: str
    measure: str
    statistic: str = ""
    unit: str = ""  # with {time} for the scenario's unit
    scale: float = 1.0

    def heading(self, time_unit: str) -> str:
        """Return the title with its unit.

        Examples
        --------
        >>> Column("flowtime, mean", "flowtime", "mean", "{time}").heading("s")
        'flowtime, mean (s)'
        """
        return f"{self.title} ({self.unit.format(time=time_unit)})" if self.unit else self.title


COLUMNS = (
    Column("flowtime, mean", "flowtime", "mean", "{time}"),
    Column("flowtime, median", "flowtime", "p50", "{time}"),
    Column("95 % within", "flowtime", "p95", "{time}"),
    Column("slowdown, mean", "slowdown", "mean"),
    Column("slot-time per job, mean", "resource", "mean", "slot·{time}"),
    Column("extra copies", "speculative_copies_share", "", "% of copies", 100),
    Column("slot-time of extra copies", "speculative_time_share", "", "% of busy time", 100),
    Column("busy slots", "utilisation", "", "%", 100),
)


def by_policy(comparison: Comparison) -> pd.DataFrame:
    """Return one row a policy, each number with the half width of its interval.

    Returns
    -------
    DataFrame
        Of text, 'value ± half width'; 'unknown: …' where unfinished jobs hide a number.
    """
    unit = comparison.scenario.time_unit
    rows = {
        name: {
            column.heading(unit): measured(
                result.estimate(column.measure, column.statistic), scale=column.scale
            )
            for column in COLUMNS
        }
        | {"unfinished jobs": f"{result.unfinished:,} of {result.jobs:,}"}
        | ({"code": result.code} if result.code else {})
        for name, result in comparison.policies.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("policy")


def by_class(comparison: Comparison, statistic: str = "mean") -> pd.DataFrame:
    """Return the flowtime by job size: one row a class of jobs, one column a policy.

    Parameters
    ----------
    comparison : Comparison
    statistic : str
        'mean', 'p50' or 'p95'.
    """
    counts = class_counts(comparison)
    table = {"jobs": [f"{count:,}" for count in counts]}
    for name, result in comparison.policies.items():
        estimates = zip(result.by_class(statistic), counts, strict=True)
        table[name] = [measured(estimate) if count else NO_JOBS for estimate, count in estimates]
    return pd.DataFrame(table, index=pd.Index([name for name, _ in CLASSES], name="size of the job"))


def helps(table: pa.Table) -> dict[str, Any]:
    """Return for each column what the words of its heading mean, where that is in the glossary."""
    return {
        name: st.column_config.Column(help=told.removeprefix("- "))
        for name in table.column_names
        if (told := defined(name))
    }


def class_counts(comparison: Comparison) -> list[int]:
    """Return the counted jobs of each class, over all replications; the same under every policy."""
    samples = next(iter(comparison.policies.values())).samples
    return [sum(sample.classes[place].jobs for sample in samples) for place in range(len(CLASSES))]


def tidy(comparison: Comparison) -> pd.DataFrame:
    """Return every statistic in a row of its own, for download.

    Returns
    -------
    DataFrame
        Columns policy, jobs ('all' or a size class), measure, statistic, value, low, high, unit; change,
        change_low, change_high: the same as a share of the baseline, paired. Empty where a value is
        censored away, or a bound does not exist with one replication.
    """
    numbers = ["value", "low", "high"]
    changes = ["change", "change_low", "change_high"]
    names = ["policy", "jobs", "measure", "statistic", *numbers, "unit", *changes]
    rows = [row for result in comparison.policies.values() for row in _rows(comparison, result)]
    table = pd.DataFrame(rows, columns=names)
    return table.astype(dict.fromkeys([*numbers, *changes], float))


def _rows(comparison: Comparison, result: PolicyResult) -> Iterator[tuple[object, ...]]:
    name, baseline = result.name, comparison.baseline
    time = comparison.scenario.time_unit
    units = {"flowtime": time, "slowdown": "1", "resource": f"slot·{time}"}
    read = [
        (measure, one, units[measure]) for measure, shares in MEASURES.items() for one in ("mean", *shares)
    ]
    for measure, statistic, unit in [*read, *((ratio, "", "1") for ratio in RATIOS)]:
        found = change(comparison, name, baseline, measure, statistic)
        told = "all", measure, statistic or "share"
        yield (
            name,
            *told,
            *_ends(result.estimate(measure, statistic)),
            unit,
            *_change(comparison, name, found),
        )
    for statistic in ("mean", "p50", "p95"):
        counted = zip(CLASSES, class_counts(comparison), result.by_class(statistic), strict=True)
        for place, ((size, _), count, estimate) in enumerate(counted):
            if count:
                found = class_change(comparison, name, baseline, place, statistic)
                told = size, "flowtime", statistic
                yield name, *told, *_ends(estimate), time, *_change(comparison, name, found)
    share = Estimate(result.unfinished / result.jobs)
    yield name, "all", "unfinished", "share", *_ends(share), "1", *_change(comparison, name, None)


def _ends(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def _change(
    comparison: Comparison, policy: str, found: PairedDifference | None
) -> tuple[float | None, float | None, float | None]:
    """Return the change from the baseline, which has none."""
    return _ends(Estimate(None) if found is None or policy == comparison.baseline else found.share)


def as_arrow(table: pd.DataFrame) -> pa.Table:
    """Return a table as it is sent, so that it is made once for all sessions."""
    plain = pa.Table.from_pandas(table.reset_index(), preserve_index=False)
    return plain.replace_schema_metadata()  # a third of it, which says to pandas that text is text


def csv(comparison: Comparison) -> bytes:
    """Return `tidy` as a file."""
    return tidy(comparison).to_csv(index=False).encode()
