"""A question of the What-if page answered without its process, on few replications."""

from __future__ import annotations

from dataclasses import replace

from pages.logs.question import Log
from pages.logs.whatif.controls import PANEL
from pages.logs.whatif.question import Request, ask
from sim.advice.whatif.answer import Answer
from sim.advice.whatif.check import POOR, Check
from sim.advice.whatif.library import read_and_fit
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.steps import Step, steps
from sim.logs.source import Upload
from sim.running.parallel import HERE


def asked_of(file: Upload, **chosen: object) -> Request:
    """Return what is asked of a file, with these controls."""
    values = PANEL.defaults() | {"replications": 20} | chosen
    reading = read_and_fit(file, leave_out=values["leave_out"], left_out=values["left_out"])
    return ask(Log((file.name,), lambda: (file,)), reading, values)


def answered(asked: Request, *, whole: bool = True) -> Step:
    """Return the last answer, but for the load that it reaches, or the one after the check."""
    found = steps(asked.inquiry, asked.aim, HERE, first=asked.inquiry.replications, sweep=False)
    if not whole:
        return next(found)
    *_, last = found
    return last


def with_answer(shown: Step, answer: Answer, **more: object) -> Step:
    """Return the same with another answer."""
    return replace(shown, make=lambda: answer, **more)


#: What the diagnosis of a log says to do first, in made answers.
FIRST = "Replace m2: it takes 3 times as long as the usual host, 28 % (20 to 40) of the job time."
#: Made answers: what the setting and a remedy gain (0: not advised), and more of them.
MADE: dict[str, tuple[float, float, str]] = {
    "a remedy": (0.0, -0.3, ""),
    "a remedy before a setting": (-0.1, -0.3, ""),
    "a setting": (-0.3, 0.0, ""),
    "a setting before a remedy": (-0.3, -0.1, ""),
    "a trial": (-0.3, 0.0, "trial"),
    "a trial before a remedy": (-0.3, -0.1, "trial"),
    "a remedy before a trial": (-0.1, -0.3, "trial"),
    "a remedy and no system": (0.0, -0.3, "no system"),
    "a first action": (0.0, 0.0, "first"),
    "a first action and no system": (0.0, 0.0, "first, no system"),
    "nothing": (0.0, 0.0, ""),
    "nothing and no system": (0.0, 0.0, "no system"),
    "poor": (0.0, 0.0, "poor"),
    "poor with a first action": (0.0, 0.0, "poor, first"),
}


def made(shown: Step, name: str) -> Step:
    """Return an answer in which these are advised, made of one that advises a setting."""
    setting, remedy, more = MADE[name]
    answer, advice, known = shown.answer, shown.answer.advice, shown.answer.remedies
    assert advice is not None
    assert known is not None
    option = answer.options[advice.policy]
    slots = {"slot_time": SettingEffect(0.01, -0.02, 0.04)}
    change = dict(option.change) | dict.fromkeys(("mean", "p95"), _around(setting)) | slots
    gains = dict(known.judged[1].ceiling) | dict.fromkeys(("mean", "p95"), _around(remedy)) | slots
    sure = bool(setting) and "trial" not in more
    rows = tuple(replace(one, sure=False, reason="it gains less") for one in known.judged)
    copies = replace(rows[0], sure=sure, change=change, plays=())
    mended = replace(rows[1], sure=bool(remedy), change=gains, plays=())
    policy = advice.policy if setting else answer.today
    poor = Check((replace(shown.check.items[1], grade=POOR),))
    now = replace(
        answer,
        options={**answer.options, advice.policy: replace(option, change=change)},
        advice=None
        if "poor" in more or "no system" in more
        else replace(advice, policy=policy, trial="trial" in more),
        system=None if "no system" in more else answer.system,
        remedies=None if "poor" in more else replace(known, judged=(copies, mended, *rows[2:])),
        check=poor if "poor" in more else answer.check,
        first=FIRST if "first" in more else "",
        leading="",
    )
    return with_answer(shown, now)


def _around(gain: float) -> SettingEffect:
    return SettingEffect(gain, gain - 0.05, gain + 0.05)
