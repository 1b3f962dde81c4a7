"""A formula as a rule declares it and the screen shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its name, its LaTeX without dollar signs, a sentence (Markdown) and its source."""

    name: str
    latex: str
    sentence: str
    source: str = ""
