"""The answer as a document: for a colleague as one HTML file, and for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import pandas as pd

from sim.advice.whatif import certificate
from sim.advice.whatif.answer import Advice, Answer, Option
from sim.advice.whatif.charts import front, load, recorded
from sim.advice.whatif.charts import remedies as drawing
from sim.advice.whatif.check import Check
from sim.advice.whatif.remedies.judged import Judged, Remedies, row
from sim.advice.whatif.report import cost, headline, longer, money_told, price_told, times_told, to_do
from sim.advice.whatif.runs import sharing_of
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.systems import differs, pasted
from sim.telling import document
from sim.telling.document import Drawn, Folded, Head, Lines, Part, Said, Table, typeset
from sim.telling.words import begun, counted, in_percent
from sim.version import __version__
from theory.quoting import shortened, visible

#: The title of what speaks against the law of luck.
LUCK = "What luck should not depend on, and whether it does"


def as_html(answer: Answer) -> str:
    """Return the answer as one HTML file to hand to a colleague."""
    files = shortened(", ".join(answer.question.model.history.files))
    return document.as_html(f"What if: {files}", parts(answer))


def as_text(answer: Answer) -> str:
    """Return the answer for a terminal."""
    return document.as_text(parts(answer))


def parts(answer: Answer) -> Iterator[Part]:
    """Yield the answer as it is read: what to do first, then why it may be believed, then the numbers."""
    yield Head(typeset(headline(answer)), 1)
    yield from (Said(typeset(one)) for one in to_do(answer))
    for one in answer.without:
        yield Said(typeset(f"{one.told} Ask so: --leave-out {shlex.quote(one.leave_out)}"))
    sections = [_which_remedy(answer), _which_copies(answer)]
    copies_lead = answer.advises and answer.leading_remedy is None
    for section in reversed(sections) if copies_lead else sections:
        yield from section
    yield Head(f"Is the model right? It is {answer.check.verdict} on this history")
    yield checks(answer.check)
    yield Said(typeset(certificate.told()), small=True)
    if answer.pictures is not None and answer.pictures.recorded.size:
        yield _chart(
            "check",
            recorded,
            answer.pictures,
            "Recorded time of each job, and the band that holds 90 % of its times in the model. "
            f"{recorded.about(answer.pictures)}",
        )
    if answer.check.residuals:
        luck = [(one.name, one.about) for one in answer.check.residuals]
        table = Table(pd.DataFrame(luck, columns=["against", "what was found"]), wraps=True)
        yield Folded(LUCK, [table])
    yield from _options(answer)
    if answer.reach is not None:
        yield Head(load.TITLE)
        yield Said(typeset(answer.reach.sentence))
        yield _chart(
            "load",
            load,
            answer.reach,
            f"Change of the {answer.reach.objective} job time with the advised setting, by the load that the "
            "jobs offer; with 95 % intervals.",
        )
    yield Head("How this was computed")
    yield Table(pd.DataFrame(_how(answer).items(), columns=["what", "value"]), wraps=True)


def _which_remedy(answer: Answer) -> Iterator[Part]:
    """Yield which remedy comes first, and what each one reaches."""
    if (remedies := answer.remedies) is None:
        return
    yield from _remedies(remedies)
    if remedies.other is not None:
        yield from (Said(typeset(one)) for one in money_told(answer, remedies.other))
    yield _chart(
        "remedies",
        drawing,
        remedies,
        f"By how much each remedy makes the {remedies.objective} job time shorter: coloured what a "
        "setting reaches, with its 95 % interval, orange the one that is advised; grey the most there is "
        "to gain, with the cause mended entirely.",
    )
    yield Table(pd.DataFrame([_remedy(remedies, one) for one in remedies.judged]), wraps=True)


def checks(found: Check) -> Table:
    """Return how good each check is."""
    rows = [(item.grade, item.sentence) for item in found.items]
    return Table(pd.DataFrame(rows, columns=["grade", "check"]), wraps=True)


def _which_copies(answer: Answer) -> Iterator[Part]:
    """Yield which setting of copies is advised, whether it is safe, and the lines to paste."""
    if (advice := answer.advice) is None:
        return
    yield Head("Which setting of copies?")
    named = "Try for an hour " * advice.trial + answer.options[advice.policy].policy.name
    told = begun(advice.reason) if advice.policy == answer.today else f"{named}: {advice.reason}"
    yield Said(typeset(told) + ".")
    if answer.undecided and answer.undecided not in to_do(answer):
        yield Said(typeset(answer.undecided))
    yield from copying(answer, advice)
    if advice.policy != answer.today:
        yield Said(typeset(cost(answer, answer.options[advice.policy]).sentence))
    yield from (Said(one, small=True) for one in price_told(answer))
    if (found := longer(answer)) is not None:
        yield Said(typeset(found.told(answer.options[found.policy].policy.name)))


def copying(answer: Answer, advice: Advice) -> Iterator[Part]:
    """Yield whether tasks may run twice, what speaks against it, and the lines that switch copies on."""
    if answer.copies:
        found = answer.safety
        yield Head("Is it safe to run a task twice?")
        yield Said(typeset(found.sentence))
        yield from (Said(typeset(one.told), link=one.writer.reference) for one in found.against)
        yield from (Said(typeset(one)) for one in (answer.apart_told, found.restricted) if one)
    if answer.system is not None:
        yield from _to_paste(answer.system.file, advice.settings)


def applied(first: Judged) -> Iterator[Part]:
    """Yield how a remedy is applied that is no setting of copies, and its lines to paste."""
    yield Said(f"{typeset(first.paste.told)} {first.limit}")
    yield from _to_paste(first.paste.file, first.paste.settings)


def _to_paste(file: str, settings: Mapping[str, str]) -> Iterator[Part]:
    if settings:
        yield Head(f"To paste into {file}")
        yield Lines(pasted(settings, file), file)


def _options(answer: Answer) -> Iterator[Part]:
    """Yield what the jobs take with each option, and what it changes."""
    yield Head("The options")
    times = pd.DataFrame([_times(answer, *one) for one in answer.options.items()])
    yield Table(times, narrow=("policy", "mean (s)", "p95 (s)", "copies", "won"))
    yield Said(typeset(times_told(answer)), small=True)
    others = [_changes(answer, *one) for one in answer.options.items() if one[0] != answer.today]
    if others:
        yield Head("Change against today's setting", 3)
        yield Table(pd.DataFrame(others), narrow=("policy", "mean", "p95", "slot-time"))
    yield Said(
        "Changes are against today's setting under the same luck, with 95 % intervals that hold "
        "what the history leaves open. Small jobs are the half with least work. "
        f"{_a_month(answer)}",
        small=True,
    )
    yield _chart(
        "front",
        front,
        front_of(answer),
        f"Change of the {answer.objective} job time over that of slot-time, each option a dot with 95 % "
        "intervals, numbered as in the table: left and low is better. Orange is the advice.",
    )


def _chart(place: str, drawn: ModuleType, part: Any, about: str) -> Drawn:
    """Return a chart of the page in both themes."""
    figures = [drawn.draw(part, dark).values() for dark in (False, True)]
    return Drawn(place, figures, typeset(drawn.alt(part)), about)


def front_of(answer: Answer) -> front.Front:
    """Return what the chart of the options shows."""
    advice = answer.advice
    advised = advice.policy if advice and advice.policy != answer.today else ""
    standing = answer.standing(advised)
    return front.Front(answer.options, answer.today, advised, standing, answer.objective, answer.budget)


def _remedies(found: Remedies) -> Iterator[Part]:
    """Yield which remedy comes first, and how it is applied where it is not a setting of copies."""
    yield Head("Which remedy?")
    yield Said(typeset(found.sentence))
    if found.caveat:
        yield Said(typeset(found.caveat))
    if found.other is not None:
        yield from applied(found.other)
    for one in found.judged:
        if one.sure and one not in (found.first, found.copies):
            yield Said(typeset(f"{begun(one.does)} {found.effect_of(one)}"))
            yield from applied(one)


def _remedy(found: Remedies, one: Judged) -> dict[str, str]:
    reached, most, extra, why = row(found, one)
    shows = f"; {one.shows}" if one.shows and one is not found.copies else ""
    return {
        "remedy": one.remedy.title,
        "a setting reaches": typeset(reached),
        "at most": typeset(most),
        "slot-time": typeset(extra),
        "what is said of it": typeset(why + shows),
    }


_TIMES = {
    "mean": "mean",
    "p50": "median",
    "p95": "p95",
    "small_jobs": "small jobs",
    "large_jobs": "large jobs",
}


def _times(answer: Answer, text: str, option: Option) -> dict[str, str]:
    """Return what the jobs take with an option."""
    shown = [name for name in _TIMES if name in option.plays[0].figures]
    return {
        "policy": text + answer.note(text),
        **{f"{_TIMES[name]} (s)": f"{answer.figure(text, name):.4g}" for name in shown},
        "copies": f"{answer.figure(text, 'copies'):.4g}",
        "won": f"{answer.figure(text, 'won'):.4g}",
    }


def _changes(answer: Answer, text: str, option: Option) -> dict[str, str]:
    extra = cost(answer, option)
    _, month = extra.shown
    named = _TIMES | {"slot_time": "slot-time"}
    return {
        "policy": text + answer.note(text),
        **{named[name]: percent(change) for name, change in option.change.items()},
        f"{'money' if extra.money else 'slot-hours'} a month": typeset(f"{month.value:+.3g}"),
    }


def percent(change: SettingEffect) -> str:
    r"""Write a change with its interval.

    Examples
    --------
    >>> percent(SettingEffect(-0.25, -0.375, -0.125))
    '−25.0\xa0% (−37.5 to −12.5)'
    """
    return typeset(change.percent)


def _a_month(answer: Answer) -> str:
    return f"A month is estimated {cost(answer, answer.options[answer.today]).at_rate}."


def _how(answer: Answer) -> dict[str, str]:
    """Return what a colleague needs to get the same numbers."""
    question, model = answer.question, answer.question.model
    replications = len(next(iter(answer.options.values())).plays)
    shared = sharing_of(model.history).sentence
    told = {
        "today": answer.today,
        **({"sharing": shared} if shared else {}),
        "history": shortened(", ".join(model.history.files)),
        "jobs in the figures": f"{int(question.kept.sum()):,}"
        + (f", those named {shortened(question.leave_out)} left out" if question.leave_out else ""),
        "tasks": f"{int(model.tasks.sum()):,}",
        "slots": f"{question.cluster.slots:,} at most",
        "arrivals": f"{question.rate:.4g} times the recorded rate, an offered load of {question.load:.3g}",
        "replications": f"{counted(replications, 'replication')}; settings are searched on as many others",
        "random seed": str(question.seed),
        "budget": f"at most {in_percent(answer.budget, None)} more slot-time",
        "program": f"straggler-lab {__version__}",
    }
    notes = {f"note {number}": visible(note) for number, note in enumerate(model.notes, 1)}
    return told | notes | {"copies are played so": "; ".join(differs(answer.system, model.history))}
