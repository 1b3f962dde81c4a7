"""The widget of a prediction: a choice, a slider, or items picked in order."""

from __future__ import annotations

import streamlit as st

from pages.lessons.prediction import Answer, Choice, Number, Option, Order, Prediction
from pages.shared.words.foreign import literal

#: What a slider says that nobody has touched; `screens.css` knows it, too, and shows no handle there.
NOWHERE = "nowhere yet"


def ask(prediction: Prediction, key: str, written: str = "") -> Answer | None:
    """Draw the widget of a prediction; return the answer, None while there is none.

    Nothing is answered by itself: a slider starts at no number, and no button puts all items in an order.

    Parameters
    ----------
    prediction : Prediction
        What its options and its unit say is shown letter by letter, its label as Markdown.
    key : str
        Of the widget in the session.
    written : str, optional
        What stands above the widget, in Markdown, in the place of the prediction's own label.
    """
    label = written or prediction.label
    match prediction:
        case Choice():
            labels = shown_labels(prediction.options)
            chosen: str | None = st.radio(
                label, list(labels), index=None, format_func=labels.__getitem__, key=key
            )
            return chosen
        case Number():
            unit = f" ({literal(prediction.unit)})" if prediction.unit else ""
            value: float | None = st.select_slider(
                label + unit,
                [None, *prediction.places],
                key=key,
                format_func=lambda place: NOWHERE if place is None else f"{place:.10g}",
            )
            return value
        case Order():
            labels = shown_labels(prediction.items)
            picked: list[str] = st.pills(
                label, list(labels), format_func=labels.__getitem__, key=key, selection_mode="multi"
            )  # as they are pressed, the first first; pressed again, one goes
            ranks = "\n".join(f"{place}. {labels[one]}" for place, one in enumerate(picked, start=1))
            st.markdown(ranks or "Press the first, then the second, …")
            return tuple(picked) if len(picked) == len(labels) else None


def shown_labels(options: tuple[Option, ...]) -> dict[str, str]:
    """Return key -> label of options, as Markdown that shows it as it is."""
    return {option.key: literal(option.label) for option in options}
