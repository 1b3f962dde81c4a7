"""A question of the What-if page answered without its process, on few replications."""

from __future__ import annotations

from pages.logs.question import Log
from pages.whatif.answer import Known, Snapshot, snapshot
from pages.whatif.controls import PANEL
from pages.whatif.question import Asked, ask
from sim.traces.source import Upload
from sim.whatif.pieces import check_model, play
from sim.whatif.reading import read_and_fit


def asked_of(file: Upload, **chosen: object) -> Asked:
    """Return what is asked of a file, with these controls."""
    values = PANEL.defaults() | {"replications": 20} | chosen
    reading = read_and_fit(file, leave_out=values["leave_out"], left_out=values["left_out"])
    return ask(Log((file.name,), lambda: (file,)), reading, values)


def answered(asked: Asked, *, whole: bool = True) -> Snapshot:
    """Return the last answer, or the one after the check."""
    inquiry = asked.inquiry
    today = inquiry.policies[inquiry.today]
    known = Known(check_model(asked.question, today, inquiry.replications))
    if whole:
        for piece in [*inquiry.pieces(inquiry.replications), *inquiry.remedies()]:
            known.tallies.update(play(asked.question, inquiry.policy(piece), piece))
    return snapshot(asked, known)
