"""Texts of the What-if page, besides its charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import PurePath

import pandas as pd
import streamlit as st

from pages.logs.whatif.question import Request
from pages.shared.live.cards import Card, judged
from pages.shared.words.foreign import literal
from sim.advice.diagnosis.charts import title_of
from sim.advice.whatif.animation import Film, Shot
from sim.advice.whatif.answer import Advice, Answer
from sim.advice.whatif.check import GOOD, POOR, recorded_figures
from sim.advice.whatif.remedies.judged import Judged
from sim.advice.whatif.report import ANOTHER_LOG, BY_THE_LOG, LOG, HasChange, cost, refused
from sim.advice.whatif.setting_effect import FIGURES
from sim.advice.whatif.steps import Step
from sim.advice.whatif.systems import System
from sim.engines.slots.scenario import SlotPolicy
from sim.running.animation import MOST_SLOTS, MOST_TASKS
from sim.telling.document import Head, Lines, Part, Said, as_markdown, typeset
from sim.telling.words import begun, counted, number, percent, signed, spell

# The cards of the What-if page: the model, and what the recommended setting changes.

WAITING = "…"
CHANGES = {"mean": "Mean job time", "p95": "p95 of the job time", "slot_time": "Slot-time"}


def cards(shown: Step) -> list[Card]:
    """Return the cards: of what leads the answer, or of today's setting; of a poor model its check alone."""
    good = sum(item.grade == "good" for item in shown.check.items)
    model = Card(
        "Model on this history",
        shown.check.verdict,
        "",
        details=(f"{good} of {len(shown.check.items)} checks are good",),
    )
    answer = shown.answer
    if shown.check.verdict == POOR:
        return [model]
    if answer.today not in answer.options:
        return [
            model,
            *(Card(name, WAITING, "") for name in CHANGES.values()),
            Card("Second copies", WAITING, ""),
        ]
    remedy = answer.leading_remedy
    advised = answer.advice.policy if answer.advice and remedy is None else answer.today
    leading = remedy or (answer.options[advised] if advised != answer.today else None)
    return [
        model,
        *(_changed(answer, leading, figure, name) for figure, name in CHANGES.items()),
        _copies(answer, advised),
    ]


def _changed(answer: Answer, leading: HasChange | None, figure: str, name: str) -> Card:
    now = answer.figure(answer.today, figure)
    known = recorded(answer, figure)
    if leading is None or leading.change is None:
        return Card(name, spell(now), "", details=(f"today, {at(answer)}", *known))
    found = leading.change[figure]
    color, arrow = judged((found.low > 0) - (found.high < 0))
    about = (
        (costs(answer, leading),)
        if figure == "slot_time"
        else (f"{spell(now)} → {spell(now * (1 + found.value))} {at(answer)}", *known)
    )
    within = f"{signed(100 * found.low, 1)} to {signed(100 * found.high, 1)}"
    return Card(name, f"{signed(100 * found.value, 1)} %", within, color, arrow, details=about)


def at(answer: Answer) -> str:
    """Say where times come from: the model, and the question if it is not the recorded one."""
    rate, slots = answer.question.rate, answer.question.slots
    asked = [f"at {number(rate)} × the recorded rate"] * (rate != 1)
    asked += [f"on {counted(slots, 'slot')}"] * bool(slots)
    return " ".join(["in the model", *asked])


def recorded(answer: Answer, figure: str) -> tuple[str, ...]:
    """Say what was recorded of a figure, if it was."""
    value = recorded_figures(answer.question).get(figure)
    return (f"recorded: {spell(value)}",) if value else ()


def costs(answer: Answer, option: HasChange) -> str:
    """Return what a change of slot-time comes to: slot-hours a day, or money a month if there is a price."""
    found = cost(answer, option)
    if found.money_a_month:
        return f"about {signed(found.money_a_month.value, 2)} a month, in your currency"
    value = found.slot_hours_a_day.value
    return f"{signed(value, 1 if abs(value) >= 0.1 else 3)} slot-hours a day"


def _copies(answer: Answer, chosen: str) -> Card:
    copies = answer.figure(chosen, "copies")
    if not copies:
        return Card("Second copies", "none", "", details=("in the model",))
    won, killed = answer.figure(chosen, "won"), answer.figure(chosen, "killed_time")
    share = killed / answer.figure(chosen, "slot_time")
    return Card(
        "Second copies",
        number(copies),
        "",
        details=(f"{percent(won / copies)} won; killed copies held {percent(share)} of the slot-time",),
    )


# Parts of an answer on the page: what a file for a colleague and a terminal say of it, too.

#: The language of a file by its suffix, for its colours.
LANGUAGES = {".xml": "xml", ".yaml": "yaml"}


class Section:
    """A place of the page: a heading and parts, which are replaced once they say something else."""

    def __init__(self) -> None:
        self._place, self._said = st.empty(), ""

    def show(self, head: str, parts: Iterable[Part], *, anchor: str) -> None:
        """Show parts below a heading, to which a link leads."""
        listed = [Head(head), *parts]
        if (said := as_markdown(listed)) == self._said:
            return
        self._said = said
        with self._place.container():
            st.header(head, anchor=anchor)
            show_parts(listed[1:])


def show_parts(parts: Iterable[Part]) -> None:
    """Show parts, one below the other; a heading of theirs is a bold line in a section, which has one."""
    for part in parts:
        match part:
            case Head(text=text):
                st.markdown(as_markdown([Head(text, 3)]))
            case Said(small=True):
                st.caption(as_markdown([part]))
            case Lines(text=text, file=file):
                st.code(text, language=LANGUAGES.get(PurePath(file).suffix, "properties"))
            case _:
                st.markdown(as_markdown([part]))


# Texts on remedies other than settings of copies: in the answer, and how they are applied.

#: Where it stands how the remedy is applied, for a link.
REMEDIES = "how-to-apply-it"


def leading(answer: Answer) -> str:
    """Say which remedy leads the answer, and what copies would not do; empty where none does."""
    if (one := answer.leading_remedy) is None or answer.remedies is None:
        return ""
    effect, why, _ = literal(typeset(answer.remedies.effect_of(one))).partition(": ")
    return f"**{begun(one.does)}** {effect}{'.' * bool(why)} {_how(answer, one)}"


def _how(answer: Answer, one: Judged) -> str:
    applies = answer.remedies is not None and one is answer.remedies.other
    return f"[How to apply it](#{REMEDIES})" if applies else literal(one.paste.told)


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


# Settings in words, and as text to paste.


def called(policy: SlotPolicy, system: System | None) -> str:
    """Return what a setting is called: in the system's own words, or as the rule of a paper.

    Examples
    --------
    >>> from sim.engines.slots.scenario import read_policy
    >>> from sim.advice.whatif.systems import SPARK
    >>> called(read_policy("fifo+spark:multiplier=1.5"), SPARK), called(read_policy("fifo+spark"), SPARK)
    ('speculation: multiplier 1.5', 'speculation with its defaults')
    >>> called(read_policy("fifo+none"), SPARK), called(read_policy("fifo+late"), SPARK)
    ('no speculation', 'LATE (not in your system)')
    """
    rule = policy.speculation
    if rule.key == "none":
        return "no speculation"
    if not is_of(policy, system):
        name = rule.name if policy.sharing.key == "fifo" else policy.name
        return f"{name} (not in your system)" if system else name
    changed = rule.called("").lstrip(", ").replace(" = ", " ")
    return f"speculation: {changed}" if changed else "speculation with its defaults"


def is_of(policy: SlotPolicy, system: System | None) -> bool:
    """Whether a system has a setting for a policy."""
    own = {text.partition("+")[2].partition(":")[0] for text in system.options} if system else set()
    return policy.speculation.key in {"none", *own}


# What is seen of the worst stage, in words.

#: Where it stands, for a link.
FILM = "watch"
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


# The answer in a sentence: what to switch on, what it gains, what it costs; or to do nothing, and why.

#: Where the lines to paste are, for a link.
ANCHOR = "lines-to-paste"


def sentence(asked: Request, shown: Step) -> str:
    """Return the answer, what is advised first before all else."""
    answer = shown.answer
    if shown.check.verdict == POOR:
        told = [
            refused(shown.check),
            *([] if answer.first or answer.without else [ANOTHER_LOG] * shown.final),
        ]
        said = f"**No recommendation:** the model does not reproduce this history. {_plain(' '.join(told))}"
        return f"{said} {LOG} **{literal(answer.first)}**" if answer.first else said
    if only_remedy(shown):
        return leading(answer)  # that no setting helps is noticed
    if shown.final and answer.first and not answer.advises:
        return f"**{literal(answer.first)}** {BY_THE_LOG}\n\n{without_copies(asked, shown)}"
    if asked.system is None:
        if not shown.count:
            return f"The model is {shown.check.verdict} on this history; now settings are compared on it."
        return f"**No recommendation:** {_no_system()}"
    if (remedy := leading(answer)) and answer.advice is not None:
        return f"{remedy}\n\n{_something(asked, shown, answer.advice, 'Then ')}"
    return _of_settings(asked, shown)


def only_remedy(shown: Step) -> bool:
    """Say whether a remedy is advised, and no setting."""
    advice = shown.answer.advice
    setting = advice is not None and advice.policy != shown.answer.today
    return shown.answer.leading_remedy is not None and not setting


def without_copies(asked: Request, shown: Step) -> str:
    """Say why no setting of copies is advised, where something else is."""
    if asked.system is None:
        return f"**Copies:** {_no_system()}"
    return nothing(asked, shown, "No setting of copies pays")


def _no_system() -> str:
    return (
        "the system that wrote this history has no second copies to switch on. Below is what they would "
        "change; choose a *System* under More to have its settings."
    )


def _plain(text: str) -> str:
    return literal(typeset(text))


def _of_settings(asked: Request, shown: Step) -> str:
    """Say which setting to switch on."""
    advice = shown.answer.advice
    if advice is None:
        there, settings = len(shown.answer.options), counted(len(asked.inquiry.policies), "setting")
        so_far = f"{there} of {settings} compared so far."
        waits = f"Comparing {settings} on it: the first result follows shortly."
        return f"The model is {shown.check.verdict} on this history. {so_far if there else waits}"
    if advice.policy == shown.answer.today:
        if not shown.final:
            told = nothing(asked, shown, "No setting of copies pays")
            return f"{told} This is a first answer: more is still played."
        return nothing(asked, shown)
    return _something(asked, shown, advice)


def _something(asked: Request, shown: Step, advice: Advice, then: str = "") -> str:
    option, today = shown.answer.options[advice.policy], shown.answer.options[shown.answer.today]
    name = called(option.policy, asked.system)
    own, other = option.policy.speculation.key, today.policy.speculation.key
    what = f"Switch on {name}" if other == "none" else f"Set {name}"
    what = "Switch off speculation" if own == "none" else what
    what = f"Try for an hour: {what[:1].lower()}{what[1:]}" if advice.trial else what
    what = f"{then}{what[:1].lower()}{what[1:]}" if then else what
    names = dict.fromkeys([asked.aim.objective, "slot_time"])  # cards have the others
    parts = [f"{FIGURES[one]} {option.change[one].told}" for one in names]
    risk, _ = risk_and_more(shown.answer)
    doubt = f" {risk}" if risk else ""
    doubt += "" if shown.check.verdict == GOOD else " The model is only fair on this history."
    if shown.answer.risky:
        if shown.answer.apart is not None and shown.answer.apart.change:
            some = shown.answer.apart.change[asked.aim.objective].told
            doubt += f" With copies only in stages that nothing speaks against: {some}."
        what = (
            f"{shown.answer.safety.sentence}** If all tasks could run twice, **{what[:1].lower()}{what[1:]}"
        )
    watch = f" · [Watch it](#{FILM})" if shown.final else ""
    return f"**{what}:** {', '.join(parts)}.{doubt} [Lines to paste](#{ANCHOR}){watch}"


def nothing(asked: Request, shown: Step, begun: str = "Do nothing") -> str:
    """Say that no setting helps."""
    assert asked.system is not None
    figure = FIGURES[asked.aim.objective]
    today = called(shown.answer.options[shown.answer.today].policy, asked.system)
    told = (
        f"**{begun}:** within {percent(shown.answer.budget)} more slot-time no setting of "
        f"{asked.system.title} surely makes the {figure} shorter than today’s ({today})."
    )
    return f"{told} {risk_and_more(shown.answer)[0]}".rstrip()


def risk_and_more(answer: Answer) -> tuple[str, str]:
    """Return what the history leaves open: the sentence beside the answer, and what is noticed below."""
    risk, mark, more = answer.undecided.partition(". ")
    return _plain(risk + mark.rstrip()), _plain(more)


# The table of options, on the screen and as a file; times in seconds, changes in % of today's mean.

#: Changes that are shown, where they are known.
CHANGE_COLUMNS = {
    "mean": "mean job time",
    "p95": "p95 of job time",
    "slot_time": "slot-time",
    "small_jobs": "mean of small jobs",
    "large_jobs": "mean of large jobs",
    "p50": "median job time",
}


def options(asked: Request, shown: Step, *, whole: bool = False) -> pd.DataFrame:
    """Return a row for each option: its number in the chart, what it is called, and what it changes.

    Parameters
    ----------
    asked : Request
    shown : Step
    whole : bool, optional
        Whether changes are numbers, and the policy is there as the shell reads it: for a file.
    """
    rows = []
    for place, (text, option) in enumerate(shown.answer.options.items(), start=1):
        figure = partial(shown.answer.figure, text)
        row: dict[str, object] = {
            "no.": place,
            "standing": shown.answer.standing(text),
            "setting": called(option.policy, asked.system),
        }
        if whole:
            row["policy"] = text
        for name, title in CHANGE_COLUMNS.items():
            if (found := option.change.get(name)) is None:
                continue
            if not whole:
                row[title] = found.told
                continue
            row[f"{title} (%)"] = 100 * found.value
            row[f"{title}: 95 % from"] = 100 * found.low
            row[f"{title}: to"] = 100 * found.high
        row["mean job time (s)"] = figure("mean")
        row["p95 of job time (s)"] = figure("p95")
        row["second copies"] = figure("copies")
        row["of which won"] = figure("won")
        row["killed (slot·s)"] = figure("killed_time")
        rows.append(row)
    return pd.DataFrame(rows)


def luck(shown: Step) -> pd.DataFrame:
    """Return a row for each group of copies: its luck relative to the usual one."""
    parts = [
        one.groups.assign(against=one.name, share=one.share, chance=one.chance, spread=one.spread)
        for one in shown.check.residuals
    ]
    columns = ["against", "share", "chance", "spread", "group", "copies", "luck", "low", "high"]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return table[columns].rename(
        columns={
            "share": "share of luck explained",
            "chance": "chance of shuffled luck",
            "spread": "spread of durations at most",
            "luck": "median luck",
            "low": "95 % from",
            "high": "to",
        }
    )
