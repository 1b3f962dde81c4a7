"""Lines of a text file as rows: decoded, counted where they are odd, left out where they make no sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sim.logs.records import Records
from sim.logs.source import Member

#: Bytes of a line: rows stay far below, and text of another kind is not searched for cells.
_LONGEST = 2**20
#: What a row may raise that is left out with this as its reason.
ERRORS = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)


def texts(member: Member, records: Records) -> Iterator[tuple[str, str]]:
    """Yield where each line stands that is not blank, and its text without its end."""
    for number, raw in member.lines():
        where = f"{member.name}, line {number}"
        if len(raw) > _LONGEST:
            records.note(f"lines of more than {_LONGEST:,} bytes: passed over", where)
            continue
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            records.note("lines not in UTF-8: read as Latin-1", where)
            text = raw.decode("latin-1")
        if text.strip():
            yield where, text.rstrip("\r\n")
    if member.truncated:
        records.note("packed files cut off: read as far as they go", member.name)


def read_each(members: Sequence[Member], records: Records, row: Callable[[str, str], None]) -> None:
    """Read every line of some files; those that raise are counted, with the first reason."""
    for member in members:
        for where, text in texts(member, records):
            try:
                row(text, where)
            except ERRORS as error:
                records.note("rows that cannot be read: left out", f"{where}: {error}")


def first_line(head: bytes, comments: tuple[bytes, ...] = ()) -> str:
    r"""Return the first line that is neither blank nor a comment.

    Examples
    --------
    >>> first_line(b"\n# Version: 1\nall.q:n1\n", (b"#",))
    'all.q:n1'
    """
    lines = (line for line in head.split(b"\n") if line.strip() and not line.startswith(comments))
    return next(lines, b"").decode("utf-8", "replace").rstrip("\r")
