"""The parts of a lesson: a prediction, a picture, the answer computed now, its reason, what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from pages.animation.sandbox import Sandbox
from pages.lessons.prediction import Answer, Option, Prediction
from pages.shared.controls.control import OneOf
from sim.running.experiment import Experiment
from sim.running.live import RunRequest


@dataclass(frozen=True, slots=True)
class Illustration:
    """A chart with its title, and what it says in words."""

    title: str
    figure: go.Figure
    alt: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """What is known of the answer.

    Parameters
    ----------
    answer : str, float or tuple of str
        As the prediction has it; a number may lie between the slider's places.
    told : str
        In a sentence, in Markdown.
    why : tuple of str
        The reason in three sentences, in Markdown.
    draw : callable
        What was predicted, whether the theme is dark -> the answer, drawn onto the prediction.
    yours : callable, optional
        What was predicted -> what would come of it, in a sentence.
    """

    answer: Answer
    told: str
    why: tuple[str, str, str]
    draw: Callable[[Any, bool], Illustration]
    yours: Callable[[Any], str] = lambda predicted: ""


@dataclass(frozen=True, slots=True)
class Variation:
    """What may be varied once the answer is seen.

    Parameters
    ----------
    label : str
    values : tuple, or mapping to str
        What it may be; a mapping says how each is shown.
    default : object
        What the prediction is about.
    """

    label: str
    values: tuple[Any, ...] | Mapping[Any, str]
    default: Any

    def draw(self, key: str) -> Any:
        """Draw the widget, whose value is in the session under this key; return its value."""
        return OneOf(self.values, "segmented_control").draw(f"Now try: {self.label}", key=key)


@dataclass(frozen=True, slots=True)
class Full:
    """The page that has more of it: its name, what it can do, and the link's parameters."""

    page: str
    label: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Watch:
    """A few jobs of a small cluster in the setting of the lesson, to watch.

    Parameters
    ----------
    told : str
        What is seen, in a sentence or two that give nothing away.
    runs : callable
        Value of the variation -> what each run is called, and its experiment: one policy each, the same jobs.
        The first is the plain one, which may be watched before the prediction.
    """

    told: str
    runs: Callable[[Any], Mapping[str, Experiment]]


#: How hard the exercises of a lesson are, in their order.
LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with a number as its answer.

    Parameters
    ----------
    question : str
        In Markdown.
    unit : str
        Of the answer; empty if it has none.
    solve : callable
        Computes the answer.
    hint : str
        The first step towards it, in a sentence, in Markdown.
    how : str
        How to find it, in a sentence, in Markdown.
    """

    question: str
    unit: str
    solve: Callable[[], float]
    hint: str
    how: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A question with a picture and a few things to do, of which one is right.

    Parameters
    ----------
    question : str
        In Markdown.
    options : tuple of Option
    picture : callable
        Whether the theme is dark -> what is decided about.
    solve : callable
        Computes the key of the right option.
    hint, how : str
        As of an `Exercise`.
    """

    question: str
    options: tuple[Option, ...]
    picture: Callable[[bool], Illustration]
    solve: Callable[[], str]
    hint: str
    how: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a teacher needs besides.

    Parameters
    ----------
    objectives : tuple of str
        What students can do afterwards.
    mistakes : callable
        Usual wrong answers, in Markdown, with why they are given; numbers in them are computed.
    """

    objectives: tuple[str, ...]
    mistakes: Callable[[], tuple[tuple[str, str], ...]]


def _no_runs(varied: Any) -> tuple[RunRequest, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One question that a class answers before it sees.

    Parameters
    ----------
    title : str
        A few words, as a menu has them.
    question : str
        One sentence.
    prediction : Prediction
        What is to be predicted before the answer is shown.
    minutes : int
        How long it takes.
    scene : callable
        Which draw of the luck, whether the theme is dark -> what is asked about, which gives nothing away.
    variation : Variation
        What may be varied afterwards.
    find : callable
        Value of the variation, a comparison for each run that it `asks` for -> the answer.
    asks : callable, optional
        Value of the variation -> the runs, of the same policies; none where the answer is theory.
    formulas : tuple of str
        In LaTeX.
    source : str
        Where they are from, in Markdown.
    full : Full
    watch : Watch
    exercises : tuple
        One of each of the `LEVELS`: a decision, and two that are computed.
    plan : Plan
    sandbox : Sandbox, optional
        A cluster to play with in place of the scene; before the prediction it gives nothing away.
    files : tuple, optional
        What students may take with them: what the button says, the name of the file, and what makes it.
    random : bool, optional
        Whether the scene is drawn at random, and anew if asked.
    """

    title: str
    question: str
    prediction: Prediction
    minutes: int
    scene: Callable[[int, bool], Illustration]
    variation: Variation
    find: Callable[..., Found]
    formulas: tuple[str, ...]
    source: str
    full: Full
    watch: Watch
    exercises: tuple[Decision | Exercise, ...]
    plan: Plan
    sandbox: Sandbox | None = None
    asks: Callable[[Any], tuple[RunRequest, ...]] = field(default=_no_runs)
    files: tuple[tuple[str, str, Callable[[], bytes]], ...] = ()
    random: bool = True
