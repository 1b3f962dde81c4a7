"""A lesson as one HTML file, which can be read without its script; that asks first and shows then.

Everything it needs is computed when it is written: answers, what each prediction draws onto them, runs to
watch. Only sliders of a cluster compute in the reader's browser. Its charts are drawn by Plotly's
script, a file beside it; without that each is told in words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import permutations
from pathlib import Path
from typing import Any

import orjson

from pages.animation.show import element, look
from pages.frame.browser import PARTS as FRAME
from pages.lessons import LESSONS
from pages.lessons.answers import LONGEST, answered, facts, limits, solution
from pages.lessons.course import builds_on
from pages.lessons.export.live import SHOWN, figures, given
from pages.lessons.export.live import element as live_element
from pages.lessons.export.markup import inline, markup, paragraphs
from pages.lessons.export.scripts import CHARTS, PARTS, PLOTLY, alike, looks, plotly, script
from pages.lessons.lesson import LEVELS, Decision, Exercise, Found, Illustration, Lesson
from pages.lessons.prediction import NOWHERE, Answer, Choice, Number, Option, Order, Prediction
from pages.shared.charts.on_page import CONFIG
from pages.shared.charts.serialized import SerializedFigure
from sim import __version__
from sim.model.result import Comparison
from sim.running.animation import LOG, animation
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.telling import document

#: What tells an exported page from others, a report of this program among them.
MARK = '<meta name="generator" content="straggler-lab, lessons">'
#: Runs an experiment with an effort.
Compare = Callable[[Experiment, Effort], Comparison]
#: Draws of a scene that a page has.
SCENES = 4
TYPED, JUDGED, LESSON, SHEET = (PARTS / f"{name}.js" for name in ("typed", "judged", "lesson", "sheet"))
#: A cluster to play with, likewise.
SANDBOX = ("sandbox-engine", "sandbox-words", "sandbox-draw", "sandbox")
#: What plays runs, in the order in which one needs the other: the same files as in the app.
PLAYER = tuple(
    FRAME / f"{name}.js" for name in ("elements", "animation", "animation-draw", "animation-player", *SANDBOX)
)


def name_of(number: int) -> str:
    """Return the file of a lesson.

    Examples
    --------
    >>> name_of(3)
    'lesson-3.html'
    """
    return f"lesson-{number}.html"


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

    def moved(self) -> list[dict[str, Any]]:
        """Return what each place of the slider shows: its label, the answer, the reason, the picture."""
        found = {one: self.lesson.find(one) for one in self.lesson.fine}
        return [
            {
                "label": f"{one:g}",
                "told": inline(answer.told),
                "why": paragraphs("**Why**", *answer.why),
                "alt": (picture := answer.draw(None, False)).alt,
                "figure": values(picture),
            }
            for one, answer in found.items()
        ]

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


class Charts(dict[str, Any]):
    """The charts of a page: by its place, what each shows."""

    def figure(self, picture: Illustration, *, hidden: bool = False) -> str:
        """Return the place of a picture, with its title and its words, which are read out."""
        place = f"chart-{len(self) + 1}"
        self[place] = values(picture)
        return (
            f'<figure{" hidden" if hidden else ""}><p class="title">{escape(picture.title)}</p>'
            f'<div class="chart" id="{place}" role="img" aria-label="{escape(picture.alt)}">'
            "A script draws this chart. In words:</div>"
            f'<figcaption aria-hidden="true">{escape(picture.alt)}</figcaption></figure>'
        )

    def whole(self, title: str, body: str, *modules: Path, within: bool = False, **known: Any) -> str:
        """Return a page with these charts and scripts, and what the scripts know.

        Parameters
        ----------
        title, body : str
        *modules : Path
        within : bool, optional
            Whether Plotly's script is written into the page.
        **known : object
        """
        if self:
            known |= {"figures": self, "alike": alike(), "config": CONFIG}
            modules = (CHARTS, *modules) if modules else (CHARTS, SHEET)
        if not known:
            return _file(title, body)
        scripts = ([plotly()] if within else []) + [script(*modules)]
        beside, worker = "" if within or not self else PLOTLY, "live" in known
        more = {"scripts": scripts, "beside": beside, "styled": bool(self), "worker": worker}
        return _file(title, f"{body}\n{data(known)}", **more)


def data(known: Mapping[str, Any]) -> str:
    """Return what the scripts of a page know, as an element of it."""
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" id="recorded">{text}</script>'


def _file(title: str, body: str, **more: Any) -> str:
    return document.whole(f"{title} · straggler-lab", body, style=looks(), mark=MARK, **more)


def page(recorded: Recorded, *, within: bool = False) -> str:
    """Return the file of a lesson; Plotly's script is in a file beside it, or `within`."""
    lesson, charts = recorded.lesson, Charts()
    parts = [*_head(recorded), _question(recorded, charts), *_answer(recorded, charts)]
    live = {"live": given(lesson.live)} if lesson.live else {}
    charts |= figures() if lesson.live else {}
    return charts.whole(
        lesson.title,
        "\n".join(parts),
        *PLAYER,
        TYPED,
        JUDGED,
        *SHOWN,
        LESSON,
        within=within,
        predictions=recorded.predictions(),
        moved=recorded.moved(),
        exercises=[
            {"right": one.solve()} | ({} if isinstance(one, Decision) else {"unit": one.unit})
            for one in lesson.exercises
        ],
        facts=facts(),
        limits=limits(),
        nowhere=NOWHERE,
        looks={name: look(dark) for name, dark in (("light", False), ("dark", True))},
        **live,
    )


def _head(recorded: Recorded) -> Iterator[str]:
    number, lesson = recorded.number, recorded.lesson
    beside = {"Previous lesson": number - 1, "Next lesson": number + 1}
    links = [
        f'<a href="{name_of(one)}">{label}: {escape(LESSONS[one].title)}</a>'
        for label, one in beside.items()
        if one in LESSONS
    ]
    yield f'<nav aria-label="Lessons"><a href="index.html">All lessons</a> {" ".join(links)}</nav>'
    yield f"<main>\n<h1>{escape(lesson.question)}</h1>"
    about = f"Lesson {number} of {len(LESSONS)}, about {lesson.minutes} minutes. {builds_on(number)}"
    yield f'<p class="small">{escape(about.strip())}</p>'


def _question(recorded: Recorded, charts: Charts) -> str:
    lesson = recorded.lesson
    scenes = recorded.scenes()
    figures = [charts.figure(one, hidden=place > 0) for place, one in enumerate(scenes)]
    another = '<button type="button" id="another" hidden>Draw another</button>' if len(scenes) > 1 else ""
    files = " ".join(
        f'<a href="{escape(name)}" download>{escape(label)}</a>' for label, name, _ in lesson.files
    )
    return "\n".join(
        [
            f'<section id="question">\n{lesson.sandbox.before.element(False) if lesson.sandbox else ""}',
            f'<div id="scenes">{"".join(figures)}</div>',
            f"<p>{another} {files}</p>",
            f"<h2>Predict first</h2>\n{paragraphs(lesson.prediction.label)}",
            f'<div id="unscripted">{_offered(lesson.prediction)}</div>',
            _form(lesson.prediction),
            paragraphs(f"**Watch it.** {lesson.watch.told}"),
            recorded.runs(lesson.variation.default, 1),
            "</section>",
        ]
    )


def _offered(prediction: Prediction) -> str:
    """Return what can be predicted, for readers without a script."""
    match prediction:
        case Choice(options=options) | Order(items=options):
            return _listed(options)
        case Number(low=low, high=high):
            return f"<p>From {escape(prediction.shown(low))} to {escape(prediction.shown(high))}.</p>"


def _form(prediction: Prediction) -> str:
    """Return the widgets of a prediction, which a script shows."""
    match prediction:
        case Choice(options=options):
            asked = "".join(
                f'<label><input type="radio" name="predicted" value="{one.key}"> {inline(one.label)}</label>'
                for one in options
            )
        case Order(items=items):
            choices = "".join(f'<option value="{one.key}">{escape(one.label)}</option>' for one in items)
            asked = "".join(
                f'<label>{place}. <select><option value=""></option>{choices}</select></label>'
                for place in range(1, len(items) + 1)
            )
        case Number(low=low, high=high, step=step, unit=unit):
            asked = (
                '<div id="value" aria-hidden="true"></div><input type="range" aria-label="My prediction" '
                f'min="{low:g}" max="{high:g}" step="{step:g}" value="{low:g}" data-unit="{escape(unit)}">'
            )
    return (
        f'<fieldset id="prediction" hidden><legend>My prediction</legend>{asked}'
        '<button type="button" id="sure">This is my prediction</button></fieldset>'
    )


def _answer(recorded: Recorded, charts: Charts) -> Iterator[str]:
    lesson, variation = recorded.lesson, recorded.lesson.variation
    shown = variation.values if isinstance(variation.values, Mapping) else {}
    labels = [str(shown.get(one, f"{one:g}" if isinstance(one, float) else one)) for one in recorded.found]
    yield '<details id="answer"><summary>I have predicted: show the answer</summary>'
    yield '<h2 id="told" tabindex="-1">The answer</h2>'
    at = {one: lesson.fine.index(one) if lesson.fine else "" for one in recorded.found}
    inputs = "".join(
        f'<label class="beside"><input type="radio" name="varied" data-at="{at[one]}"> '
        f"{escape(label)}</label>"
        for one, label in zip(recorded.found, labels, strict=True)
    )
    legend = f"Now try: {escape(variation.label)}"
    slider = (
        f'<label>Or slide: {escape(variation.label)} <span id="place"></span><input type="range" '
        f'id="slider" min="0" max="{len(lesson.fine) - 1}" data-touched></label>'
        if lesson.fine
        else ""
    )
    yield f'<fieldset id="variations" hidden><legend>{legend}</legend>{inputs}{slider}</fieldset>'
    for label, (varied, found) in zip(labels, recorded.found.items(), strict=True):
        heading = f"<h3>{escape(variation.label)}: {escape(label)}</h3>"
        told = f'<p class="told" role="status">{inline(found.told)}</p>'
        watch = f"{paragraphs(f'**Watch it.** {lesson.watch.told}')}\n{recorded.runs(varied)}"
        parts = (
            heading,
            told,
            charts.figure(found.draw(None, False)),
            paragraphs("**Why**", *found.why),
            watch,
        )
        yield f"<section data-varied>{''.join(parts)}</section>"
    if lesson.fine:
        figure = charts.figure(recorded.first.draw(None, False))
        yield (
            '<section data-varied id="moved" hidden><p class="told" role="status"></p>'
            f'{figure}<div class="why"></div></section>'
        )
    formulas = "".join(f'<div class="formula">{markup(one, block=True)}</div>' for one in lesson.formulas)
    yield f"<details><summary>The formula</summary>{formulas}{paragraphs(lesson.source)}</details>"
    if lesson.sandbox:
        yield lesson.sandbox.element(False)
    if lesson.live:
        heading = "<h2>Measure it: move the sliders</h2>"
        yield f'<div id="measured" hidden>{heading}\n{live_element(lesson.live)}</div>'
    yield '<p><button type="button" id="again">Predict again</button></p>'
    yield "<h2>Exercises</h2>"
    for place, (level, exercise) in enumerate(zip(LEVELS, lesson.exercises, strict=True), start=1):
        yield _exercise(place, level, exercise, charts)
    yield f'<p class="small">More of it in the app, on the page {escape(lesson.full.label)}.</p>'
    when = "All numbers were computed when this page was written"
    but = ", but those of the sliders of the cluster" if lesson.live else ""
    made = f"straggler-lab {__version__}. {when}{but}."
    yield f'</details></main>\n<footer><p class="small">{made}</p></footer>'


def _exercise(place: int, level: str, exercise: Decision | Exercise, charts: Charts) -> str:
    asked = _decision(place, exercise, charts) if isinstance(exercise, Decision) else _field(exercise)
    return (
        f'<section class="exercise">{paragraphs(f"**Exercise {place}** ({level}). {exercise.question}")}\n'
        f'{asked}\n<p class="said" role="status"></p>\n'
        f'<details class="hint"><summary>Hint</summary>{paragraphs(exercise.hint)}</details>\n'
        f'<details class="solution"><summary>Show the solution</summary>'
        f"{paragraphs(f'**Solution: {solution(exercise)}.** {exercise.how}')}</details></section>"
    )


def _field(exercise: Exercise) -> str:
    """Return the field of an answer, which a script shows."""
    unit = f" ({escape(exercise.unit)})" if exercise.unit else ""
    return (
        f'<p class="asked" hidden><label>Your answer{unit} <input type="text" maxlength="{LONGEST}" '
        'autocomplete="off" placeholder="1.5, 3/2, ×2, √2"></label></p>'
    )


def _decision(place: int, decision: Decision, charts: Charts) -> str:
    """Return the picture of a decision and what can be done, as buttons or, without a script, as a list."""
    buttons = "".join(
        f'<label><input type="radio" name="decision-{place}" value="{one.key}"> {inline(one.label)}</label>'
        for one in decision.options
    )
    return (
        f"{charts.figure(decision.picture(False))}\n"
        f'<div class="unscripted">{_listed(decision.options)}</div>\n'
        f'<fieldset class="asked" hidden><legend>Your decision</legend>{buttons}</fieldset>'
    )


def _listed(options: tuple[Option, ...]) -> str:
    return "<ul>" + "".join(f"<li>{inline(one.label)}</li>" for one in options) + "</ul>"
