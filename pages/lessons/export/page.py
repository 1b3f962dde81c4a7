"""A lesson as one HTML file: all of it can be read without its script, which asks first and shows then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from pages.animation.element import look
from pages.lessons import LESSONS
from pages.lessons.answers import LONGEST, facts, limits, solution
from pages.lessons.course import builds_on
from pages.lessons.export.markdown import inline, paragraphs
from pages.lessons.export.mathml import markup
from pages.lessons.export.parts import looks, script
from pages.lessons.export.recorded import Recorded, both
from pages.lessons.lesson import LEVELS, Decision, Exercise, Illustration, Lesson
from pages.lessons.prediction import NOWHERE, Choice, Number, Option, Order, Prediction
from sim import __version__
from sim.telling import document

#: What tells an exported page from others, a report of this program among them.
MARK = '<meta name="generator" content="straggler-lab, lessons">'


def name_of(number: int) -> str:
    """Return the file of a lesson.

    Examples
    --------
    >>> name_of(3)
    'lesson-3.html'
    """
    return f"lesson-{number}.html"


def page(recorded: Recorded) -> str:
    """Return the file of a lesson."""
    lesson = recorded.lesson
    body = "\n".join([*_head(recorded), _question(recorded), *_answer(recorded), _data(recorded)])
    return whole(lesson.title, body, script())


def whole(title: str, body: str, *scripts: str) -> str:
    """Return a file with these scripts."""
    return document.whole(f"{title} · straggler-lab", body, style=looks(), scripts=scripts, mark=MARK)


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


def _question(recorded: Recorded) -> str:
    lesson = recorded.lesson
    scenes = recorded.scenes()
    figures = [figure(one, hidden=place > 0) for place, one in enumerate(scenes)]
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


def _answer(recorded: Recorded) -> Iterator[str]:
    lesson, variation = recorded.lesson, recorded.lesson.variation
    shown = variation.values if isinstance(variation.values, Mapping) else {}
    labels = [str(shown.get(one, f"{one:g}" if isinstance(one, float) else one)) for one in recorded.found]
    yield '<details id="answer"><summary>I have predicted: show the answer</summary>'
    yield '<h2 id="told" tabindex="-1">The answer</h2>'
    inputs = "".join(
        f'<label class="beside"><input type="radio" name="varied"> {escape(one)}</label>' for one in labels
    )
    legend = f"Now try: {escape(variation.label)}"
    yield f'<fieldset id="variations" hidden><legend>{legend}</legend>{inputs}</fieldset>'
    for label, (varied, found) in zip(labels, recorded.found.items(), strict=True):
        heading = f"<h3>{escape(variation.label)}: {escape(label)}</h3>"
        told = f'<p class="told" role="status">{inline(found.told)}</p>'
        watch = f"{paragraphs(f'**Watch it.** {lesson.watch.told}')}\n{recorded.runs(varied)}"
        parts = heading, told, figure(found.draw(None, False)), paragraphs("**Why**", *found.why), watch
        yield f"<section data-varied>{''.join(parts)}</section>"
    formulas = "".join(f'<div class="formula">{markup(one, block=True)}</div>' for one in lesson.formulas)
    yield f"<details><summary>The formula</summary>{formulas}{paragraphs(lesson.source)}</details>"
    if lesson.sandbox:
        yield lesson.sandbox.element(False)
    yield '<p><button type="button" id="again">Predict again</button></p>'
    yield "<h2>Exercises</h2>"
    for place, (level, exercise) in enumerate(zip(LEVELS, lesson.exercises, strict=True), start=1):
        yield _exercise(place, level, exercise)
    yield f'<p class="small">More of it in the app, on the page {escape(lesson.full.label)}.</p>'
    made = f"straggler-lab {__version__}. All numbers were computed when this page was written."
    yield f'</details></main>\n<footer><p class="small">{made}</p></footer>'


def _exercise(place: int, level: str, exercise: Decision | Exercise) -> str:
    asked = _decision(place, exercise) if isinstance(exercise, Decision) else _field(exercise)
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


def _decision(place: int, decision: Decision) -> str:
    """Return the picture of a decision and what can be done, as buttons or, without a script, as a list."""
    buttons = "".join(
        f'<label><input type="radio" name="decision-{place}" value="{one.key}"> {inline(one.label)}</label>'
        for one in decision.options
    )
    return (
        f"{figure(decision.picture(False))}\n"
        f'<div class="unscripted">{_listed(decision.options)}</div>\n'
        f'<fieldset class="asked" hidden><legend>Your decision</legend>{buttons}</fieldset>'
    )


def _listed(options: tuple[Option, ...]) -> str:
    return "<ul>" + "".join(f"<li>{inline(one.label)}</li>" for one in options) + "</ul>"


def figure(picture: Illustration, *, hidden: bool = False) -> str:
    """Return a picture for both widths, which is read out as its words."""
    sizes = zip(("wide", "narrow"), both(picture), strict=True)
    drawn = "".join(
        f'<svg class="{name}" viewBox="0 0 {one.wide} {one.high:g}" aria-hidden="true">{one.content}</svg>'
        for name, one in sizes
    )
    return (
        f"<figure{' hidden' if hidden else ''}><figcaption>{escape(picture.title)}</figcaption>"
        f'<div role="img" aria-label="{escape(picture.alt)}">{drawn}</div></figure>'
    )


def _data(recorded: Recorded) -> str:
    """Return what the script needs, as data."""
    lesson: Lesson = recorded.lesson
    known: dict[str, Any] = {
        "predictions": recorded.predictions(),
        "exercises": [
            {"right": one.solve()} | ({} if isinstance(one, Decision) else {"unit": one.unit})
            for one in lesson.exercises
        ],
        "facts": facts(),
        "limits": limits(),
        "nowhere": NOWHERE,
        "looks": {name: look(dark) for name, dark in (("light", False), ("dark", True))},
    }
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" id="recorded">{text}</script>'
