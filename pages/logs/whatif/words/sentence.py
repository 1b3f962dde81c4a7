"""The answer in a sentence: what to switch on, what it gains, what it costs; or to do nothing, and why."""

from __future__ import annotations

from pages.logs.whatif.question import Request
from pages.logs.whatif.words.film import ANCHOR as WATCH
from pages.logs.whatif.words.remedies import leading
from pages.logs.whatif.words.settings import called
from pages.shared.words.foreign import literal
from sim.advice.whatif.answer import Advice, Answer
from sim.advice.whatif.check import GOOD, POOR
from sim.advice.whatif.report import ANOTHER_LOG, BY_THE_LOG, LOG, refused
from sim.advice.whatif.setting_effect import FIGURES
from sim.advice.whatif.steps import Step
from sim.telling.document import typeset
from sim.telling.words import counted, percent

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
        there = len(shown.answer.options)
        return (
            f"The model is {shown.check.verdict} on this history; "
            f"{there} of {counted(len(asked.inquiry.policies), 'setting')} compared so far."
        )
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
    watch = f" · [Watch it](#{WATCH})" if shown.final else ""
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
