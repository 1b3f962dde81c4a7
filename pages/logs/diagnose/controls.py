"""Controls of the tab Diagnose: which of the offered logs is shown; dropped files belong to the session."""

from __future__ import annotations

from pages.logs.controls import menu
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Panel

PAGE = "diagnose"
TITLE = "What do stragglers cost your cluster, and would second copies help?"
#: The sample that the tab begins with.
DEFAULT = "slurm"
PANEL = Panel(PAGE, [menu("log", DEFAULT), file_in_link.CONTROL])
