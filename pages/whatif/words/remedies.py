"""Texts on remedies other than settings of copies: in the answer, and how they are applied."""

from __future__ import annotations

from collections.abc import Iterator

from pages.shared.words.foreign import literal
from sim.whatif.answer import Answer
from sim.whatif.html import typeset
from sim.whatif.remedies.judged import Judged

#: Where it stands how the remedy is applied, for a link.
ANCHOR = "how-to-apply-it"


def first(answer: Answer) -> Judged | None:
    """Return the remedy that comes first, where it is no setting of copies."""
    return answer.remedies.other if answer.remedies else None


def leading(answer: Answer) -> str:
    """Say which remedy leads the answer, and what copies would not do; empty where copies lead it, or none.

    Copies lead also where they are to be tried and would gain more than what surely pays.
    """
    return "" if _tried_first(answer) else _told(answer)


def _tried_first(answer: Answer) -> bool:
    one, advice = first(answer), answer.advice
    if one is None or advice is None or not advice.trial:
        return False
    return (
        answer.options[advice.policy].change[answer.objective].value < one.change_of(answer.objective).value
    )


def _told(answer: Answer) -> str:
    if (one := first(answer)) is None or answer.remedies is None:
        return ""
    said = literal(typeset(answer.remedies.sentence))
    begun = f"{one.does[:1].upper()}{one.does[1:]}"
    return f"**{begun}**{said.removeprefix(begun)} [How to apply it](#{ANCHOR})"


def remarks(answer: Answer) -> Iterator[str]:
    """Say what else is known of remedies: one that pays beside a trial, that none does, what is not known."""
    if answer.remedies is None:
        return
    if _tried_first(answer):
        yield _told(answer)
    if answer.remedies.first is None:
        yield literal(typeset(answer.remedies.sentence))
    if answer.remedies.caveat:
        yield literal(typeset(answer.remedies.caveat))
