"""A lesson before its prediction and after it."""

from __future__ import annotations

import streamlit as st

from pages.learn.details import show_all_runs, show_exercises, show_formulas, show_full, show_plain_run
from pages.learn.question import Request
from pages.lessons.answers import answered
from pages.lessons.lesson import Illustration
from pages.lessons.prediction import ask
from pages.shared.app.turns import Placeholders, answer_place, stage
from pages.shared.charts.on_page import CONFIG, show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.words.tables import downloads

#: Widths of a picture and of what stands beside it.
COLUMNS = [6, 5]


def show_prediction(asked: Request, dark: bool) -> None:
    """Draw the scene, and ask for a prediction."""
    answer_place().markdown("answer", "**Predict first:** then the answer is computed.")
    picture, words = st.columns(COLUMNS, gap="medium")
    with picture:
        if asked.lesson.sandbox:
            st.html(asked.lesson.sandbox.before.element(dark))
        else:
            show_scene(asked, dark)
    with words, stage():
        answer = ask(asked.lesson.prediction, asked.key("asked"))
        st.button(
            "This is my prediction",
            disabled=answer is None,
            key=asked.key("sure"),
            on_click=asked.predict,
            args=(answer,),
        )
    if not asked.lesson.sandbox:
        show_plain_run(asked)


def show_lesson(asked: Request, dark: bool) -> None:
    """Draw the answer onto the prediction, its reason, and what comes after."""
    lesson, predicted = asked.lesson, asked.predicted
    answer = answer_place()
    st.empty()  # where the question was: it goes at once, not when the last answer is there
    left, right = st.columns(COLUMNS, gap="medium")
    with left:
        picture = Placeholders(st.container())
        with stage():
            varied = show_variation(asked)
        status = Placeholders(st.container())
    with right:
        why = Placeholders(st.container())
        show_formulas(lesson)
        show_full(lesson)
        st.button("Predict again", icon=":material/replay:", key=asked.key("again"), on_click=asked.forget)
    if lesson.sandbox:
        st.html(lesson.sandbox.element(dark))
    again, decision = st.columns(COLUMNS, gap="medium")
    with again:
        show_scene(asked, dark)
    show_exercises(asked, dark, decision)
    shown = ""
    for place, found in enumerate(asked.answers(varied, status)):
        answer.markdown(
            "answer", answered(lesson, found, predicted, varied=varied != lesson.variation.default)
        )
        why.markdown("why", "**Why**\n\n" + "\n\n".join(found.why))
        drawn = found.draw(predicted, dark)
        figure = SerializedFigure(drawn.figure, drawn.title)
        if figure.digest != shown:
            picture.plotly_chart(
                "answer", figure, config=CONFIG, alt=drawn.alt, key=asked.key(f"answer {place}"), theme=None
            )
            shown = figure.digest
    show_all_runs(asked, varied)


def show_variation(asked: Request) -> object:
    """Draw what may be varied; return its value."""
    variation = asked.lesson.variation
    key = asked.key("varied")
    st.session_state.setdefault(key, variation.default)
    return variation.draw(key)


def show_scene(asked: Request, dark: bool) -> None:
    """Draw the picture of what is asked about; it can be drawn anew where it is drawn at random."""
    drawn: Illustration = asked.lesson.scene(asked.drawn, dark)
    show_figure(asked.key("scene"), SerializedFigure(drawn.figure, drawn.title), drawn.alt)
    if files := asked.lesson.files:
        downloads(*files)
    if asked.lesson.random:
        st.button(
            "Draw another", icon=":material/casino:", key=asked.key("another"), on_click=asked.draw_again
        )
