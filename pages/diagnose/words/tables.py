"""The tables of the Diagnose page, as they are shown and as files; times in seconds."""

from __future__ import annotations

import pandas as pd

from sim.traces.diagnosis import Diagnosis

#: Rows shown; files have all.
MOST = 1_000


def jobs(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each job that was replayed, the worst first."""
    table = found.lost.jobs
    return pd.DataFrame(
        {
            "job": table["job"],
            "name": table["name"],
            "group": table["group"],
            "recorded (s)": table["recorded"],
            "without stragglers (s)": table["without"],
            "lost (s)": table["lost"],
            "lost (%)": 100 * table["lost"] / table["recorded"],
        }
    )


def stages(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each stage that ran, the worst first; ratios where ten tasks finished."""
    table = found.lost.stages.join(found.spread.table.set_index("stage")[["slowest", "over_1_5"]])
    return pd.DataFrame(
        {
            "stage": table["stage"],
            "job": table["job"],
            "name": table["name"],
            "tasks": table["tasks"],
            "median task (s)": table["median"],
            "slowest ÷ median": table["slowest"],
            "copies over 1.5 × median (%)": 100 * table["over_1_5"],
            "lost (s)": table["lost"],
        }
    )


def hosts(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each host that is compared, the slowest first."""
    table = found.shares.hosts
    return pd.DataFrame(
        {
            "host": table["host"],
            "copies": table["copies"],
            "time against the median host (×)": table["factor"],
            "95 % from": table["low"],
            "95 % to": table["high"],
        }
    )


def pairs(found: Diagnosis) -> pd.DataFrame:
    """Return a row for each second copy and its original, as ratios to the median of the stage."""
    table = found.speculation.pairs
    names = found.history.stages["stage"].to_pandas()
    return pd.DataFrame(
        {
            "stage": names.reindex(table["stage"]).to_numpy(),
            "task": table["task"],
            "original ÷ median": table["original"],
            "copy ÷ median": table["copy"],
            "original ended by itself": table["original_complete"],
            "copy ended by itself": table["copy_complete"],
            "copy won": table["copy_won"],
        }
    )


def settings(found: Diagnosis) -> pd.DataFrame:
    """Return the settings of scheduling and speculation that the log names."""
    named = found.history.settings
    return pd.DataFrame({"setting": list(named), "value": list(named.values())}, dtype=str)
