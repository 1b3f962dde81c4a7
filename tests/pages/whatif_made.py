"""A question of the What-if page answered without its process, on few replications."""

from __future__ import annotations

from dataclasses import replace

from pages.logs.question import Log
from pages.whatif.controls import PANEL
from pages.whatif.question import Request, ask
from sim.player import HERE
from sim.traces.source import Upload
from sim.whatif.answer import Answer
from sim.whatif.reading import read_and_fit
from sim.whatif.steps import Step, steps


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
