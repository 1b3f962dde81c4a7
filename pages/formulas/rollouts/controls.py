"""Controls of the Rollouts tab: the law of the lengths or a list of them, and what a slot costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.formulas.tab import BETA
from pages.shared.controls.control import Control, OneOf, Panel, Range, Switch
from sim.advice.rollouts import LIST, listed
from sim.telling.words import clipped

#: Characters of a list, which a link has.
LONGEST = 2_500
#: Lengths in s that look like answers of a model: most are short, a few much longer.
EXAMPLE = (
    "21 34 18 27 45 30 24 62 19 38 26 22 51 29 33 17 41 25 36 23 28 150 20 31 57 24 39 27 35 22 48 26 19 44 "
    "30 210 25 32 21 37"
)


@dataclass(frozen=True, slots=True)
class Pasted:
    """A list of lengths that is typed or pasted, right or wrong; in a link with single spaces."""

    def read(self, name: str, text: str) -> str:
        """Return the text.

        Examples
        --------
        >>> Pasted().read("list", "12,13 14;15 1:30")
        '12 13 14 15 1:30'
        """
        listed(text)
        return self.write(text)

    def write(self, value: str) -> str:
        """Return the text as a link has it."""
        return " ".join(value.replace(",", " ").replace(";", " ").split())

    def show(self, value: str) -> str:
        """Return the text, shortened."""
        return clipped(value)

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw a field to paste into."""
        return st.text_area(label, key=key, height=68, max_chars=LONGEST, **options)


OWN = (
    Control(
        "awaited", "Answers N awaited", Range(2, 128, 1), 32, "A step ends when any N are done.", symbol="N"
    ),
    Control(
        "law",
        "Lengths",
        OneOf(
            {
                "pareto": "Pareto",
                "lognormal": "Lognormal",
                "exponential": "Exponential",
                LIST: "My list",
            }
        ),
        "pareto",
        "How long answers take: a law of the mean below, or a list of which each is as likely.",
    ),
    Control("mean", "Mean length (s)", Range(1, 600, 1), 60, "Of a law."),
    Control("sigma", "Spread σ of the lognormal law", Range(0.1, 2.0, 0.1), 0.8, "Of the logarithms."),
    Control("list", "Lengths of a list", Pasted(), EXAMPLE, "In s, or as 1.5 min or 1:30; 5 or more."),
    Control(
        "price",
        "Price of an extra slot",
        Range(0.0, 10.0, 0.25),
        1.0,
        "A slot-second of an extra answer, in those of the N. 1: a fixed cluster; 0: slots are idle anyhow.",
    ),
    Control(
        "carry",
        "Carry over what is not done",
        Switch(),
        False,
        "Answers that are not done run on into the next step, instead of being discarded.",
    ),
)
PANEL = Panel("rollouts", (replace(BETA, default=2.0, about="Of the Pareto law of lengths."), *OWN))
