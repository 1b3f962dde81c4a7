"""Controls of the tab Before and after: a pair of samples, or which of the dropped runs are those after."""

from __future__ import annotations

from pages.logs.controls import LEAVE_OUT, SECOND, menu
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Control, Panel, Switch

PAGE = "beforeafter"
TITLE = "Did the change do what was promised?"
#: The samples that the tab begins with.
DEFAULT = "speculation"
APART = Control(
    "apart",
    "Each file is a run",
    Switch(),
    False,
    "Two runs of each side tell how runs vary. Off: the files of a side are the parts of one log.",
)
PANEL = Panel(
    PAGE,
    [
        menu("runs", DEFAULT),
        file_in_link.CONTROL,
        Control(SECOND, "Second file of the link", file_in_link.FileInLink(), ""),
        APART,
        LEAVE_OUT,
    ],
)
