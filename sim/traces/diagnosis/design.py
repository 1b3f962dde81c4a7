"""The columns of the least squares of `shares`: bytes read, hosts, first waves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse

from sim.traces.diagnosis.least_squares import Fit, rank

#: Hosts beyond these, the busiest, are compared as one.
MOST_HOSTS = 150


def first_waves(ratios: pd.DataFrame) -> np.ndarray:
    """Say of each copy whether it is the first of its stage on its slot, and whether of all.

    A holder of several slots (an executor) is cold for a copy launched before any other of its copies
    has ended.

    Returns
    -------
    ndarray of float, shape (n, 2)
    """
    holder = ratios["slot"].astype(str).where(ratios["slot"].astype(str) != "", ratios["host"].astype(str))
    frame = pd.DataFrame({"holder": holder, "stage": ratios["stage"], "end": ratios["end"]})
    columns = []
    for by in (["holder", "stage"], ["holder"]):
        warm = frame.groupby(by)["end"].transform("min")
        columns.append(ratios["launch"].to_numpy(float) < warm.to_numpy(float))
    return np.column_stack(columns).astype(float)


def waves_that_vary(waves: np.ndarray, stage: np.ndarray) -> list[int]:
    """Return which of the two columns differ within a stage."""
    return [place for place in range(2) if len(waves) and _varies(waves[:, [place]], stage)]


def design(ratios: pd.DataFrame) -> tuple[sparse.csr_matrix, dict[str, slice], dict[str, str]]:
    """Return the columns of each part that varies within stages, and why others are missing."""
    stage = ratios["stage"].to_numpy(int)
    reasons: dict[str, str] = {}
    found: dict[str, sparse.csr_matrix] = {}
    bytes_read = ratios["bytes"].to_numpy(float)
    known = pd.Series(bytes_read > 0).groupby(stage).transform("all").to_numpy(bool)
    work = np.where(known, np.log(np.where(known, bytes_read, 1.0)), 0.0)[:, None]
    if _varies(work, stage):
        found["work"] = sparse.csr_matrix(work)
    else:
        reasons["work"] = "the log has no bytes read that differ within a stage"
    hosts = ratios["host"].astype(str).to_numpy()
    busiest = pd.Series(hosts).value_counts()
    named = int((busiest.index != "").sum())
    if named < 2:
        reasons["machine"] = "all copies ran on one host" if named else "the log names no hosts"
    else:
        names = [host for host in busiest.index[: MOST_HOSTS + 1] if host][1:]
        place = pd.Index(names).get_indexer(hosts)
        rows = np.flatnonzero(place >= 0)
        found["machine"] = sparse.csr_matrix(
            (np.ones(rows.size), (rows, place[rows])), shape=(hosts.size, len(names))
        )
    waves = first_waves(ratios)
    if varied := waves_that_vary(waves, stage):
        found["first_wave"] = sparse.csr_matrix(waves[:, varied])
    else:
        reasons["first_wave"] = "the copies of each stage are all of the first wave, or none is"
    return _separable(found, stage, reasons)


def _separable(
    found: dict[str, sparse.csr_matrix], stage: np.ndarray, reasons: dict[str, str]
) -> tuple[sparse.csr_matrix, dict[str, slice], dict[str, str]]:
    """Leave out a part that the others determine."""
    for name in ("first_wave", "work", "machine"):
        columns, blocks = _joined(found, stage.size)
        cross = Fit(stage, np.ones(stage.size), columns, blocks).cross()
        if name in found and cross.size:
            own = np.zeros(len(cross), bool)
            own[blocks[name]] = True
            if rank(cross[own][:, own]) + rank(cross[~own][:, ~own]) > rank(cross):
                reasons[name] = "it always goes along with another part"
                del found[name]
    return *_joined(found, stage.size), reasons


def _joined(found: dict[str, sparse.csr_matrix], rows: int) -> tuple[sparse.csr_matrix, dict[str, slice]]:
    """Put the columns of the parts side by side, and say where each part stands."""
    blocks, width = {}, 0
    for name, columns in found.items():
        blocks[name] = slice(width, width + columns.shape[1])
        width += columns.shape[1]
    return (sparse.hstack(list(found.values())).tocsr() if found else sparse.csr_matrix((rows, 0))), blocks


def _centred(columns: np.ndarray, stage: np.ndarray) -> np.ndarray:
    mean = pd.DataFrame(columns).groupby(stage).transform("mean").to_numpy()
    return columns - mean


def _varies(column: np.ndarray, stage: np.ndarray) -> bool:
    return bool(column.size) and bool(np.abs(_centred(column, stage)).max() > 1e-9)
