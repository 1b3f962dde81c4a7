"""First waves: copies on a slot that nothing has warmed yet."""

from __future__ import annotations

import numpy as np
import pandas as pd


def first_waves(copies: pd.DataFrame) -> np.ndarray:
    """Say of each copy whether it is the first of its stage on its slot, and whether of all.

    A holder of several slots (an executor) is cold for a copy launched before any other of its copies
    has ended.

    Returns
    -------
    ndarray of float, shape (n, 2)
    """
    slot = copies["slot"].astype(str)
    holder = slot.where(slot != "", copies["host"].astype(str))
    frame = pd.DataFrame({"holder": holder, "stage": copies["stage"], "end": copies["end"]})
    columns = []
    for by in (["holder", "stage"], ["holder"]):
        warm = frame.groupby(by)["end"].transform("min")
        columns.append(copies["launch"].to_numpy(float) < warm.to_numpy(float))
    return np.column_stack(columns).astype(float)
