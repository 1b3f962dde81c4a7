"""The widget of a prediction: a choice, a slider, or items picked in order."""

from __future__ import annotations

from html import escape
from typing import Literal

import streamlit as st

from pages.lessons.prediction import Answer, Choice, Number, Option, Order, Prediction
from pages.shared.words.foreign import literal

#: What a slider says that nobody has touched; `screens.css` knows it, too, and draws the ghost of a handle.
NOWHERE = "tap the line"


def ask(prediction: Prediction, key: str, *, above: str = "") -> Answer | None:
    """Draw the widget of a prediction; return the answer, None while there is none.

    Nothing is answered by itself: a slider starts at no number, and no button puts all items in an order.

    Parameters
    ----------
    prediction : Prediction
        What its options and its unit say is shown letter by letter, its label as Markdown.
    key : str
        Of the widget in the session.
    above : str, optional
        The question, in Markdown, where it stands above the widget already: then it is read out only.
    """
    label = above or prediction.label
    visible: Literal["visible", "collapsed"] = "collapsed" if above else "visible"
    match prediction:
        case Choice():
            labels = shown_labels(prediction.options)
            chosen: str | None = st.radio(
                label,
                list(labels),
                index=None,
                format_func=labels.__getitem__,
                key=key,
                label_visibility=visible,
            )
            return chosen
        case Number():
            unit = f" ({literal(prediction.unit)})" if prediction.unit else ""
            with st.container(key=f"line:{key}", gap=None):
                value: float | None = st.select_slider(
                    label + unit,
                    [None, *prediction.places],
                    key=key,
                    label_visibility=visible,
                    format_func=lambda place: NOWHERE if place is None else f"{place:.10g}",
                )
                low, high = (escape(prediction.shown(end)) for end in (prediction.low, prediction.high))
                st.html(f'<div class="ends"><span>{low}</span><span>{high}</span></div>')
            return value
        case Order():
            labels = shown_labels(prediction.items)
            picked: list[str] = st.pills(
                label,
                list(labels),
                format_func=labels.__getitem__,
                key=key,
                selection_mode="multi",
                label_visibility=visible,
            )  # as they are pressed, the first first; pressed again, one goes
            ranks = "\n".join(f"{place}. {labels[one]}" for place, one in enumerate(picked, start=1))
            st.markdown(ranks or "Press the first, then the second, …")
            return tuple(picked) if len(picked) == len(labels) else None


def shown_labels(options: tuple[Option, ...]) -> dict[str, str]:
    """Return key -> label of options, as Markdown that shows it as it is."""
    return {option.key: literal(option.label) for option in options}
