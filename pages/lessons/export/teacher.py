"""What a teacher prints, as HTML files: the course, and for each lesson a plan and a worksheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from pages.lessons.answers import marked, solution, ticked, timing
from pages.lessons.course import TITLE, contents, plans
from pages.lessons.export.markdown import inline, paragraphs
from pages.lessons.export.mathml import markup
from pages.lessons.export.page import figure, whole
from pages.lessons.export.recorded import Recorded
from pages.lessons.lesson import LEVELS, Decision

#: A box to write into.
BOX = '<div class="box"><p class="small">{}</p></div>'


def course() -> str:
    """Return the file of the course: the lessons in their order, then each plan, the shortest first."""
    lessons = "".join(f"<li>{paragraphs(line)}</li>" for line in contents())
    parts = [f"<h1>{TITLE}</h1>\n<ol>{lessons}</ol>"]
    for name, sessions in plans().items():
        parts.append(f"<h2>Course of {escape(name)}</h2>")
        for place, one in enumerate(sessions, start=1):
            parts.append(f"<h3>Session {place}</h3>" if len(sessions) > 1 else "")
            parts.append(_table(one.rows))
    return _file(TITLE, parts)


def plan(recorded: Recorded) -> str:
    """Return the plan of a lesson: objectives, timing, question and answer, wrong answers, solutions."""
    lesson, found = recorded.lesson, recorded.first
    wrong = [f"**{answer}.** {why}" for answer, why in lesson.plan.mistakes()]
    return _file(
        f"Lesson plan {recorded.number}: {lesson.title}",
        [
            f"<h1>Lesson plan {recorded.number}: {escape(lesson.title)}</h1>",
            f"<h2>After the lesson students can</h2>{_list(lesson.plan.objectives)}",
            f"<h2>Timing</h2>{_table(timing(lesson))}",
            paragraphs(f"**The question.** {lesson.prediction.label}", marked(lesson.prediction)),
            paragraphs(f"**The answer.** {found.told}", f"**The reason.** {' '.join(found.why)}"),
            figure(found.draw(None, False)),
            f"<h2>Common wrong answers, and why</h2>{_list(wrong)}",
            "<h2>Exercises</h2>",
            *(
                paragraphs(
                    f"**Exercise** ({level}). {one.question}", f"**Solution: {solution(one)}.** {one.how}"
                )
                for level, one in zip(LEVELS, lesson.exercises, strict=True)
            ),
            paragraphs(f"**Vary it.** {lesson.variation.label}."),
        ],
    )


def worksheet(recorded: Recorded) -> str:
    """Return the worksheet of a lesson: a page to predict on, and one with the exercises; nothing is told."""
    return _file(f"Worksheet: {recorded.lesson.title}", _worksheet(recorded))


def _worksheet(recorded: Recorded) -> Iterator[str]:
    lesson = recorded.lesson
    yield f"<h1>{escape(lesson.question)}</h1>"
    yield paragraphs(f"Name: {'_' * 40} Date: {'_' * 20}")
    yield figure(lesson.scene(0, False))
    yield paragraphs(
        f"**Predict first.** {lesson.prediction.label}", *marked(lesson.prediction).split("\n\n")
    )
    yield BOX.format("Why do you think so?")
    yield BOX.format("After the answer: what is right, and why?")
    yield '<h2 class="page">Exercises, for after the answer</h2>'
    yield from (f'<div class="formula">{markup(one, block=True)}</div>' for one in lesson.formulas)
    for level, one in zip(LEVELS, lesson.exercises, strict=True):
        yield paragraphs(f"**Exercise** ({level}). {one.question}")
        if isinstance(one, Decision):
            yield figure(one.picture(False))
            yield paragraphs(*ticked(one.options).split("\n\n"))
        else:
            yield BOX.format(f"Calculation, and answer{f' ({escape(one.unit)})' if one.unit else ''}")


def _file(title: str, parts: Iterable[str]) -> str:
    link = '<nav aria-label="Lessons"><a href="index.html">All lessons</a></nav>'
    return whole(title, "\n".join([link, "<main>", *parts, "</main>"]))


def _list(points: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{inline(point)}</li>" for point in points) + "</ul>"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = "".join(f"<tr><td>{escape(minutes)}</td><td>{escape(what)}</td></tr>" for minutes, what in rows)
    return f"<table>{lines}</table>"
