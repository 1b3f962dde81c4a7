"""Controls of the Learn page: which lesson, and whether its plan or a sheet for the class is shown.

What a visitor has predicted is in no link: whoever opens a lesson predicts first.
"""

from __future__ import annotations

from pages.lessons import LESSONS
from pages.shared.controls.control import Control, OneOf, Panel, Switch

PAGE = "learn"
LESSON = Control(
    "lesson",
    "Lesson",
    OneOf({str(number): f"{number}. {lesson.title}" for number, lesson in LESSONS.items()}),
    "1",
)
TEACHER = Control("teacher", "For the teacher", Switch(), False, "The plan of the lesson, to print.")
SHEET = Control(
    "sheet",
    "On paper",
    OneOf(
        {"plan": "Plan", "worksheet": "Worksheet", "solutions": "Solutions", "course": "Course"},
        "segmented_control",
    ),
    "plan",
    "The worksheet has two pages and no solutions. To print: Share, Print.",
)
PANEL = Panel(PAGE, (LESSON, TEACHER, SHEET))
