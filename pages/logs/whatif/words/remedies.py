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
    how = f"[How to apply it](#{ANCHOR})" if one is answer.remedies.other else literal(one.paste.told)
    return f"**{begun(one.does)}** {effect} {how}"


def remarks(answer: Answer) -> Iterator[str]:
    """Say what else is known of remedies: one that pays beside a trial, that none does, what is not known."""
    if answer.remedies is None:
        return
    for one in answer.remedies.judged:
        if one.sure and one not in (answer.leading_remedy, answer.remedies.copies):
            yield _told(answer, one)
    if answer.remedies.first is None:
        yield literal(typeset(answer.remedies.sentence))
    if answer.remedies.caveat:
        yield literal(typeset(answer.remedies.caveat))
