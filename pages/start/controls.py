"""Controls of the first screen, as a link has them: the sandbox draws them in the browser."""

from __future__ import annotations

from pages.animation.sandbox import COPIES, TAILS, Sandbox
from pages.shared.controls.control import Control, OneOf, Range
from pages.shared.controls.panel import Panel

#: How it is set where a link says nothing.
FIRST = Sandbox()
PANEL = Panel(
    "start",
    (
        Control("copies", "Copies", OneOf(tuple(COPIES), "segmented_control"), FIRST.copies),
        Control("load", "Load", Range(0.05, 0.95, 0.05), FIRST.load),
        Control("tail", "Stragglers", OneOf(tuple(TAILS), "segmented_control"), FIRST.tail),
    ),
    version="",  # the first screen's links never named one
)
