"""Texts and tables of the page: cards, the rules of others, all running tasks, how to get the times."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pages.shared.charts.on_page import Headline
from pages.wait.controls import words_in
from pages.wait.question import Answer
from sim.advice.waiting.answer import COPY, FEWEST, RESTART, UNKNOWN, WAIT, Interval
from sim.advice.waiting.report import MOST, NAMES, about, chance, in_its_unit
from sim.logs.tabled import as_csv
from sim.telling.words import clipped, listed, number, spell

#: What each action is called in the table of rules.
DECISIONS = {WAIT: "waits", COPY: "copies", RESTART: "restarts", UNKNOWN: "cannot tell"}
#: Where times are from, a line each.
SOURCES = """
- **Spark UI**: open the stage; column *Duration* of its tasks. Of those with status RUNNING it is the age.
- **Ray**: `ray list tasks --detail --format json --limit 10000 > tasks.json`; drop it at *A log instead*.
- **Kubernetes**: `kubectl get jobs,pods -o json > pods.json`; drop it there.
- **Slurm**: `sacct -j JOB -X -n -s CD -o Elapsed` for those done, `squeue -j JOB -h -o %M` for those running.
- **Any log** that *Diagnose* reads, written while tasks run: drop it there, and choose the stage.
"""


def cards(seen: Answer) -> list[Headline]:
    """Return the headlines: done within a time, mean rests, when the answer changes, what a copy costs."""
    if not seen.enough:
        return _unknown(seen)
    task = seen.task
    assert task.choices is not None
    wait, copy, restart = (task.choices[one] for one in (WAIT, COPY, RESTART))
    place = seen.middle
    likely, (mean, interval) = wait.within[place], in_its_unit(wait.rest)
    changes = seen.changes
    return [
        (
            f"Done within {spell(seen.horizons[place], 2)}",
            chance(likely.value),
            f"if you wait ({_span(likely)}); with a copy {chance(copy.within[place].value)}, restarted "
            f"{chance(restart.within[place].value)}",
        ),
        (
            "Mean rest if you wait",
            mean,
            f"90 %: {interval}; with a copy {about(copy.rest)}, restarted {about(restart.rest)}",
        ),
        (
            "Answer changes at an age of",
            spell(changes[0], 2) if changes else "none",
            seen.change if changes else "it stays the same while the task gets older",
        ),
        (
            "Slot-time of a copy",
            f"{'+' if seen.more > 0 else '−'}{spell(abs(seen.more), 2)}",
            f"against waiting; {seen.others}",
        ),
    ]


def _unknown(seen: Answer) -> list[Headline]:
    """Return the headlines of too few siblings."""
    many = len(seen.siblings.done)
    oldest = max(seen.siblings.ages)
    times = f"{number(oldest / seen.median, 2)} times the middle sibling" if many else "no sibling is done"
    return [
        ("Siblings done", f"{many:,}", f"at least {FEWEST} are needed; 10 give a usable interval"),
        ("Oldest running task", spell(oldest, 3), times),
        ("Middle sibling", spell(seen.median, 3) if many else "unknown", "duration of those that are done"),
    ]


def _span(one: Interval) -> str:
    """Return the interval of a probability."""
    return f"{chance(one.low)} to {chance(one.high)}"


def below_charts(seen: Answer) -> str:
    """Say what the charts rest on."""
    task = seen.task
    told = (
        f"Of {clipped(task.name)}, {spell(task.age, 3)} old. Brackets and the band: 90 % intervals over all "
        f"laws that the tasks allow. At most {spell(task.counted, 2)} of a rest counts, so that a stuck task "
        "has a mean."
    )
    if len(seen.tasks) > 1:
        times = zip(seen.all_done, seen.horizons, strict=True)
        parts = [f"within {spell(one, 2)} with {chance(share.value)}" for share, one in times]
        told += f" If you wait, the {len(seen.tasks):,} running tasks are all done {listed(parts)}."
    return told


def rule_table(seen: Answer) -> pd.DataFrame:
    """Return from which age on each rule copies the task, and how it decides now."""
    now = seen.task.age
    limits = {
        "SDA": f"mean rest above σ* = {spell(seen.pays, 2)}",
        "Mantri": "P(rest > 2 × new copy) > 25 %",
    }
    rows = [
        (
            f"{rule}: {limits[rule]}" if rule in limits else rule,
            spell(age, 2) if age else "never",
            DECISIONS[COPY if age and now >= age else WAIT],
        )
        for rule, age in seen.rules.items()
    ]
    ours = None
    for older in reversed(seen.profile):  # a young task may be copied for its host, and not a little later
        if older.action not in (COPY, RESTART):
            break
        ours = older.age
    rows.append(("This page", spell(ours, 2) if ours else "never", DECISIONS[seen.task.action]))
    return pd.DataFrame(rows, columns=["rule", "copies from an age of", "now"]).set_index("rule")


def task_table(seen: Answer) -> pd.DataFrame:
    """Return the first of the running tasks as they are shown."""
    rows = []
    for task in seen.tasks[:MOST]:
        row = {"task": clipped(task.name), "age": spell(task.age, 3), "advice": NAMES[task.action]}
        if task.choices:
            wait = task.choices[WAIT]
            row["mean rest if you wait"] = about(wait.rest)
            for one, horizon in zip(wait.within, seen.horizons, strict=True):
                row[f"done within {spell(horizon, 2)}"] = chance(one.value)
        if task.host:
            row["host"] = clipped(task.host)
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def tidy(seen: Answer) -> pd.DataFrame:
    """Return all running tasks for download, times in seconds."""
    rows = []
    for task in seen.tasks:
        row: dict[str, Any] = {"task": task.name, "age_s": task.age, "host": task.host}
        row |= {"action": task.action, "probability_better": task.sure if task.action != UNKNOWN else None}
        for name, choice in (task.choices or {}).items():
            row |= _ends(f"{name}_rest_s", choice.rest) | {f"{name}_slot_time_s": choice.slot_time}
            for one, horizon in zip(choice.within, seen.horizons, strict=True):
                row |= _ends(f"{name}_done_within_{horizon:g}_s", one)
        rows.append(row)
    return pd.DataFrame(rows)


def csv(seen: Answer) -> str:
    """Return `tidy` as a file; names that a spreadsheet would run as formulas begin with an apostrophe."""
    return as_csv(tidy(seen))


def shell_line(values: Mapping[str, Any], stage: str = "") -> str:
    """Return the line that asks the same in the shell, of what is typed or of a stage of a log.

    Examples
    --------
    >>> shell_line({"done": "12 13, 14", "running": "40", "deadline": "2 min", "free": "queue"})
    "python -m sim wait --done '12 13 14' --running 40 --deadline '2 min' --slots queue"
    """
    lists = ("done", "running", "sizes", "running_sizes", "hosts", "running_hosts")
    given = {"stage": stage} if stage else {name: values.get(name, "") for name in lists}
    given |= {name: values.get(name, "") for name in ("deadline", "start")}
    given["slots"] = "" if values["free"] == "idle" else values["free"]
    options = [
        f"--{name.replace('_', '-')} {shlex.quote(' '.join(words_in(text)) if name != 'stage' else text)}"
        for name, text in given.items()
        if text
    ]
    return " ".join(["python -m sim wait", *(["LOG"] if stage else []), *options])


def _ends(name: str, one: Interval) -> dict[str, float]:
    return {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
