"""A reserved range of memory for very many rows, few of them in use at a time: the rest is given back.

Addresses cost next to nothing, memory does. A span has an address for every row, so that a row keeps its
place from the beginning of a run to its end, and what points to it may be its number. The system gives a row
memory when it is first written, a page at a time, and takes it when it is told that its page is not wanted
any more. Where a system cannot be told, rows keep their memory and nothing else is different.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from typing import Any

import numpy as np

#: What Linux calls MAP_NORESERVE: memory is promised when it is used, and not before.
_UNRESERVED = 0x4000 if sys.platform == "linux" else 0
_PRIVATE = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _UNRESERVED} if hasattr(mmap, "MAP_PRIVATE") else {}
)
_UNWANTED = getattr(mmap, "MADV_DONTNEED", None)
_SMALL_PAGES = getattr(mmap, "MADV_NOHUGEPAGE", None)


class Span:
    """Zeroed rows with an address each, and memory where they are in use.

    Parameters
    ----------
    count : int
        Rows, at least 1.
    dtype : dtype
        What a row is.

    Examples
    --------
    >>> span = Span(100_000, np.dtype("i8"))
    >>> span.rows[:] = 7
    >>> span.give_back(0, 99_000)  # whole pages only
    >>> int(span.rows[0]) in (0, 7), int(span.rows[99_999])
    (True, 7)
    """

    def __init__(self, count: int, dtype: Any) -> None:
        kind = np.dtype(dtype)
        self._room = mmap.mmap(-1, count * kind.itemsize, **_PRIVATE)
        if _SMALL_PAGES is not None:  # a row in use keeps its page, which is not to be a large one
            with contextlib.suppress(OSError):  # of a system that has no others
                self._room.madvise(_SMALL_PAGES)
        rows: Any = np.frombuffer(self._room, kind, count)
        self.rows = rows.view(np.recarray) if kind.names else rows

    def give_back(self, first: int, stop: int) -> None:
        """Give back the memory of the rows from `first` to before `stop`: of all pages that they fill."""
        each = self.rows.dtype.itemsize
        begin = -(-first * each // mmap.PAGESIZE) * mmap.PAGESIZE
        end = stop * each // mmap.PAGESIZE * mmap.PAGESIZE
        if _UNWANTED is not None and end > begin:
            self._room.madvise(_UNWANTED, begin, end - begin)
