"""The tables of the page, as they are shown and as files; times in seconds."""

from __future__ import annotations

import pandas as pd

from sim.several.after import After
from sim.several.change import TITLES
from sim.several.repeated import Repeated


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def changes(found: After) -> pd.DataFrame:
    """Return a row for each figure: before, after, the change, and what was promised."""
    bands = found.promise.bands if found.promise else {}
    rows = [
        {
            "figure": TITLES[name],
            "before (s)": one.before,
            "after (s)": one.after,
            "change (%)": _percent(one.share.value),
            "95 % from (%)": _percent(one.share.low),
            "95 % to (%)": _percent(one.share.high),
            "promised from (s)": bands[name].low if name in bands else None,
            "promised to (s)": bands[name].high if name in bands else None,
            "more pairs of runs to tell": one.sequence.more,
        }
        for name, one in found.found.change.items()
    ]
    table = pd.DataFrame(rows)
    numbers = [name for name in table if name != "figure"]
    return table.astype(dict.fromkeys(numbers, float)) if rows else table


def slow(found: Repeated | None) -> pd.DataFrame:
    """Return a row for each task that is slow in both runs."""
    table = found.measured.slow if found else pd.DataFrame()
    if table.empty:
        return pd.DataFrame()
    return pd.DataFrame(
        {
            "stage": table["stage"],
            "task": table["task"],
            "time against the usual task (×)": table["factor"],
            "chance": table["p"],
        }
    )


def settings(found: After) -> pd.DataFrame:
    """Return the settings that differ."""
    rows = [(name, *pair) for name, pair in found.settings.items()]
    return pd.DataFrame(rows, columns=["setting", "before", "after"], dtype=str)
