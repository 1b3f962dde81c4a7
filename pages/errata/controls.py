"""The control of the Errata page: which paper."""

from __future__ import annotations

from pages.errata.words import PAPERS
from pages.shared.controls.control import Control, OneOf, Panel

SHORT = {name: paper.short for name, paper in PAPERS.items()}
PANEL = Panel("errata", (Control("paper", "Paper", OneOf(SHORT, "segmented_control"), next(iter(PAPERS))),))
