"""Outermost objects of a JSON file, or items of arrays under some of their keys, one at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sim.logs.records import Records
from sim.logs.source import LONGEST_LINE, Member
from sim.model.fields import BadInput
from theory.quoting import quoted

_CHUNK = 2**16
_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
#: What stands between outermost objects: the last one ends an event in the files of Tez.
_BETWEEN = re.compile(r"[ \t\r\n,\[\]\x01]*")


#: A number that ends nearer to the end of what has been read may go on: 0 is read of "0.", 1 of "1e-".
_GOES_ON = 3


class _CutOff(Exception):
    """The file ends inside a value."""


def items(member: Member, *keys: str) -> Iterator[tuple[int, Any]]:
    """Yield the items of the arrays under some keys, whatever stands before and after them.

    An outermost object without such an array is an item itself, as each is where no key is given. There may
    be several, in a row or in an array.

    Yields
    ------
    int
        Number of the line on which the item begins.
    object
        The item.

    Raises
    ------
    BadInput
        If what stands outermost is no JSON object, or an item is larger than a line may be. A file that
        ends inside an object is marked as truncated.
    """
    with member.open() as stream:
        text = _Text(member, stream)
        try:
            while text.peek(_BETWEEN):
                line = text.line
                if (whole := text.without(keys)) is not None:
                    yield line, whole
                else:
                    yield from _items(text, keys)
        except _CutOff:
            member.truncated = True


def read_each(
    members: Sequence[Member],
    values: Callable[[Member], Iterable[tuple[int, Any]]],
    one: Callable[[Any, str], None],
    records: Records,
    unreadable: str,
    *,
    parts: Callable[[Any], Sequence[Any]] = lambda value: [value],
    told: Callable[[Exception], str] = str,
) -> None:
    """Read the items of some files; what cannot be read is left out with a note, as is the end of a file.

    Parameters
    ----------
    members : sequence of Member
    values : callable
        Yields the items of a file, each with its line, as `items` does.
    one : callable
        Reads an item, and takes the place where it stands.
    records : Records
        Where the notes go.
    unreadable : str
        The note of items that cannot be read.
    parts : callable, optional
        Takes an item apart.
    told : callable, optional
        Says what is wrong with an item.
    """
    for member in members:
        for line, value in values(member):
            where = f"{member.name}, line {line}"
            for part in parts(value):
                try:
                    one(part, where)
                except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
                    records.note(unreadable, f"{where}: {told(error)}")
        if member.truncated:
            records.note("files cut off: read as far as they go", member.name)


def _items(text: _Text, keys: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield what one outermost object has, or the object itself."""
    line, begin, listed = text.line, text.place, False
    others: dict[Any, Any] = {}
    text.take("{")
    while text.peek() != "}":
        name = text.name()
        text.take(":")
        if name in keys and text.peek() == "[":
            listed = True
            others.clear()
            text.take("[")
            while text.peek() != "]":
                yield text.line, text.value()
                text.take_if(",")
            text.take("]")
        elif listed:
            text.value()
        else:
            others[name] = text.value()
            text.check_length(begin)
        text.take_if(",")
    text.take("}")
    if not listed:
        yield line, others


class _Text:
    """The text of a file, as much of it as one value needs."""

    def __init__(self, member: Member, stream: Any) -> None:
        self.line = 1
        self._member, self._stream = member, stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._text, self._at, self._ended, self._dropped = "", 0, False, 0

    def _fill(self, step: int) -> None:
        data = self._stream.read(step)
        self._ended = not data
        self._dropped += self._at
        self._text = self._text[self._at :] + self._decode(data, final=self._ended)
        self._at = 0

    def _pass(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    @property
    def place(self) -> int:
        """How many characters have been passed."""
        return self._dropped + self._at

    def check_length(self, begin: int) -> None:
        """Refuse an object that is larger than a line may be."""
        if self.place - begin > 2 * LONGEST_LINE:
            raise BadInput(_too_long(self._told()))

    def peek(self, passed: re.Pattern[str] = _BLANK) -> str:
        """Return the next character that is not passed over; nothing at the end of the file."""
        while True:
            blank = passed.match(self._text, self._at)
            self._pass(blank.end() if blank else self._at)
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._fill(_CHUNK)

    def take_if(self, mark: str) -> None:
        """Pass over a character if it comes next."""
        if self.peek() == mark:
            self._at += 1

    def take(self, mark: str) -> None:
        """Pass over a character, which must come next."""
        found = self.peek()
        if not found:
            raise _CutOff
        if found != mark:
            begin = quoted(self._text[self._at : self._at + 20])
            raise BadInput(f"{self._member.name}, line {self.line}: {begin} stands where {mark} is needed")
        self._at += 1

    def without(self, keys: Sequence[str]) -> dict[str, Any] | None:
        """Return the next object if all of it is here and nothing in it is called by one of some keys."""
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):  # whatever is wrong is found when it is read in parts
            return None
        if not isinstance(value, dict) or any(f'"{key}"' in self._text[self._at : end] for key in keys):
            return None
        self._pass(end)
        return value

    def name(self) -> str:
        """Return the name of the next value of an object."""
        if self.peek() != '"':
            self.take('"')
        return str(self.value())

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        step = _CHUNK
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end + _GOES_ON <= len(self._text) or self._ended:
                    self._pass(end)
                    return value
            except RecursionError:
                raise BadInput(f"{self._told()}: values are nested too deep") from None
            except json.JSONDecodeError as error:
                self._check_cut(error)
                if self._ended:
                    raise _CutOff from None
            except ValueError:  # Python reads no integer of more than some thousand digits
                raise BadInput(f"{self._told()}: a number of too many digits") from None
            self._fill(step)
            step = min(2 * step, LONGEST_LINE)

    def _check_cut(self, error: json.JSONDecodeError) -> None:
        """Refuse a value that is wrong before its end as far as it has been read."""
        if len(self._text) - self._at > 2 * LONGEST_LINE:
            raise BadInput(_too_long(self._told()))
        if error.pos < len(self._text) - 64 and not error.msg.startswith("Unterminated string"):
            line = self.line + self._text.count("\n", self._at, error.pos)
            raise BadInput(f"{self._member.name}, line {line}: {error.msg}") from None

    def _told(self) -> str:
        return f"{self._member.name}, line {self.line}"


def _too_long(where: str) -> str:
    return f"{where}: an object of more than {2 * LONGEST_LINE:,} characters"
