"""Animations as an element of a page: the numbers that the browser draws, and the same in words.

The element has no script of its own: `pages/frame/parts/animation-player.js` finds and plays it. So the code
that draws is sent once and not with every answer, and scripts are allowed from the server itself only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from sim.running.animation import Animation
from sim.telling.palette import mixed, palette
from sim.telling.words import counted, number

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
