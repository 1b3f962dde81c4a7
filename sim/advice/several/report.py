"""Repeated runs, before and after, and a gate: as JSON, as text, as Markdown, and as JUnit's XML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.advice.several import charts
from sim.advice.several.after import (
    FAILS,
    FALSE_ALARM,
    HELD,
    UNTOLD,
    After,
    Gate,
    compared,
    told_change,
    told_more,
)
from sim.advice.several.change import TITLES, Change, Changes
from sim.advice.several.layout import FALSE_ALARM as NAMED_BY_CHANCE
from sim.advice.several.layout import PARTS
from sim.advice.several.reruns import Repeated, repeated
from sim.advice.several.sides import Sides
from sim.logs.foreign import refusing
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.leaving_out import GONE, KEPT, check_left_out, named_in, without_jobs
from sim.logs.source import Upload
from sim.logs.tabled import Tabled, given
from sim.model.fields import About, BadInput, canonical
from sim.telling import document
from sim.telling.document import Drawn, Head, Part, Said, Table, as_markdown, typeset
from sim.telling.words import UNKNOWN, changed, compact, in_percent, spell, within
from theory.quoting import quoted, shortened, visible

if TYPE_CHECKING:
    from sim.telling.figure import Figure

# `sim.after`: what a change did to the same jobs, as objects, a table and a figure.

#: A run: a log or a folder of its parts, or one that has been read.
Run = str | Path | Upload | History
_REPLICATIONS = About("how often runs are played again; 0: not at all", low=0, high=100_000)
_NUMBERS = (
    *("before", "after", "change", "change_low", "change_high"),
    *("promised", "promised_low", "promised_high"),
)
_COLUMNS = ("figure", "title", *_NUMBERS, "over", "reason")


@dataclass(frozen=True, eq=False)
class AfterResult(After, Tabled):
    """What a change did, with its table and its figure."""

    @property
    def table(self) -> pd.DataFrame:
        """The figures of the jobs that are in all runs, a row each.

        Its columns are `figure` and `title`; `before` and `after` in seconds; `change` as a share with
        `change_low` and `change_high`, its 95 % interval; `promised`, `promised_low` and `promised_high`, in
        seconds what What-if had promised, which 90 % of runs keep; `over`, what the interval is over, and
        `reason`, why there is none.
        """
        bands = self.promise.bands if self.promise else {}
        rows = []
        for name, one in self.found.change.items():
            share, band = one.share, bands.get(name)
            promised = (band.middle, band.low, band.high) if band else (None, None, None)
            numbers = (one.before, one.after, share.value, share.low, share.high, *promised)
            rows.append((name, TITLES[name], *numbers, one.over, one.reason))
        return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(_NUMBERS, float))

    def plot(self, *, dark: bool = False) -> Figure:
        """Return by what each figure changed, as a figure of Plotly.

        Parameters
        ----------
        dark : bool, optional
            Whether it is drawn on a dark background.

        Raises
        ------
        BadInput
            If no job is in all runs.
        """
        if not self.found.change:
            raise BadInput("plot: no job is in all runs by its name, so that no change can be drawn")
        return charts.draw(self, dark)


def after(
    before: Run | Sequence[Run],
    after: Run | Sequence[Run],
    *,
    replications: int = 200,
    leave_out: str = "",
    left_out: str = KEPT,
) -> AfterResult:
    """Say what a change did to the jobs that ran before and after it; two runs of each tell much more.

    Parameters
    ----------
    before, after : str, Path or Upload, or a list of them
        The runs before and after the change, each a log or a folder of its parts.
    replications : int, optional
        How often runs are played again, for what was promised and for intervals that need it; 0: not at all.
    leave_out : str, optional
        Jobs whose group or name contains it, such as warm-up runs, are not compared.
    left_out : str, optional
        What becomes of them where runs are diagnosed and played again: kept, they take slots as they did;
        gone, the slots they had are free.

    Returns
    -------
    AfterResult
        `sentence`, `assumed`, `settings`, `promise` and the other fields of the answer; `table`, `to_csv()`
        and `plot()`.

    Raises
    ------
    BadInput
        Naming the run or the argument, and the reason.

    Examples
    --------
    >>> import sim
    >>> from sim.logs.samples import nightly
    >>> found = sim.after([nightly(1), nightly(2)], [nightly(3), nightly(4)], replications=0)
    >>> found.table.figure.tolist()
    ['mean', 'p50', 'p95', 'p99', 'slot-time']
    """
    early, late = given("before", before), given("after", after)
    return AfterResult.of(after_of(early, late, replications, leave_out=leave_out, left_out=left_out))


def after_of(
    before: Sequence[Run],
    after: Sequence[Run],
    replications: object,
    files: Callable[[Any], Sequence[Run]] = lambda run: [run],
    leave_out: str = "",
    left_out: str = KEPT,
) -> After:
    """Read runs and compare them, for Python, the shell and other programs.

    Parameters
    ----------
    before, after : sequence of str, Path or Upload
    replications : int or str
        As of `sim.after`.
    files : callable, optional
        Returns the files of a run.
    leave_out, left_out : str, optional
        As of `sim.after`.

    Raises
    ------
    BadInput
        Naming the run or the option, and the reason.
    """
    count = canonical("replications", replications, int, _REPLICATIONS)
    if count == 1:
        raise BadInput(f"replications: {quoted(replications)} is not accepted; give 0, or 2 and more")
    early, late, still = read_sides(before, after, files, leave_out, left_out)
    return compared(early, late, count, leave_out=still)


def read_sides(
    before: Sequence[Run],
    after: Sequence[Run],
    files: Callable[[Any], Sequence[Run]] = lambda run: [run],
    leave_out: str = "",
    left_out: str = KEPT,
) -> tuple[list[History], list[History], str]:
    """Return the runs of both sides, and the text of what is still to be left out: none where it is gone.

    Raises
    ------
    BadInput
        As `after_of`.
    """
    check_left_out(left_out)
    early, late = read_runs(before, files), read_runs(after, files)
    if left_out != GONE or not leave_out:
        return early, late, leave_out
    runs = [*early, *late]
    left = [without_jobs(*one) for one in zip(runs, named_in(runs, leave_out), strict=True)]
    return left[: len(early)], left[len(early) :], ""


def read_runs(
    runs: Sequence[Any],
    files: Callable[[Any], Sequence[Run]] = lambda run: [run],
    progress: Callable[[int], None] = lambda number: None,
) -> list[History]:
    """Read runs; raises `BadInput` for one that is given twice."""
    known: dict[str, str] = {}
    found = [read_history(*files(run), progress=progress) for run in runs]
    for one in found:
        name = ", ".join(one.files)
        if one.digest in known:
            raise BadInput(
                f"runs: {quoted(name)} is the run of {quoted(known[one.digest])}; give another run"
            )
        known[one.digest] = name
    return found


# Reads a log before and a log after and says what both tell, in a separate process.


@dataclass(frozen=True, eq=False)
class Both:
    """What two logs tell.

    Parameters
    ----------
    before, after : History
        The last run of each.
    change : After
        Without what was promised.
    repeated : Repeated or None
        Of all runs; None where no tasks are in all of them.
    reason : str
        Why not.
    """

    before: History
    after: History
    change: After
    repeated: Repeated | None
    reason: str = ""

    @property
    def repeated_runs(self) -> Repeated | None:
        """What all runs measure where the logs name no setting that differs; else None."""
        return None if self.change.settings else self.repeated


def read_both(
    *files: Upload | History,
    first: int,
    apart: bool = False,
    leave_out: str = "",
    progress: Callable[[int], None] = lambda number: None,
) -> Both:
    """Read logs before and after.

    Parameters
    ----------
    *files : Upload
        Of both.
    first : int
        How many of them are from before.
    apart : bool, optional
        Whether each file is a run by itself; else those before are the parts of one log, as are those after.
    leave_out : str, optional
        As of `sim.advice.several.after.compared`.
    progress : callable, optional
        Told how many bytes more are read.

    Raises
    ------
    BadInput
        If one is no log, or given twice, or no job is so named.
    """
    with refusing(files):
        sides = files[:first], files[first:]
        runs = [[[one] for one in side] if apart else [side] for side in sides]
        before, after = (read_runs(side, lambda run: run, progress) for side in runs)
        change = compared(before, after, leave_out=leave_out)
        try:
            return Both(before[-1], after[-1], change, repeated([*before, *after]))
        except BadInput as error:
            return Both(before[-1], after[-1], change, None, str(error))


# Before and after, and a gate, as the parts that a reader meets: one HTML file, and a gate's Markdown.


def after_html(found: After) -> str:
    """Return what a change did as one HTML file to hand to a colleague."""
    return document.as_html("Before and after", after_parts(found))


def after_parts(found: After) -> Iterator[Part]:
    """Yield what a change did as it is read: the answer, where the time went, and the numbers."""
    yield Head(typeset(found.sentence), 1)
    if found.assumed:
        yield Said(typeset(found.assumed))
    yield from _sides(found.sides)
    yield from _figures(found)
    rows = [(name, old or "not named", new or "not named") for name, (old, new) in found.settings.items()]
    if rows:
        yield Head("Settings that differ")
        yield Table(pd.DataFrame(rows, columns=["setting", "before", "after"]), wraps=True)


def gate_html(found: Gate) -> str:
    """Return a gate as one HTML file."""
    return document.as_html(f"Gate: {found.verdict}", gate_parts(found))


def gate_parts(found: Gate) -> Iterator[Part]:
    """Yield a gate as it is read: the verdict, and that of `gate_summary`, with its numbers."""
    yield Head(f"Gate: {found.verdict}", 1)
    yield from gate_summary(found)
    if found.sides is not None:
        yield from _figures(After(found.changes, {}, found.sides))


def gate_summary(found: Gate) -> Iterator[Part]:
    """Yield each condition with its verdict, what changed most, and what the verdict assumes."""
    rows = [(str(one.condition), one.verdict, typeset(one.reason)) for one in found.judged]
    yield Table(pd.DataFrame(rows, columns=["fail if", "verdict", "why"]), wraps=True)
    if found.sides is not None:
        yield from _sides(found.sides)
    alarm = typeset(in_percent(FALSE_ALARM, None))
    yield Said(
        f"{len(found.changes.jobs.names):,} jobs are in all runs. Chance to fail without a change "
        f"above a limit: at most {alarm}."
    )


def _sides(sides: Sides) -> Iterator[Part]:
    """Yield what changed most, and what to do first in each run."""
    yield from (Said(typeset(line)) for line in sides.told)


def _figures(found: After) -> Iterator[Part]:
    """Yield the chart and the table of all figures; nothing where no job is in all runs."""
    if not found.found.change:
        return
    yield Head(charts.TITLE)
    figures = [charts.draw(found, dark).to_plotly_json() for dark in (False, True)]
    yield Drawn("changes", figures, typeset(charts.alt(found)), charts.about(found))
    rows = [_row(found, name, one) for name, one in found.found.change.items()]
    yield Table(pd.DataFrame(rows))
    reasons = [f"{TITLES[name]}: {one.reason}" for name, one in found.found.change.items() if one.reason]
    if reasons:
        yield Said(typeset(f"Without an interval: {'; '.join(reasons)}."), small=True)


def _row(found: After, name: str, one: Change) -> dict[str, str]:
    band = found.promise.bands.get(name) if found.promise else None
    promised = {"promised": f"{spell(band.low)} to {spell(band.high)}" if band else UNKNOWN}
    return {
        "figure": TITLES[name],
        "before": spell(one.before),
        "after": spell(one.after),
        "change, 95 % interval": typeset(changed(one.share)),
        **(promised if found.promise else {}),
    }


#: Tasks that are named in text.
_MOST = 10


def repeated_json(found: Repeated) -> dict[str, Any]:
    """Return the contract of ``python -m sim repeated --json``."""
    one, tasks = found.measured, found.tasks
    return {
        "sentence": found.sentence,
        "runs": tasks.runs,
        "tasks": len(tasks.log),
        "unpaired": tasks.unpaired,
        "replaced": tasks.replaced,
        "matched_by": tasks.how,
        "measured": {name: asdict(one.shares[name]) if name in one.shares else None for name in PARTS},
        "inferred": {
            name: asdict(found.inferred[name]) if name in found.inferred else None for name in PARTS
        },
        "agrees": {name: found.agrees(name) for name in PARTS},
        "untold": dict(one.reasons),
        "variance": dict(one.variance),
        "degrees_of_freedom": one.freedom._asdict(),
        "blocks": one.blocks,
        "hosts_by_run": one.hosts_by_run,
        "correlation": one.correlation,
        "hosts": _rows(one.hosts),
        "always_slow": _rows(one.slow),
        "looked_at": one.looked_at,
        "false_alarm": NAMED_BY_CHANCE,
    }


def _rows(table: Any) -> list[dict[str, Any]]:
    """Return a table as rows of plain numbers and text."""
    columns = {str(name): table[name].tolist() for name in table}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def repeated_text(found: Repeated) -> str:
    """Return repeated runs for a terminal."""
    one, tasks = found.measured, found.tasks
    lines = [
        found.sentence,
        "",
        f"{'part':10}{'measured':>26}{'inferred from run 1':>26}   degrees of freedom",
    ]
    for name in PARTS:
        measured, inferred = (
            within(share.value, share.low, share.high, compact, "") if share else "cannot be told"
            for share in (one.shares.get(name), found.inferred.get(name))
        )
        lines.append(f"{name:10}{measured:>26}{inferred:>26}   {getattr(one.freedom, name):,}")
    lines += ["", *(f"{name} cannot be told: {reason}." for name, reason in one.reasons.items())]
    lines += [
        f"{name} cannot be inferred from run 1: {reason}."
        for name, reason in found.reasons.items()
        if name not in found.inferred
    ]
    lines.append(
        f"{len(tasks.log):,} tasks are paired over {tasks.runs} runs, by {tasks.how}; {tasks.unpaired:,} of "
        f"run 1 are not. A task's time in two runs has a correlation of {one.correlation:.2f}."
    )
    if tasks.replaced:
        lines.append(
            f"Of {tasks.replaced:,} a second copy ended first in some run: its time stands for them."
        )
    if len(one.slow):
        lines += ["", f"Slow in every run ({in_percent(NAMED_BY_CHANCE)} of them are not, on average)"]
        lines += [
            f"  task {row.task} of {shortened(row.stage)}: {row.factor:.2f} times the usual"
            for row in one.slow.head(_MOST).itertuples()
        ]
    return "\n".join(map(visible, lines))


def change_json(one: Change) -> dict[str, Any]:
    """Return a change for other programs: times in seconds, the change as a share."""
    sequence = one.sequence
    return {
        "before": one.before,
        "after": one.after,
        "change": one.share.as_dict(),
        "reason": one.reason,
        "untold": one.untold,
        "over": one.over,
        "pairs_of_runs": {
            "pairs": sequence.pairs,
            "evidence": min(sequence.evidence, 1e300),
            "told": sequence.told,
            "more": sequence.more,
            "false_alarm": sequence.false_alarm,
        },
    }


def _changes_json(found: Changes) -> dict[str, Any]:
    return {
        "jobs": len(found.jobs.names),
        "unpaired": list(found.jobs.unpaired),
        "matched_by": found.jobs.how,
        "runs": list(found.runs),
        "blocks": found.blocks,
        "drivers": found.loop.drivers if found.loop else None,
        "unit": "s",
        "figures": {name: change_json(one) for name, one in found.change.items()},
    }


def after_json(found: After) -> dict[str, Any]:
    """Return the contract of ``python -m sim after --json``."""
    promise = found.promise
    return {
        "sentence": found.sentence,
        "assumed": found.assumed,
        **_changes_json(found.found),
        **found.sides.as_json,
        "settings": {name: list(pair) for name, pair in found.settings.items()},
        "promise": None
        if promise is None
        else {
            "setting": list(promise.setting),
            "check": promise.verdict,
            "reason": promise.reason,
            "held": HELD,
            "figures": {name: asdict(band) | {"kept": band.kept} for name, band in promise.bands.items()},
        },
    }


def promised_change(found: After) -> list[dict[str, Any]]:
    """Return a line for `sim.advice.whatif.certificate`: none where nothing was changed or promised."""
    promise = found.promise
    if promise is None or not promise.bands or not found.settings:
        return []
    bands = {name: [band.low, band.high, band.after] for name, band in promise.bands.items()}
    return [{"setting": [*promise.setting], "figures": bands}]


def after_text(found: After) -> str:
    """Return before and after for a terminal."""
    one = found.found
    lines = [
        found.sentence,
        "",
        *(f"{told_change(change)}{_over(change)}; {told_more(change)}." for change in one.change.values()),
        "",
        *found.sides.told,
    ]
    lines += ["", f"{len(one.jobs.names):,} jobs are in all runs, by {one.jobs.how}."]
    if found.settings:
        lines += ["", "Settings that differ"]
        lines += [
            f"  {shortened(name)}: {shortened(old) or 'not named'} -> {shortened(new) or 'not named'}"
            for name, (old, new) in found.settings.items()
        ]
    else:
        lines.append("The logs name no settings that differ: these are repeated runs, as far as they tell.")
    if (promise := found.promise) is not None:
        lines += ["", f"Promised by What-if on the run before, under {promise.setting[1]}"]
        lines += [
            f"  {TITLES[name]}: {band.low:.4g} to {band.high:.4g} s (90 % of runs), came to "
            f"{band.after:.4g} s: {'as promised' if band.kept else 'not as promised'}"
            for name, band in promise.bands.items()
        ]
        lines += [f"  cannot be told: {promise.reason}."] if promise.reason else []
    if found.assumed:
        lines += ["", found.assumed]
    return "\n".join(map(visible, lines))


def _over(change: Change) -> str:
    return f", over {change.over}" if change.over and not change.reason else ""


def gate_json(found: Gate) -> dict[str, Any]:
    """Return the contract of ``python -m sim gate --json``."""
    return {
        "verdict": found.verdict,
        "exit_code": found.code,
        "false_alarm": FALSE_ALARM,
        "conditions": [
            {"condition": str(one.condition), "verdict": one.verdict, "reason": one.reason}
            for one in found.judged
        ],
        **_changes_json(found.changes),
        **(found.sides.as_json if found.sides else {}),
    }


def gate_text(found: Gate) -> str:
    """Return a gate for a terminal: a line for each condition, what changed, and what to do first."""
    lines = [f"{one.verdict}: {one.condition} - {one.reason}" for one in found.judged]
    lines += found.sides.told if found.sides else ()
    return "\n".join(map(visible, [*lines, f"gate: {found.verdict}"]))


def gate_markdown(found: Gate) -> str:
    """Return a gate as Markdown, for the summary of a pipeline or a comment."""
    return as_markdown([Head(f"Gate: {found.verdict}", 3), *gate_summary(found)])


def gate_junit(found: Gate) -> str:
    """Return a gate as JUnit's XML: a test for each condition; what cannot be told is skipped."""
    cases = []
    for one in found.judged:
        reason = escape(visible(one.reason))
        inside = {FAILS: f'<failure message="{reason}"/>', UNTOLD: f'<skipped message="{reason}"/>'}
        name = escape(f"not {one.condition}")
        cases.append(f'  <testcase classname="gate" name="{name}">{inside.get(one.verdict, "")}</testcase>')
    verdicts = [one.verdict for one in found.judged]
    counts = f'tests="{len(cases)}" failures="{verdicts.count(FAILS)}" skipped="{verdicts.count(UNTOLD)}"'
    body = "\n".join(cases)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{head}\n<testsuite name="gate" errors="0" {counts}>\n{body}\n</testsuite>'
