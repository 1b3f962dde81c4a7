"""Texts on remedies other than settings of copies: in the answer, and how they are applied."""

from __future__ import annotations

from collections.abc import Iterator

from pages.shared.words.foreign import literal
from sim.telling.document import typeset
from sim.telling.words import begun
from sim.whatif.answer import Answer
from sim.whatif.remedies.judged import Judged

#: Where it stands how the remedy is applied, for a link.
ANCHOR = "how-to-apply-it"


def leading(answer: Answer) -> str:
    """Say which remedy leads the answer, and what copies would not do; empty where none does."""
    return _told(answer, answer.leading_remedy)


def _told(answer: Answer, one: Judged | None) -> str:
    if one is None or answer.remedies is None:
        return ""
    effect = literal(typeset(answer.remedies.effect_of(one)))
    return f"**{begun(one.does)}** {effect} [How to apply it](#{ANCHOR})"


def remarks(answer: Answer) -> Iterator[str]:
    """Say what else is known of remedies: one that pays beside a trial, that none does, what is not known."""
    if answer.remedies is None:
        return
    if answer.leading_remedy is None:
        yield from filter(None, [_told(answer, answer.remedies.other)])
    if answer.remedies.first is None:
        yield literal(typeset(answer.remedies.sentence))
    if answer.remedies.caveat:
        yield literal(typeset(answer.remedies.caveat))
