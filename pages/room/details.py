"""The results of a room as a table and as a page to print: counts, and nothing of who has answered what."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pages.lessons.prediction import Choice, Number, Order
from pages.room.answer import Right, right_answer
from pages.room.charts import Bar, bars
from pages.room.question import Amount, Asked
from pages.server.vote import Result
from sim.logs.tabled import as_csv
from sim.telling import document
from sim.telling.words import counted

#: What the votes of a question are called.
VOTES = ("first", "second")
STYLE = """@page { size: A4; margin: 15mm; }
body { font: 11pt/1.4 sans-serif; color: #2f2d2b; max-width: 180mm; margin: 10mm auto; }
h1 { font-size: 16pt; } h2 { font-size: 12pt; margin: 0 0 2mm; }
section { break-inside: avoid; border-top: 1px solid #999; padding: 4mm 0; }
table { border-collapse: collapse; width: 100%; }
td, th { padding: 0.5mm 2mm; text-align: left; font-weight: 400; }
th { width: 45%; overflow-wrap: anywhere; } td:last-child { width: 12mm; text-align: right; }
.bar { height: 4mm; background: #0072b2; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.first { opacity: 0.45; } .right { font-weight: 700; } p { margin: 0 0 2mm; }"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A question with its results, and its right answer if that has been shown.

    Parameters
    ----------
    result : Result
    right : Right, optional
    """

    result: Result[Asked]
    right: Right | None = None


def recorded(results: Iterable[Result[Asked]]) -> list[Recorded]:
    """Return results with the right answers of the questions of which it has been shown."""
    return [Recorded(one, right_answer(one.question) if one.revealed else None) for one in results]


def table(records: Sequence[Recorded]) -> pd.DataFrame:
    """Return a row for each answer of each vote, with how many gave it.

    Numbers are as they were given; of options those are there, too, that nobody has chosen.
    """
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(records, start=1):
        asked, right = one.result.question.prediction, one.right.answer if one.right else None
        for vote, answers in zip(VOTES, one.result.votes, strict=False):
            rows += [
                {
                    "question": number,
                    "asked": asked.label,
                    "vote": vote,
                    "answer": asked.shown(answer),
                    "number": answer if isinstance(asked, (Number, Amount)) else None,
                    "votes": many,
                    "right": "" if right is None else "yes" if answer == right else "no",
                }
                for answer, many in _distinct(asked, answers)
            ]
    columns = ["question", "asked", "vote", "answer", "number", "votes", "right"]
    return pd.DataFrame(rows, columns=columns).astype({"number": float, "question": int, "votes": int})


def csv_text(records: Sequence[Recorded]) -> str:
    """Return `table` as a file."""
    return as_csv(table(records))


def _distinct(asked: Any, answers: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return each answer once, with how many gave it: options as they stand, numbers from the lowest."""
    given = Counter(answers)
    if isinstance(asked, Choice):
        return [(option.key, given[option.key]) for option in asked.options]
    if isinstance(asked, Order):
        return sorted(given.items(), key=lambda pair: (-pair[1], pair[0]))
    return sorted(given.items())


def page_text(code: str, day: str, records: Sequence[Recorded]) -> str:
    """Return a page with the results of all questions, to print or to save as PDF.

    Parameters
    ----------
    code : str
        Of the room.
    day : str
    records : sequence of Recorded
    """
    title = f"Room {code}, {day}"
    sections = "\n".join(_section(number, one) for number, one in enumerate(records, start=1))
    body = (
        f"<h1>{_text(title)}</h1>\n<p>{counted(len(records), 'question')}. Nobody is named: the room "
        f"does not know who has answered what.</p>\n{sections}"
    )
    return document.whole(title, body, style=STYLE, styled=True)


def _section(number: int, one: Recorded) -> str:
    asked, votes = one.result.question.prediction, one.result.votes
    right = one.right.answer if one.right else None
    shown = [bar for bar in bars(asked, votes, right) if any(bar.votes) or isinstance(asked, Choice)]
    most = max((many for bar in shown for many in bar.votes), default=1) or 1
    key = None if right is None or isinstance(asked, (Number, Amount)) else asked.counted_as(right)
    rows = "\n".join(_rows(bar, most, is_right=bar.key == key) for bar in shown)
    many = [counted(len(answers), "answer") for answers in votes]
    told = [f"{many[0]}."]
    if len(votes) > 1:
        told = [f"First vote: {many[0]}; second vote: {many[1]}. The paler bar is the first vote."]
    if right is not None:
        told.append(f"Right: {asked.shown(right)}.")
    said = " ".join(told)
    head = f"<h2>{number}. {_text(asked.label)}</h2><p>{_text(said)}</p>"
    return f"<section>{head}\n<table>{rows}</table></section>"


def _rows(bar: Bar, most: int, *, is_right: bool) -> str:
    """Return the rows of an answer: one for each vote."""
    name = f'<th rowspan="{len(bar.votes)}" scope="row"{" class=right" * is_right}>{_text(bar.label)}</th>'
    rows = []
    for place, many in enumerate(bar.votes):
        first = " first" * (place < len(bar.votes) - 1)
        drawn = (
            f'<td><div class="bar{first}" style="width: {100 * many / most:.0f}%"></div></td><td>{many}</td>'
        )
        rows.append(f"<tr>{name if place == 0 else ''}{drawn}</tr>")
    return "\n".join(rows)


def _text(text: str) -> str:
    return html.escape(text)
