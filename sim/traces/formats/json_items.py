"""Objects of an array under a key of the outermost object of a JSON file, one at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from sim.fields import BadInput
from sim.traces.formats.json_values import check_cut
from sim.traces.source import LONGEST_LINE, Member
from theory.shown import quoted

_CHUNK = 2**16
_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


class _CutOff(Exception):
    """The file ends inside a value."""


def items(member: Member, key: str) -> Iterator[tuple[int, Any]]:
    """Yield the items of the array under a key, whatever stands before and after it.

    Yields
    ------
    int
        Number of the line on which the item begins.
    object
        The item.

    Raises
    ------
    BadInput
        If the file is no JSON object, or one value of it is larger than a line may be. A file that ends
        inside the object is marked as truncated.
    """
    with member.open() as stream:
        text = _Text(member, stream)
        try:
            while text.peek():
                yield from _items(text, key)
        except _CutOff:
            member.truncated = True


def _items(text: _Text, key: str) -> Iterator[tuple[int, Any]]:
    """Yield what one outermost object has."""
    text.take("{")
    while text.peek() != "}":
        name = text.value()
        text.take(":")
        if name == key and text.peek() == "[":
            text.take("[")
            while text.peek() != "]":
                yield text.line, text.value()
                text.take_if(",")
            text.take("]")
        else:
            text.value()
        text.take_if(",")
    text.take("}")


class _Text:
    """The text of a file, as much of it as one value needs."""

    def __init__(self, member: Member, stream: Any) -> None:
        self.line = 1
        self._member, self._stream = member, stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._text, self._at, self._ended = "", 0, False

    def _fill(self, step: int) -> None:
        data = self._stream.read(step)
        self._ended = not data
        self._text = self._text[self._at :] + self._decode(data, final=self._ended)
        self._at = 0

    def _pass(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def peek(self) -> str:
        """Return the next character that is no white space; nothing at the end of the file."""
        while True:
            blank = _BLANK.match(self._text, self._at)
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

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        step = _CHUNK
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end < len(self._text) or self._ended:  # a number at the end may go on
                    self._pass(end)
                    return value
            except RecursionError:
                raise BadInput(f"{self._told()}: values are nested too deep") from None
            except json.JSONDecodeError as error:
                check_cut(self._member, self.line, self._text, self._at, error)
                if self._ended:
                    raise _CutOff from None
            except ValueError:  # Python reads no integer of more than some thousand digits
                raise BadInput(f"{self._told()}: a number of too many digits") from None
            self._fill(step)
            step = min(2 * step, LONGEST_LINE)

    def _told(self) -> str:
        return f"{self._member.name}, line {self.line}"
