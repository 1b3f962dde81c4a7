"""A film on a page: the run is asked for when the rest of the page has been drawn."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from pages.films.element import element
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import is_dark
from pages.shared.live.follow import follow
from pages.shared.words.numbers import counted, listed
from sim.experiment import Experiment
from sim.fields import BadInput
from sim.film import LOG, Film, film, watchable
from sim.live import RunRequest, Snapshot


def show_film(experiment: Experiment, place: DeltaGenerator) -> None:
    """Run each policy of an experiment once, on its first jobs, and show them one above the other.

    Parameters
    ----------
    experiment : Experiment
        Of a cluster of at most `sim.film.MOST_SLOTS` slots, and of the slot engine.
    place : DeltaGenerator
        Where.
    """
    request = RunRequest(watchable(experiment), replications=1, log=LOG)
    picture, status = place.container(), Placeholders(place.container())
    told = same_jobs(request.experiment)
    for (snapshot,) in follow([request], status, lambda known: (1.0, told)):
        try:
            picture.html(shown(request, snapshot, is_dark()))
        except BadInput:
            status.caption("line", "This run has too many copies to be watched; give it fewer jobs or tasks.")


def shown(request: RunRequest, snapshot: Snapshot, dark: bool) -> str:
    """Return the element of the first run of each policy, made once for all visitors."""
    unit = request.experiment.scenario.time_unit
    return made_once(("film", request.key, dark), lambda: element(films(request, snapshot), unit, dark))


def films(request: RunRequest, snapshot: Snapshot) -> dict[str, Film]:
    """Return the film of the first run of each policy, by what people call it."""
    few = request.experiment
    workload = few.workload(0)
    policies = snapshot.comparison.called(few.names).policies
    return {name: film(few.scenario, workload, one.samples[0].log) for name, one in policies.items()}


def same_jobs(few: Experiment) -> str:
    """Say what is seen: one run under each policy, of which the policies are all that differs.

    Examples
    --------
    >>> from sim.presets import PRESETS
    >>> same_jobs(Experiment.of_texts(PRESETS["small"].scenario, ("srpt+none", "hopper")))[:68]
    'One run of 30 jobs under Shortest first + no copies and one under Ho'
    """
    jobs = few.scenario.jobs if few.trace is None else few.trace.arrival.size
    runs = listed([f"one under {name}" for name in few.names]).removeprefix("one ")
    alike = ": the same jobs, the same luck for each copy." if len(few.names) > 1 else "."
    return f"One run of {counted(jobs, 'job')} {runs}, seed {few.scenario.seed}{alike}"
