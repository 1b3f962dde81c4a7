"""JSON values of a stream one after the other, wherever their lines break."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from sim.fields import BadInput
from sim.traces.source import LONGEST_LINE, Member
from theory.shown import quoted

_CHUNK = 2**16
_DECODER = json.JSONDecoder()


def objects(member: Member) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file that holds objects in a row, or one array of objects.

    Yields
    ------
    int
        Number of the line on which the object begins.
    dict
        The object.

    Raises
    ------
    BadInput
        If what stands at some place is no JSON object, or an object is larger than a line may be. A
        file that ends inside an object is marked as truncated.
    """
    with member.open() as stream:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        text, line, step = "", 1, _CHUNK
        while True:
            data = stream.read(step)
            text += decode(data, final=not data)
            begin = 0
            while True:
                begin, passed = _skip(text, begin)
                line += passed
                if begin == len(text):
                    break
                if text[begin] != "{":
                    raise BadInput(
                        f"{member.name}, line {line}: {quoted(text[begin : begin + 20])} is no JSON object"
                    )
                try:
                    value, end = _DECODER.raw_decode(text, begin)
                except RecursionError:
                    raise BadInput(f"{member.name}, line {line}: values are nested too deep") from None
                except json.JSONDecodeError as error:
                    check_cut(member, line, text, begin, error)
                    break
                except ValueError:  # Python reads no integer of more than some thousand digits
                    raise BadInput(f"{member.name}, line {line}: a number of too many digits") from None
                yield line, value
                line += text.count("\n", begin, end)
                begin = end
            rest = text[begin:]
            if not data:
                member.truncated |= bool(rest)
                return
            # Twice as much at a time while an object goes on, so that it is not parsed too often.
            step = _CHUNK if begin else min(2 * step, LONGEST_LINE)
            text = rest


def _skip(text: str, begin: int) -> tuple[int, int]:
    """Return where the next value begins, and the line breaks before it."""
    end = begin
    while end < len(text) and text[end] in " \t\r\n,[]":
        end += 1
    return end, text.count("\n", begin, end)


def check_cut(member: Member, line: int, text: str, begin: int, error: json.JSONDecodeError) -> None:
    """Refuse an object that is wrong before its end as far as it has been read."""
    if len(text) - begin > 2 * LONGEST_LINE:
        raise BadInput(f"{member.name}, line {line}: an object of more than {2 * LONGEST_LINE:,} characters")
    if error.pos < len(text) - 64 and not error.msg.startswith("Unterminated string"):
        raise BadInput(f"{member.name}, line {line + error.lineno - 1}: {error.msg}") from None
