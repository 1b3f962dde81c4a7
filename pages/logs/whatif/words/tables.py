"""The table of options, on the screen and as a file; times in seconds, changes in % of today's mean."""

from __future__ import annotations

from functools import partial

import pandas as pd

from pages.logs.whatif.question import Request
from pages.logs.whatif.words.settings import called
from sim.advice.whatif.steps import Step

#: Changes that are shown, where they are known.
CHANGES = {
    "mean": "mean job time",
    "p95": "p95 of job time",
    "slot_time": "slot-time",
    "small_jobs": "mean of small jobs",
    "large_jobs": "mean of large jobs",
    "p50": "median job time",
}


def options(asked: Request, shown: Step, *, whole: bool = False) -> pd.DataFrame:
    """Return a row for each option: its number in the chart, what it is called, and what it changes.

    Parameters
    ----------
    asked : Request
    shown : Step
    whole : bool, optional
        Whether changes are numbers, and the policy is there as the shell reads it: for a file.
    """
    rows = []
    for place, (text, option) in enumerate(shown.answer.options.items(), start=1):
        figure = partial(shown.answer.figure, text)
        row: dict[str, object] = {
            "no.": place,
            "standing": shown.answer.standing(text),
            "setting": called(option.policy, asked.system),
        }
        if whole:
            row["policy"] = text
        for name, title in CHANGES.items():
            if (found := option.change.get(name)) is None:
                continue
            if not whole:
                row[title] = found.told
                continue
            row[f"{title} (%)"] = 100 * found.value
            row[f"{title}: 95 % from"] = 100 * found.low
            row[f"{title}: to"] = 100 * found.high
        row["mean job time (s)"] = figure("mean")
        row["p95 of job time (s)"] = figure("p95")
        row["second copies"] = figure("copies")
        row["of which won"] = figure("won")
        row["killed (slot·s)"] = figure("killed_time")
        rows.append(row)
    return pd.DataFrame(rows)


def luck(shown: Step) -> pd.DataFrame:
    """Return a row for each group of copies: its luck relative to the usual one."""
    parts = [
        one.groups.assign(against=one.name, share=one.share, chance=one.chance, spread=one.spread)
        for one in shown.check.residuals
    ]
    columns = ["against", "share", "chance", "spread", "group", "copies", "luck", "low", "high"]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return table[columns].rename(
        columns={
            "share": "share of luck explained",
            "chance": "chance of shuffled luck",
            "spread": "spread of durations at most",
            "luck": "median luck",
            "low": "95 % from",
            "high": "to",
        }
    )
