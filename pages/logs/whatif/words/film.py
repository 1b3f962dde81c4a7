"""What is seen of the worst stage, in words."""

from __future__ import annotations

from collections.abc import Iterator

from pages.logs.whatif.question import Request
from pages.logs.whatif.words.settings import called
from pages.shared.words.foreign import literal
from sim.advice.diagnosis.charts import title_of
from sim.advice.whatif.answer import Answer
from sim.advice.whatif.film import Film, Shot
from sim.engines.slots.policy import SlotPolicy
from sim.running.animation import MOST_SLOTS, MOST_TASKS
from sim.telling.words import counted, spell

#: Where it stands, for a link.
ANCHOR = "watch"
HEAD = "Watch the worst stage"
#: What the run of the log is called.
RECORDED = "today’s setting, as recorded"


def filmed(answer: Answer) -> SlotPolicy | None:
    """Return the setting that is to be switched on, or tried; None where nothing is."""
    advice = answer.advice
    if advice is None or advice.policy == answer.today:
        return None
    return answer.options[advice.policy].policy


def about(asked: Request, policy: SlotPolicy | None, found: Film) -> str:
    """Say which stage is seen, how long it takes, and what is not seen."""
    stages = asked.reading.history.stages
    title = title_of("stage", *(stages[name][found.stage].as_py() for name in ("stage", "name")))
    told = f"Stage 1 is {literal(title)}, which takes {spell(found.recorded.time)} in the log"
    if found.played is None or policy is None:
        told += "; no other has a task so far above the median of its stage."
    else:
        told += (
            f" and {spell(found.played.time)} with {literal(called(policy, asked.system))}: of all stages "
            "it changes most. Both runs begin with its first task. Tasks last as long as in the log, on a "
            "host as fast; the luck of copies that the log does not have is drawn. So this is one run of "
            "many; what is promised stands above."
        )
        if asked.question.rate != 1 or asked.question.slots:
            told += " They have the recorded rate and slots."
    return " ".join([told, *_cut(found)])


def _cut(found: Film) -> Iterator[str]:
    """Say what is not shown."""
    if found.begins:
        yield (
            f"Seen is its end, from {spell(found.begins)} after its start on, in which at most "
            f"{counted(MOST_TASKS, 'copy', 'copies')} ran on the slots that are shown."
        )
    runs = {"above": found.recorded} | ({"below": found.played} if found.played else {})
    for where, one in runs.items():
        if one.slots > MOST_SLOTS:
            yield f"{where.capitalize()} are {_slots(one)}."


def _slots(one: Shot) -> str:
    return (
        f"{one.animation.slots} of {one.slots:,} slots, those on which its copies end last, with "
        f"{one.shown:,} of {counted(one.copies, 'copy', 'copies')}"
    )
