"""Hosts that were slow for a time: found by a scan over windows of launches, and then parts of the fit.

A host that is slow for a minute is not a slow host, and what it adds is not luck: a copy on another host does
not meet it. The luck of the copies of each host, in the order of their launches, is summed over windows of
many lengths; the largest sum over the root of its count is compared with that of luck shuffled within stages
(a scan statistic: Kulldorff, 1997). A window counts if no shuffle has as large a sum, and its copies took at
least `SLOW` times as long as others of their stages. So one of two hundred logs has a window by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd

# Whether tasks that were slow are slow again where their stage recurs.
#
# Of two runs of a task in turn at least one was slow. Of a task that is slow by itself both were, with the
# chance `STAYS`; of one that had bad luck the other is slow as often as any of its kind, :math:`r_k`.
# If the share :math:`\lambda` of the slow tasks is slow by itself, the other run is slow with the chance
# :math:`b = \lambda \cdot 0.9 + (1 - \lambda) r_k`, and both are, of those that were slow at all, with
# :math:`b / (b + 2 (1 - b))`.

#: Grid of the share of slow tasks that would be as slow again.
SHARES = np.linspace(0, 1, 11)
#: Chance that work falls on the same tasks in another run: a task that is slow by itself is slow again, and
#: the work of a log that no count shows stays where it was.
STAYS = 0.9
#: Copies of all kinds that the share of slow ones of a kind is drawn towards.
_DRAWN = 20.0


@dataclass(frozen=True, eq=False)
class Recurrence:
    """What runs of the same tasks tell.

    Parameters
    ----------
    likelihood : ndarray
        Of each of `SHARES`, over that of none.
    runs : int
        Copies that have another run.
    pairs, both : int
        Runs in turn of which one was slow at least, and of which both were.
    """

    likelihood: np.ndarray
    runs: int
    pairs: int
    both: int


def recurrence(
    place: np.ndarray,
    stage: np.ndarray,
    kind: np.ndarray,
    host: np.ndarray,
    cold: np.ndarray,
    slow: np.ndarray,
) -> Recurrence:
    """Say how likely each share of tasks is that are slow by themselves.

    A host may be slow for a time, or in one kind of stage, so two runs on one host tell little of the task:
    they count where tasks keep to their hosts. Nor do copies on a cold slot, beside warm ones in their stage:
    they may be the first tasks of every run.

    Parameters
    ----------
    place, stage, kind, host : ndarray of int
        Codes of each copy, -1 where unknown; `place` is the task of a kind that recurs.
    cold : ndarray, shape (copies, 2)
        From `waves.first_waves`.
    slow : ndarray of bool
        Whether it was slow.
    """
    nothing = Recurrence(np.ones(SHARES.size), 0, 0, 0)
    first = pd.DataFrame(cold > 0)
    place = np.where((first & (first.groupby(stage).transform("mean") < 1)).any(axis=1), -1, place)
    if not (place >= 0).any():
        return nothing
    table = pd.DataFrame({"place": place, "stage": stage, "kind": kind, "host": host, "slow": slow})
    rate = table["slow"].groupby(table["kind"]).agg(["sum", "count"])
    rate = (rate["sum"] + _DRAWN * slow.mean()) / (rate["count"] + _DRAWN)
    runs = table[table["place"] >= 0].drop_duplicates(["place", "stage"]).sort_values("stage", kind="stable")
    other = runs.groupby("place")[["host", "slow"]].shift(-1)
    compared = other["host"].notna()
    if not compared.any():
        return nothing
    if (apart := compared & (other["host"].ne(runs["host"]) | runs["host"].lt(0))).sum() > compared.sum() / 2:
        compared = apart
    this, next_ = runs["slow"][compared].to_numpy(bool), other["slow"][compared].to_numpy(bool)
    chance = np.minimum(rate.reindex(runs["kind"][compared]).to_numpy(float), STAYS)[this | next_, None]
    both = (this & next_)[this | next_, None]
    again = SHARES * STAYS + (1 - SHARES) * chance
    likely = np.where(both, again, 2 * (1 - again)) / (2 - again)
    log = np.log(np.maximum(likely, 1e-12)).sum(axis=0)
    many = int(runs.groupby("place")["place"].transform("size").gt(1).sum())
    return Recurrence(np.exp(np.clip(log - log[0], -600, 600)), many, int(both.size), int(both.sum()))


#: Times luck is shuffled; factor from which a window counts; windows that are looked for.
SHUFFLES, SLOW, _MOST = 199, 1.5, 8
#: Copies of a window, at least; by how much windows grow; their steps, as a part of their length.
_FEWEST, _GROWTH, _STEP = 8, 1.4, 4
#: Seconds since 1970 from which a log has dates; seconds below which seconds are told.
_DATED, _MINUTE = 1e8, 60.0
#: Share of the copies of a host from which a window is not a time, but the host.
_ALL = 0.7


@dataclass(frozen=True, order=True)
class Spell:
    """A time in which the copies that a host launched took longer.

    Parameters
    ----------
    host : str
    begin, end : float
        First and last launch, in seconds of the history.
    copies : int
    """

    host: str
    begin: float
    end: float
    copies: int

    def when(self, origin: float) -> str:
        """Say when, by the clock in UTC if the log has dates, else in seconds of the history.

        Examples
        --------
        >>> Spell("a", 60.0, 150.0, 9).when(0.0)
        '60 to 150 s after the start'
        >>> Spell("a", 60.0, 150.0, 9).when(1.7e9), Spell("a", 60.0, 90060.0, 9).when(1.7e9)
        ('in the 90 s from 22:14 UTC', 'from 2023-11-14 22:14 to 2023-11-15 23:14 UTC')
        """
        if origin < _DATED:
            return f"{self.begin:,.0f} to {self.end:,.0f} s after the start"
        first, last = (datetime.fromtimestamp(origin + at, UTC) for at in (self.begin, self.end))
        if (
            self.end - self.begin < 2 * _MINUTE
        ):  # no text of three parts: it would be read as the name of an emoji
            return f"in the {self.end - self.begin:,.0f} s from {first:%H:%M} UTC"
        shape = "%H:%M" if first.date() == last.date() else "%Y-%m-%d %H:%M"
        return f"from {first:{shape}} to {last:{shape}} UTC"


def spells(copies: pd.DataFrame, luck: np.ndarray) -> tuple[Spell, ...]:
    """Return when hosts were slow for a time.

    Parameters
    ----------
    copies : DataFrame
        stage, host and launch of each copy.
    luck : ndarray
        Log durations less all that is known.

    Examples
    --------
    >>> number = np.arange(400)
    >>> copies = pd.DataFrame({"stage": number // 4, "launch": number // 4 * 10.0})
    >>> copies["host"] = np.array(["a", "b", "c", "d"])[number % 4]
    >>> luck = np.random.default_rng(1).normal(0, 0.1, 400)
    >>> luck[(copies["host"] == "c") & copies["launch"].between(300, 490)] += 1.0
    >>> spells(copies, luck)
    (Spell(host='c', begin=300.0, end=490.0, copies=20),)
    >>> spells(copies, np.random.default_rng(2).normal(0, 0.1, 400))
    ()
    """
    host = copies["host"].astype(str).to_numpy()
    known = (host != "") & copies["launch"].notna().to_numpy()
    if np.unique(host[known]).size < 2:
        return ()
    rows = np.flatnonzero(known)
    rows = rows[np.lexsort((copies["launch"].to_numpy(float)[rows], host[rows]))]
    code = np.unique(host[rows], return_inverse=True)[1]
    windows = _windows(np.bincount(code))
    if not windows.size:
        return ()
    stage = np.unique(copies["stage"].to_numpy()[rows], return_inverse=True)[1]
    launch, luck = copies["launch"].to_numpy(float)[rows], luck[rows]
    taken, found = np.zeros(rows.size, bool), list[Spell]()
    while len(found) < _MOST and (best := _best(luck, stage, windows, taken)) is not None:
        taken[best[0] : best[1]] = True
        first, last = best[0], best[1] - 1
        found.append(Spell(host[rows[first]], float(launch[first]), float(launch[last]), last + 1 - first))
    return tuple(sorted(found))


def _windows(sizes: np.ndarray) -> np.ndarray:
    """Return the first row of each window of each host, and the row after its last."""
    found = [np.empty((0, 2), int)]
    begin = 0
    for size in sizes.tolist():
        length = float(_FEWEST)
        while length <= _ALL * size:
            first = np.arange(0, size - int(length) + 1, max(1, int(length) // _STEP))
            found.append(begin + np.column_stack([first, first + int(length)]))
            length *= _GROWTH
        begin += size
    return np.concatenate(found)


def _best(
    luck: np.ndarray, stage: np.ndarray, windows: np.ndarray, taken: np.ndarray
) -> tuple[int, int] | None:
    """Return the window whose copies are slowest beyond chance, with its ends where they fit best."""
    free = ~taken
    rank = pd.Series(np.where(free, luck, np.nan)).rank(pct=True).fillna(0.5).to_numpy() - 0.5
    size = np.maximum(np.bincount(stage, free), 1)
    rank = np.where(free, rank - (np.bincount(stage, rank * free) / size)[stage], 0.0)
    clear = np.concatenate([[0], np.cumsum(taken)])
    windows = windows[clear[windows[:, 1]] == clear[windows[:, 0]]]
    if not windows.size:
        return None
    root = np.sqrt(windows[:, 1] - windows[:, 0])

    def sums(values: np.ndarray) -> np.ndarray:
        total = np.concatenate([[0.0], np.cumsum(values)])
        return np.asarray((total[windows[:, 1]] - total[windows[:, 0]]) / root)

    seen = sums(rank)
    place = int(np.argmax(seen))
    begin, end = _trimmed(rank, *windows[place].tolist())
    inside = np.zeros(luck.size, bool)
    inside[begin:end] = True
    others = np.isin(stage, stage[inside]) & ~inside & free
    if not others.any() or np.median(luck[inside]) - np.median(luck[others]) < np.log(SLOW):
        return None
    random, moved = np.random.default_rng(71), np.empty_like(rank)
    order = np.lexsort((stage, taken))  # taken copies keep their place
    order = order[: int(free.sum())]
    order = order[np.argsort(stage[order], kind="stable")]
    for _ in range(SHUFFLES):
        moved[:] = 0.0
        moved[order] = rank[order[np.lexsort((random.random(order.size), stage[order]))]]
        if sums(moved).max() >= seen[place]:
            return None
    return begin, end


def _trimmed(rank: np.ndarray, begin: int, end: int) -> tuple[int, int]:
    """Return the window near one whose sum over the root of its count is the largest."""
    length = end - begin
    best, found = -np.inf, (begin, end)
    total = np.concatenate([[0.0], np.cumsum(rank)])
    for first in range(begin, begin + length // 2):
        last = np.arange(max(end - length // 2, first + _FEWEST), end + 1)
        values = (total[last] - total[first]) / np.sqrt(last - first)
        place = int(np.argmax(values)) if values.size else 0
        if values.size and values[place] > best:
            best, found = float(values[place]), (first, int(last[place]))
    return found


def spell_codes(copies: pd.DataFrame, known: tuple[Spell, ...]) -> np.ndarray:
    """Return which spell each copy was launched in, -1 for none.

    Examples
    --------
    >>> copies = pd.DataFrame({"host": ["a", "a", "b"], "launch": [1.0, 5.0, 5.0]})
    >>> spell_codes(copies, (Spell("a", 4.0, 6.0, 1),)).tolist()
    [-1, 0, -1]
    """
    code = np.full(len(copies), -1)
    host, launch = copies["host"].astype(str).to_numpy(), copies["launch"].to_numpy(float)
    for number, one in enumerate(known):
        code[(host == one.host) & (launch >= one.begin) & (launch <= one.end)] = number
    return code
