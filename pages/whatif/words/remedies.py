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
    remedies = answer.remedies
    return None if remedies is None or remedies.first is remedies.copies else remedies.first


def leading(answer: Answer) -> str:
    """Say which remedy comes first, and what copies would not do; empty where copies come first, or none."""
    if (one := first(answer)) is None or answer.remedies is None:
        return ""
    said = literal(typeset(answer.remedies.sentence))
    begun = f"{one.does[:1].upper()}{one.does[1:]}"
    return f"**{begun}**{said.removeprefix(begun)} [How to apply it](#{ANCHOR})"


def remarks(answer: Answer) -> Iterator[str]:
    """Say what else is known of remedies: that none pays, and what cannot be told apart."""
    if answer.remedies is None:
        return
    if answer.remedies.first is None:
        yield literal(typeset(answer.remedies.sentence))
    if answer.remedies.caveat:
        yield literal(typeset(answer.remedies.caveat))
