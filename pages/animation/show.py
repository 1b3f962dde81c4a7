"""An animation on a page: the run is asked for when the rest of the page has been drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from pages.shared.app.turns import Placeholders, made_once
from pages.shared.charts.on_page import is_dark
from pages.shared.live.follow import follow
from sim.model.fields import BadInput
from sim.running.animation import LOG, Animation, animation, watchable
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest, Snapshot
from sim.telling.palette import mixed, palette
from sim.telling.words import counted, listed, number

# Animations as an element of a page: the numbers that the browser draws, and the same in words.
#
# The element has no script of its own: `pages/frame/parts/animation-player.js` finds and plays it. So the
# code that draws is sent once and not with every answer, and scripts are allowed from the server itself
# only.

#: Of stragglers, in either theme.
RED = {False: "#C81E1E", True: "#FF5A4F"}


def element(animations: Mapping[str, Animation], unit: str, dark: bool) -> str:
    """Return the HTML of animations, one above the other.

    Parameters
    ----------
    animations : mapping of str to Animation
        By what their policies are called; of the same jobs.
    unit : str
        Of time.
    dark : bool
        Whether the reader's theme is the dark one.
    """
    runs = {"unit": unit, "runs": [{"name": name, **one.compact()} for name, one in animations.items()]}
    told = escape(in_words(animations, unit))
    return (
        f'<section class="animation" aria-label="Animation" data-animation="{attribute(runs)}" '
        f'data-look="{attribute(look(dark))}"><p class="animation-told">{told}</p></section>'
    )


def attribute(value: Any) -> str:
    """Return a value as JSON in an attribute, without `>`: the end of a comment would cost the attribute."""
    return escape(json.dumps(value, separators=(",", ":")).replace(">", "\\u003e"))


def in_words(animations: Mapping[str, Animation], unit: str) -> str:
    """Say what the animations show, with their numbers.

    Examples
    --------
    >>> import numpy as np
    >>> copies = np.array([[0, 0, 0, 0, 0, 1, 0, -1]])
    >>> one = Animation(2, 3.0, np.array([1.0, 4.0]), np.array([[0, 1, 1]]), copies)
    >>> in_words({"FIFO": one}, "s")
    'Animation of 1 job on 2 slots. Under FIFO: 1 copy, 0 of them extra; 1 job done, mean flowtime 3.00 s.'
    """
    first = next(iter(animations.values()))
    noun = first.noun
    told = [f"Animation of {counted(len(first.jobs), noun)} on {counted(first.slots, 'slot')}."]
    for name, one in animations.items():
        flowtimes = one.flowtimes
        timed = flowtimes.size and noun == "job"
        mean = f", mean flowtime {number(flowtimes.mean())} {unit}" if timed else ""
        extra = int((one.copies[:, 2] > 0).sum())
        told.append(
            f"Under {name}: {counted(len(one.copies), 'copy', 'copies')}, {extra} of them extra; "
            f"{counted(flowtimes.size, noun)} done{mean}."
        )
    return " ".join(told)


def look(dark: bool) -> dict[str, Any]:
    """Return the colours of jobs and stragglers on a cluster that moves: no job has one near red."""
    colors = palette(dark)
    jobs = [colors.series[place] for place in (0, 2, 9)]
    return {
        "ink": colors.ink,
        "paper": colors.paper,
        "late": RED[dark],
        "accent": colors.series[0],
        "jobs": [*jobs, *(mixed(one, colors.ink, 0.4) for one in jobs)],
    }


#: The common part of compared runs.
ALIKE = ": the same jobs, the same luck for each copy."


def show_animation(experiment: Experiment, place: DeltaGenerator) -> None:
    """Run each policy of an experiment once, on its first jobs, and show them one above the other.

    Parameters
    ----------
    experiment : Experiment
        Of a cluster of at most `sim.running.animation.MOST_SLOTS` slots.
    place : DeltaGenerator
        Where.
    """
    few = watchable(experiment)
    runs = {name: few.only(one) for one, name in enumerate(few.names)}
    show_runs(runs, same_jobs(few), place)


def show_runs(runs: Mapping[str, Experiment], told: str, place: DeltaGenerator) -> None:
    """Show runs one above the other, on one clock.

    Parameters
    ----------
    runs : mapping of str to Experiment
        By what it is called what is run, once: one policy each, of the same jobs, few enough to be watched.
    told : str
        What is seen.
    place : DeltaGenerator
        Where.
    """
    requests = requests_of(runs)
    picture, status = place.container(), Placeholders(place.container())
    for snapshots in follow([*requests.values()], status, lambda known: (len(known) / len(requests), told)):
        if len(snapshots) < len(requests):
            continue
        try:
            picture.html(shown(requests, snapshots, is_dark()))
        except BadInput:
            status.caption("line", "This run has too many copies to be watched; give it fewer jobs or tasks.")


def requests_of(runs: Mapping[str, Experiment]) -> dict[str, RunRequest]:
    """Return what is asked of the workers for an animation of each of these runs."""
    return {name: RunRequest(one, Effort(replications=1), log=LOG) for name, one in runs.items()}


def shown(requests: Mapping[str, RunRequest], snapshots: Sequence[Snapshot], dark: bool) -> str:
    """Return the element of the first run of each request, made once for all visitors."""
    key = ("animation", tuple((name, request.key) for name, request in requests.items()), dark)
    unit = next(iter(requests.values())).experiment.scenario.time_unit
    return made_once(key, lambda: element(animations(requests, snapshots), unit, dark))


def animations(requests: Mapping[str, RunRequest], snapshots: Sequence[Snapshot]) -> dict[str, Animation]:
    """Return the animation of the first run of each request."""
    found = {}
    for (name, request), snapshot in zip(requests.items(), snapshots, strict=True):
        few, (result,) = request.experiment, snapshot.comparison.policies.values()
        found[name] = animation(few.scenario, few.workload(0), result.samples[0].log)
    return found


def few_jobs(runs: Mapping[str, Experiment]) -> str:
    """Say what is seen of runs that a page has chosen.

    Examples
    --------
    >>> from sim.engines.registry import PRESETS
    >>> small = Experiment.of_texts(PRESETS["small"].scenario, ("srpt+none",))
    >>> few_jobs({"one": small, "two": small})
    'One run of 30 jobs on 20 slots each, seed 1: the same jobs, the same luck for each copy.'
    """
    scenario = next(iter(runs.values())).scenario
    jobs, slots = counted(scenario.jobs, "job"), counted(scenario.slots, "slot")
    each, alike = ("", ".") if len(runs) == 1 else (" each", ALIKE)
    if len({one.scenario.size for one in runs.values()}) > 1:
        alike = ": jobs that arrive at the same times with as many tasks."
    return f"One run of {jobs} on {slots}{each}, seed {scenario.seed}{alike}"


def same_jobs(few: Experiment) -> str:
    """Say what is shown: one run under each policy; nothing but the policy differs.

    Examples
    --------
    >>> from sim.engines.registry import PRESETS
    >>> same_jobs(Experiment.of_texts(PRESETS["small"].scenario, ("srpt+none", "hopper")))[:68]
    'One run of 30 jobs under Shortest first + no copies and one under Ho'
    """
    jobs = few.scenario.jobs if few.trace is None else few.trace.arrival.size
    runs = listed([f"one under {name}" for name in few.names]).removeprefix("one ")
    alike = ALIKE if len(few.names) > 1 else "."
    return f"One run of {counted(jobs, 'job')} {runs}, seed {few.scenario.seed}{alike}"
