"""Frames of what was recorded: times, kinds of columns, and the number of slots over time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa


def table_of(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return a frame as a table; an empty frame does not know the kinds of its columns."""
    return (
        schema.empty_table()
        if frame.empty
        else pa.Table.from_pandas(frame, schema, preserve_index=False, nthreads=1)
    )


def first_time(changes: list[tuple[float, int]], *frames: pd.DataFrame) -> float:
    """Return the first time recorded, 0 if there is none."""
    times = [
        frame[column].min() for frame in frames for column in ("submit", "launch", "end") if column in frame
    ]
    times += [time for time, _ in changes]
    finite = [time for time in times if np.isfinite(time)]
    return float(min(finite, default=0.0))


def over_time(changes: list[tuple[float, int]]) -> pd.DataFrame:
    """Add changes up to the number of slots from each time on."""
    frame = pd.DataFrame(changes, columns=["time", "change"]).groupby("time")["change"].sum()
    return pd.DataFrame(
        {"time": frame.index.to_numpy(float), "slots": frame.cumsum().clip(lower=0).to_numpy()}
    )


def together(copies: pd.DataFrame) -> pd.DataFrame:
    """Return the largest number of copies that ran together as a constant number of slots."""
    ran = copies[copies["launch"].notna() & copies["end"].notna()]
    if ran.empty:
        return pd.DataFrame({"time": np.empty(0), "slots": np.empty(0, np.int64)})
    times = np.concatenate([ran["launch"], ran["end"]])
    steps = np.repeat([1, -1], len(ran))
    order = np.lexsort((steps, times))  # of one time, ends come first
    most = int(np.cumsum(steps[order]).max(initial=1))
    return pd.DataFrame({"time": [float(times.min())], "slots": [max(most, 1)]})
