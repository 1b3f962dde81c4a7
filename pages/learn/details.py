"""Below a lesson: what is watched, formulas, exercises and other lessons; and what a teacher can print."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.animation.show import few_jobs, show_runs
from pages.frame.limits import limits
from pages.frame.menu import onwards
from pages.learn.controls import PAGE
from pages.learn.question import Request
from pages.lessons import LESSONS
from pages.lessons.answers import LONGEST, TRIES, close, decided, help_for, is_slip, judged, typed
from pages.lessons.course import NEEDS, depth
from pages.lessons.lesson import LEVELS, Decision, Exercise, Found, Illustration, Lesson
from pages.lessons.prediction import shown_labels
from pages.lessons.sheets import (
    SHEETS,
    Answer,
    Beside,
    Box,
    Drawn,
    Formula,
    Head,
    Listed,
    Part,
    Rows,
    Said,
    Told,
    course,
)
from pages.shared.app.turns import Placeholders, answer_place
from pages.shared.charts.on_page import CONFIG, figure, show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.control import drawer
from pages.shared.controls.links import VERSION, remember
from pages.shared.words.foreign import show_info
from sim.model.fields import BadInput
from sim.telling.plot import CLEAR, Plot

# A visitor's answers to an exercise: each wrong one is met with more help; kept in the session alone.


@dataclass(frozen=True, slots=True)
class Attempts:
    """The answers to one exercise.

    Parameters
    ----------
    exercise : Exercise
    key : str
        Of the field in the session.
    """

    exercise: Exercise
    key: str

    @property
    def text(self) -> str:
        """What stands in the field."""
        return str(st.session_state.get(self.key, "")).strip()

    @property
    def wrong(self) -> tuple[float, ...]:
        """The wrong answers so far, each once; a slip in the unit is none."""
        given: tuple[float, ...] = st.session_state.get(f"{self.key}:wrong", ())
        return given

    @property
    def is_asked(self) -> bool:
        """Whether the solution has been asked for."""
        return bool(st.session_state.get(f"{self.key}:asked"))

    def take(self) -> None:
        """Count what stands in the field if it is wrong."""
        try:
            given = typed(self.text, self.exercise.unit)
        except BadInput:
            return
        right = self.exercise.solve()
        if close(given, right) or is_slip(self.exercise.unit, given, right) or given in self.wrong:
            return
        st.session_state[f"{self.key}:wrong"] = (*self.wrong, given)

    def ask(self) -> None:
        """Ask for the solution."""
        st.session_state[f"{self.key}:asked"] = True

    def told(self) -> str:
        """Return what is said of the answer, with the help that is due; raises `BadInput` for no number."""
        help_due = help_for(self.exercise, len(self.wrong), asked=self.is_asked)
        if not self.text:
            return help_due if self.is_asked else ""
        return judged(self.exercise, typed(self.text, self.exercise.unit), help_due)


# The map of the lessons: each below those that it builds on.

#: Pixels of the map; characters of a line of a title; pixels that an arrow stays off a lesson.
HEIGHT, LINE, OFF = 400, 15, 16


def places() -> dict[int, tuple[float, float]]:
    """Return where each lesson stands: rows by what it builds on, evenly spread from side to side.

    Examples
    --------
    >>> places()[1], places()[3], places()[7]
    ((0.5, 0.0), (0.16666666666666666, 2.0), (0.8333333333333334, 2.0))
    """
    found: dict[int, tuple[float, float]] = {}
    for row in range(1 + max(map(depth, NEEDS))):
        beside = [number for number in NEEDS if depth(number) == row]
        found |= {number: ((at + 0.5) / len(beside), float(row)) for at, number in enumerate(beside)}
    return found


def draw_map(now: int, dark: bool) -> go.Figure:
    """Draw all lessons, `now` in a colour of its own, with an arrow from each to those that build on it."""
    where, plot = places(), Plot("lessons", dark, HEIGHT, showlegend=False)
    ink, x, y = plot.colors.ink, *zip(*where.values(), strict=True)
    for number, needs in NEEDS.items():
        for needed in needs:
            _arrow(plot, where[needed], where[number])
    plot.dots(
        x,
        y,
        "lessons",
        "",
        mode="markers+text",
        text=[str(number) for number in where],
        textfont={"color": plot.colors.paper, "size": 13},
        marker={"size": 26, "color": [plot.colors.series[0] if one == now else ink for one in where]},
    )
    for number in where:
        _title(plot, number, where)
    plot.axis("x", range=[-0.15, 1.15], visible=False)
    plot.axis("y", range=[max(y) + 0.4, -0.4], visible=False)
    return figure(plot)


def _title(plot: Plot, number: int, where: dict[int, tuple[float, float]]) -> None:
    """Write a title beside a lesson, on the side to which no arrow leads."""
    across, down = where[number]
    side = "right" if any(where[needed][0] > across for needed in NEEDS[number]) else "left"
    title = "<br>".join(textwrap.wrap(LESSONS[number].title, LINE))
    shift = 17 if side == "left" else -17
    plot.note(title, x=across, y=down, bgcolor=CLEAR, xanchor=side, xshift=shift, align=side)


def _arrow(plot: Plot, start: tuple[float, float], end: tuple[float, float]) -> None:
    look = {"showarrow": True, "arrowhead": 2, "arrowwidth": 1.5, "arrowcolor": plot.colors.ink}
    ends = {"x": end[0], "y": end[1], "ax": start[0], "ay": start[1], "axref": "x", "ayref": "y"}
    plot.note("", bgcolor=CLEAR, standoff=OFF, startstandoff=OFF, **look, **ends)


def alt_map() -> str:
    """Say in words what `draw` shows."""
    told = [
        f"{number} ({LESSONS[number].title}) on {' and '.join(map(str, needed))}"
        for number, needed in NEEDS.items()
        if needed
    ]
    return f"Lessons build on others: {'; '.join(told)}."


def show_plain_run(asked: Request) -> None:
    """Show the plain run, which gives nothing away."""
    _show(asked, asked.lesson.variation.default, 1)


def show_all_runs(asked: Request, varied: object) -> None:
    """Show all runs, the plain one above."""
    _show(asked, varied, None)


def _show(asked: Request, varied: object, most: int | None) -> None:
    watch = asked.lesson.watch
    runs = dict(islice(watch.runs(varied).items(), most))
    st.markdown(f"**Watch it.** {watch.told}")
    show_runs(runs, few_jobs(runs), st.container())


def show_formulas(lesson: Lesson) -> None:
    """Draw the formulas, folded."""
    if box := drawer(PAGE, "formula", "The formula", ":material/function:"):
        for formula in lesson.formulas:
            box.latex(formula)
        box.markdown(lesson.source)


def show_full(lesson: Lesson) -> None:
    """Draw the link to the page that has more of it, in this setting."""
    full = lesson.full
    version = {} if full.page == "start" else {"v": VERSION}
    onwards(full.page, full.label, version | dict(full.query))


def show_exercises(asked: Request, dark: bool, beside: DeltaGenerator) -> None:
    """Draw the exercises: the decision `beside` what is there, the others next to each other below."""
    places = [beside, *st.columns(len(LEVELS) - 1, gap="medium")]
    for place, (box, exercise) in enumerate(zip(places, asked.lesson.exercises, strict=True), start=1):
        key = asked.key(f"exercise {place}")
        with box.container(border=True, key=f"exercise-{place}"):
            st.markdown(f"**Exercise {place}** ({LEVELS[place - 1]}). {exercise.question}")
            if isinstance(exercise, Decision):
                _show_decision(exercise, key, dark)
            else:
                _show_exercise(Attempts(exercise, key))


def _show_decision(decision: Decision, key: str, dark: bool) -> None:
    """Draw what is decided about, what can be done, and whether the visitor's choice is right."""
    _show_picture(f"{key}:picture", decision.picture(dark))
    options = shown_labels(decision.options)
    chosen = st.radio("Your decision", list(options), index=None, format_func=options.__getitem__, key=key)
    if chosen is not None:
        st.markdown(decided(decision, chosen))


def _show_picture(key: str, drawn: Illustration) -> None:
    show_figure(key, SerializedFigure(drawn.figure, drawn.title), drawn.alt)


def _show_exercise(attempts: Attempts) -> None:
    """Draw the field of an exercise, whether the visitor's answer is right, and the help that is due."""
    exercise = attempts.exercise
    unit = f" ({exercise.unit})" if exercise.unit else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Your answer{unit}",
            key=attempts.key,
            max_chars=LONGEST,
            width=240,
            on_change=attempts.take,
            help="As you would write it: 1.5, 3/2, ×2, √2, twice, 2 h.",
        )
        if not attempts.is_asked and len(attempts.wrong) < TRIES:
            st.button("Show the solution", key=f"{attempts.key}:show", on_click=attempts.ask)
    try:
        if told := attempts.told():
            st.markdown(told)
    except BadInput as error:
        show_info(str(error))


def show_next_lesson(number: int) -> None:
    """Draw the way to the lesson after this one, if there is one.

    It is no link: the browser would keep the address of this lesson, since it is one of the same page.
    """
    if number + 1 in LESSONS and limits(PAGE).leaves("lesson"):
        label = f"Next lesson: {LESSONS[number + 1].title}"
        st.button(
            label,
            icon=":material/arrow_forward:",
            icon_position="right",
            key="learn:next",
            on_click=remember,
            args=(PAGE, "lesson", str(number + 1)),
        )


#: Pixels of a box to write into.
BOX = 140


def show_sheet(name: str, asked: Request, dark: bool) -> None:
    """Draw the sheet of this name; what it tells of the answer gets better while that is simulated."""
    if name == "course":
        picture = Illustration("Which lesson builds on which", draw_map(asked.number, dark), alt_map())
        parts = [*course([Drawn(lambda dark: picture)])]
    else:
        parts = [*SHEETS[name](asked.number, asked.lesson)]
    pages: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Head) and part.new_page:
            pages.append([])
        pages[-1].append(part)
    live: list[partial[None]] = []
    for place, page in enumerate(pages, start=1):
        with st.container(key=f"sheet-{place}"):
            _draw(page, asked, dark, live, f"{place}")
    if live:
        answers = asked.answers(asked.lesson.variation.default, Placeholders(st.container()))
        for place, found in enumerate(answers):
            for show in live:
                show(place, found)


def _draw(parts: Sequence[Part], asked: Request, dark: bool, live: list[partial[None]], key: str) -> None:
    """Draw parts; what shows the answer is drawn by `live` functions when there is one."""
    for place, part in enumerate(parts):
        match part:
            case Head(text, 1):
                if text != asked.lesson.question:  # which the page has as its title
                    st.caption(text)
            case Head(text, 2):
                st.header(text, anchor=False)
            case Head(text):
                st.markdown(f"**{text}**")
            case Said(text):
                st.markdown(text)
            case Told(tell):
                istold = any(one.func is _tell for one in live)
                live.append(partial(_tell, Placeholders(st.container()) if istold else answer_place(), tell))
            case Listed(points, numbered):
                marks = [f"{one}." if numbered else "-" for one in range(1, len(points) + 1)]
                st.markdown("\n".join(f"{mark} {point}" for mark, point in zip(marks, points, strict=True)))
            case Rows(rows):
                table = pd.DataFrame(rows, columns=["Time", "What"])
                st.table(table, border="horizontal", hide_index=True, hide_header=True)
            case Formula(latex):
                st.latex(latex)
            case Answer():
                live.append(partial(_show_answer, Placeholders(st.container()), asked, dark))
            case Drawn(draw):
                _show_picture(asked.key(f"sheet {key} {place}"), draw(dark))
            case Box(label):
                with st.container(border=True, height=BOX):
                    st.caption(label)
            case Beside(columns):
                for at, (box, column) in enumerate(zip(st.columns(2, gap="medium"), columns, strict=False)):
                    with box:
                        _draw(column, asked, dark, live, f"{key} {place} {at}")


def _tell(box: Placeholders, tell: Callable[[Found], str], place: int, found: Found) -> None:
    box.markdown("told", tell(found))


def _show_answer(box: Placeholders, asked: Request, dark: bool, place: int, found: Found) -> None:
    drawn = found.draw(None, dark)
    figure = SerializedFigure(drawn.figure, drawn.title)
    key = asked.key(f"plan {place}")
    box.plotly_chart("answer", figure, config=CONFIG, alt=drawn.alt, key=key, theme=None)
