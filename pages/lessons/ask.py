"""The widget of a prediction: a choice, a slider, or items picked in order."""

from __future__ import annotations

import streamlit as st

from pages.lessons.prediction import Answer, Choice, Number, Order, Prediction


def ask(prediction: Prediction, key: str) -> Answer | None:
    """Draw the widget of a prediction; return the answer, None while there is none.

    Parameters
    ----------
    prediction : Prediction
    key : str
        Of the widget in the session.
    """
    match prediction:
        case Choice():
            labels = {option.key: option.label for option in prediction.options}
            chosen: str | None = st.radio(
                prediction.label, list(labels), index=None, format_func=labels.__getitem__, key=key
            )
            return chosen
        case Number():
            unit = f" ({prediction.unit})" if prediction.unit else ""
            value: float = st.slider(
                prediction.label + unit, float(prediction.low), float(prediction.high),
                step=float(prediction.step), format="%.10g", key=key,
            )  # fmt: skip
            return prediction.nearest(value)
        case Order():
            labels = {item.key: item.label for item in prediction.items}
            picked: list[str] = st.multiselect(
                prediction.label, list(labels), format_func=labels.__getitem__, key=key,
                placeholder="Pick the first, then the second, …",
            )  # fmt: skip
            st.markdown("\n".join(f"{place}. {labels[one]}" for place, one in enumerate(picked, start=1)))
            return tuple(picked) if len(picked) == len(labels) else None
