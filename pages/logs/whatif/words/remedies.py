"""Texts on remedies other than settings of copies: in the answer, and how they are applied."""

from __future__ import annotations

from collections.abc import Iterator

from pages.shared.words.foreign import literal
from sim.advice.whatif.answer import Answer
from sim.advice.whatif.remedies.judged import Judged
from sim.telling.document import typeset
from sim.telling.words import begun

#: Where it stands how the remedy is applied, for a link.
ANCHOR = "how-to-apply-it"


def leading(answer: Answer) -> str:
    """Say which remedy leads the answer, and what copies would not do; empty where none does."""
    if (one := answer.leading_remedy) is None or answer.remedies is None:
        return ""
    effect, why, _ = literal(typeset(answer.remedies.effect_of(one))).partition(": ")
    return f"**{begun(one.does)}** {effect}{'.' * bool(why)} {_how(answer, one)}"


def _how(answer: Answer, one: Judged) -> str:
    applies = answer.remedies is not None and one is answer.remedies.other
    return f"[How to apply it](#{ANCHOR})" if applies else literal(one.paste.told)


def remarks(answer: Answer) -> Iterator[str]:
    """Say what else is known of remedies: why one leads, others that pay, that none does, what is open."""
    if answer.remedies is None:
        return
    others = (answer.leading_remedy, answer.remedies.copies)
    sure = [one for one in answer.remedies.judged if one.sure and one not in others]
    for one in [answer.leading_remedy, *sure]:
        if one is None:
            continue
        effect = literal(typeset(answer.remedies.effect_of(one)))
        if one in sure:
            yield f"**{begun(one.does)}** {effect} {_how(answer, one)}"
        elif why := effect.partition(": ")[2]:
            yield f"Why {one.does} comes first: {why}"
    if answer.remedies.first is None and not sure:
        yield literal(typeset(answer.remedies.sentence))
    if answer.remedies.caveat:
        yield literal(typeset(answer.remedies.caveat))
