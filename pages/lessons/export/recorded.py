"""What is computed for an exported lesson: answers, what a prediction draws onto them, and runs to watch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import orjson

from pages.animation.element import element
from pages.lessons.answers import answered
from pages.lessons.export.markup import inline
from pages.lessons.lesson import Found, Illustration, Lesson
from pages.lessons.prediction import Answer, Choice, Number, Order
from pages.shared.charts.serialized import SerializedFigure
from sim.animation import LOG, animation
from sim.effort import Effort
from sim.experiment import Experiment
from sim.result import Comparison

#: Runs an experiment with an effort.
Compare = Callable[[Experiment, Effort], Comparison]
#: Draws of a scene that a page has.
SCENES = 4


@dataclass(frozen=True, slots=True)
class Recorded:
    """A lesson with the answer of each of its variations, the one that is asked about first."""

    number: int
    lesson: Lesson
    found: Mapping[Any, Found]

    @property
    def first(self) -> Found:
        """The answer that is predicted."""
        return self.found[self.lesson.variation.default]

    def scenes(self) -> list[Illustration]:
        """Return the draws of the scene."""
        return [self.lesson.scene(draw, False) for draw in range(SCENES if self.lesson.random else 1)]

    def predictions(self) -> dict[str, dict[str, Any]]:
        """Return what each prediction says, and how it changes the picture, by its text in a link."""
        plain = values(self.first.draw(None, False))
        write = self.lesson.prediction.write
        return {write(one): self.predicted(one, plain) for one in self._possible()}

    def predicted(self, predicted: Answer, plain: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a prediction says, and what is different in the picture of the answer with it.

        A number stands for the trace of that place in the plain picture.
        """
        picture = self.first.draw(predicted, False)
        drawn = values(picture)
        before, now, usual = plain["data"], drawn["layout"], plain["layout"]
        layout = {name: now.get(name) for name in {**usual, **now} if now.get(name) != usual.get(name)}
        return {
            "told": inline(answered(self.lesson, self.first, predicted, varied=False)),
            "alt": picture.alt,
            "layout": layout,
            "data": [before.index(one) if one in before else one for one in drawn["data"]],
        }

    def _possible(self) -> Iterator[Answer]:
        match self.lesson.prediction:
            case Choice(options=options):
                yield from (option.key for option in options)
            case Order(items=items):
                yield from permutations(item.key for item in items)
            case Number() as number:
                yield from number.places

    def runs(self, varied: Any, most: int | None = None) -> str:
        """Return the runs to watch as an element of a page, as many as wanted, the plain one first."""
        chosen = [*self.lesson.watch.runs(varied).items()][:most]
        shown = {}
        for name, one in chosen:
            (sample,) = one.replicate(0, log=LOG)
            shown[name] = animation(one.scenario, one.workload(0), sample.log)
        return element(shown, chosen[0][1].scenario.time_unit, False)


def recorded(number: int, lesson: Lesson, compare: Compare) -> Recorded:
    """Compute the answers of a lesson, as its page does when nothing better follows."""
    variation = lesson.variation
    found = {}
    for varied in sorted(variation.values, key=lambda one: one != variation.default):  # stable
        comparisons = [compare(one.experiment, one.effort) for one in lesson.asks(varied)]
        found[varied] = lesson.find(varied, *comparisons)
    return Recorded(number, lesson, found)


def values(picture: Illustration) -> dict[str, Any]:
    """Return the figure of a picture as the app sends it, in few bytes, of the light theme."""
    found: dict[str, Any] = orjson.loads(orjson.dumps(SerializedFigure(picture.figure).to_dict()))
    del found["layout"]["datarevision"]
    return found
