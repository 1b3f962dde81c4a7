"""What to notice in an answer: how far the model may be trusted, and what the history cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from pages.logs.whatif.question import Request
from pages.logs.whatif.words import called, only_remedy, remarks, risk_and_more, without_copies
from pages.shared.words.foreign import literal
from sim.advice.whatif.check import GOOD
from sim.advice.whatif.report import CAUSES, longer, money_told, price_told
from sim.advice.whatif.runs import sharing_of
from sim.advice.whatif.setting_effect import FIGURES
from sim.advice.whatif.steps import Step
from sim.advice.whatif.systems import differs
from sim.telling.document import typeset
from sim.telling.words import clipped

#: Notes of the model shown.
MOST_NOTES = 3


def notices(asked: Request, shown: Step) -> list[str]:
    """Return the remarks, in Markdown."""
    return [
        *_checks(shown),
        *remarks(shown.answer),
        *([without_copies(asked, shown)] if only_remedy(shown) else []),
        *_money(shown),
        *filter(None, [risk_and_more(shown.answer)[1]]),
        *_longer(asked, shown),
        *_reach(shown),
        *_fastest(asked, shown),
        *_notes(asked),
    ]


def _checks(shown: Step) -> Iterator[str]:
    """Say how each check came out that is not good, and why that may be."""
    bad = [item for item in shown.check.items if item.grade != GOOD]
    if not bad:
        yield f"**The check is good**: played under the setting of the history, {_told(shown)}."
    for item in bad:
        yield f"**{item.grade}**: {literal(item.sentence)}. {CAUSES.get(item.name, '')}".rstrip()


def _told(shown: Step) -> str:
    return literal(shown.check.items[0].sentence) if shown.check.items else "nothing can be compared"


def _money(shown: Step) -> Iterator[str]:
    """Say what is gained or lost in money a month, by which price, and what that assumes."""
    answer = shown.answer
    if not (told := price_told(answer)):
        return
    advice = answer.advice
    if (leading := answer.leading_remedy) is not None:
        told = money_told(answer, leading) + told
    elif advice is not None and advice.policy != answer.today:
        told = money_told(answer, answer.options[advice.policy]) + told
    yield f"**Money.** {literal(typeset(' '.join(told)))}"


def _longer(asked: Request, shown: Step) -> Iterator[str]:
    """Say how long a log would make a wide promise sharper."""
    if shown.count and (found := longer(shown.answer)) is not None:
        named = called(shown.answer.options[found.policy].policy, asked.system)
        yield literal(found.told(f"“{named}”"))


def _reach(shown: Step) -> Iterator[str]:
    """Say up to which load the recommended setting pays."""
    if shown.answer.reach is not None:
        yield literal(shown.answer.reach.sentence)


def _fastest(asked: Request, shown: Step) -> Iterator[str]:
    """Name the setting with the shortest time, where it is not the recommended one."""
    advice, options = shown.answer.advice, shown.answer.options
    if advice is None:
        return
    text = min(options, key=lambda one: options[one].change[asked.aim.objective].value)
    if text in (advice.policy, shown.answer.today):
        return
    best = options[text]
    if best.change[asked.aim.objective].high >= 0:
        return  # which is shortest is chance
    yield (
        f"Whatever the slot-time, the {FIGURES[asked.aim.objective]} is shortest with "
        f"“{literal(called(best.policy, asked.system))}”: {best.change[asked.aim.objective].told}, "
        f"slot-time {best.change['slot_time'].told}."
    )


def _notes(asked: Request) -> Iterator[str]:
    """Say what is known of the log, and what the model leaves out or cannot tell."""
    if asked.log.about:
        yield asked.log.about
    if shared := sharing_of(asked.question.model.history).sentence:
        yield literal(shared)
    if asked.system is not None:
        played = "; ".join(differs(asked.system, asked.question.model.history))
        yield f"How copies are played, against {asked.system.title}: {literal(played)}."
    notes = asked.question.model.notes
    for one in notes[:MOST_NOTES]:
        yield f"About the log: {literal(clipped(one, 200))}."
    if len(notes) > MOST_NOTES:
        yield f"{len(notes) - MOST_NOTES} more remarks are in the JSON file."
