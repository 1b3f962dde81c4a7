"""What a teacher can print: the plan of a lesson, a worksheet, its solutions, the plan of a course."""

from __future__ import annotations

from pages.learn.details.course import show_course
from pages.learn.details.plan import show_plan
from pages.learn.details.worksheet import show_solutions, show_worksheet
from pages.learn.question import Asked


def show_sheet(name: str, asked: Asked, dark: bool) -> None:
    """Draw the sheet of this name."""
    match name:
        case "worksheet":
            show_worksheet(asked, dark)
        case "solutions":
            show_solutions(asked)
        case "course":
            show_course(asked, dark)
        case _:
            show_plan(asked, dark)
