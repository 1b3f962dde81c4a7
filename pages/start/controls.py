"""Controls of the first screen: a job's tasks, and how often each is run."""

from __future__ import annotations

from pages.shared.controls.control import Control, OneOf, Range
from pages.shared.controls.panel import Panel

MOST_TASKS = 50
PANEL = Panel(
    "start",
    (
        Control("job_tasks", "Tasks in the job", Range(2, MOST_TASKS, 1), 20),
        Control(
            "job_copies",
            "Copies of each task; the first to finish counts",
            OneOf((1, 2, 3), "segmented_control"),
            1,
        ),
    ),
    version="",  # the first screen's links never named one
)
