"""Controls of the Diagnose page: which of the offered logs is shown; uploaded files belong to the session."""

from __future__ import annotations

from pages.logs.controls import log_control
from pages.shared.controls import file_in_link
from pages.shared.controls.panel import Panel

PAGE = "diagnose"
#: The sample that the page begins with.
DEFAULT = "slurm"
PANEL = Panel(PAGE, [log_control(DEFAULT), file_in_link.CONTROL])
