"""The answer in a sentence: of a change where settings differ, else of repeated runs."""

from __future__ import annotations

from pages.beforeafter.answer import Snapshot
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import changed, listed, percent
from sim.several.after import LEADING
from sim.several.change import BY_RERUNS
from sim.several.layout import PARTS


def sentence(shown: Snapshot) -> str:
    """Return the answer, in Markdown."""
    both = shown.both
    if both.change.settings or both.repeated is None:
        return f"{_changed(shown)}{_promise(shown)}"
    return f"The logs name no setting that differs: repeated runs. {_measured(shown)}"


def _changed(shown: Snapshot) -> str:
    change = shown.both.change
    whose = "the jobs of this sample" if shown.sample else "these jobs"
    one = change.found.change.get(LEADING)
    if one is None:
        return "The change cannot be told: no job is in both runs by its name."
    if one.share.low is None or one.share.high is None:
        return f"The change of the job time cannot be told: {literal(one.reason)}."
    value = percent(abs(one.share.value or 0.0))
    if not one.share.sign:
        return f"No change of the job time of {whose} is beyond doubt: {changed(one.share)}."
    word = "shorter" if one.share.sign < 0 else "longer"
    ends = sorted((abs(one.share.low), abs(one.share.high)))
    within = [percent(end) for end in ends]
    if one.over == BY_RERUNS:
        return (
            f"After the change, {whose} are {value} {word} on average, by more than luck is in reruns as "
            f"What-if plays them (95 %: {within[0]} to {within[1]})."
        )
    return f"After the change, {whose} are {value} {word} on average (95 %: {within[0]} to {within[1]})."


def _promise(shown: Snapshot) -> str:
    promise = shown.both.change.promise
    if promise is None or not (band := promise.bands.get(LEADING)):
        return ""
    return f" What came lies {'in' if band.kept else 'outside'} the promised band."


def _measured(shown: Snapshot) -> str:
    assert shown.both.repeated is not None
    measured = shown.both.repeated.measured
    told = [f"{percent(measured.shares[part].value)} {part}" for part in PARTS if part in measured.shares]
    if not told:
        return "They cannot tell luck from work."
    return f"How unequal tasks of a stage are is {listed(told)}."
