"""Controls of the page: a pair of samples, or the visitor's files of two runs."""

from __future__ import annotations

from pages.logs.beforeafter.question import PAIRS
from pages.logs.controls import Place
from pages.logs.leaving_out import LEAVE_OUT
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Control, OneOf, Switch
from pages.shared.controls.panel import Panel

PAGE = "beforeafter"
#: The samples that the page begins with.
DEFAULT = "speculation"
#: The name, in a link, of the file of the second place.
SECOND = "file2"
BEFORE = Place("before", "Drop the log of the run before")
AFTER = Place("after", "Drop the log of the run after", SECOND)
RUNS = Control(
    "runs",
    "Or look at",
    OneOf({name: pair.title for name, pair in PAIRS.items()}),
    DEFAULT,
    "Logs of our own, with known truth.",
)
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
        RUNS,
        file_in_link.CONTROL,
        Control(SECOND, "Second file of the link", file_in_link.FileInLink(), ""),
        APART,
        LEAVE_OUT,
    ],
)
