"""All lessons as files: one page each, a first page, and what students may take with them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from pages.lessons import LESSONS
from pages.lessons.course import builds_on
from pages.lessons.export.page import name_of, page, whole
from pages.lessons.export.recorded import Compare, recorded
from sim.experiment import compare
from sim.fields import BadInput
from sim.files import Output, checked_path
from theory.shown import quoted

#: Bytes of all files together, at most.
MOST_BYTES = 5_000_000


def files(run: Compare = compare) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file, as soon as it is made.

    Parameters
    ----------
    run : callable, optional
        Runs an experiment with an effort; the app does the same in parts.
    """
    yield "index.html", index().encode()
    for number, lesson in LESSONS.items():
        yield name_of(number), page(recorded(number, lesson, run)).encode()
        for _, name, make in lesson.files:
            yield name, make()


def write(folder: str, run: Compare = compare) -> Iterator[tuple[str, int]]:
    """Write all files into a folder, which is made if it is not there; yield name and bytes of each.

    Raises
    ------
    BadInput
        If the folder cannot be made or written to.
    """
    try:
        Path(checked_path(folder)).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"folder: {quoted(folder)} cannot be written ({error.strerror})") from None
    for name, content in files(run):
        with Output("folder", str(Path(folder) / name)) as file:
            file.write(content)
        yield name, len(content)


def index() -> str:
    """Return the first page: each lesson with its question and what it builds on."""
    rows = [
        f'<li><p><a href="{name_of(number)}">{escape(lesson.title)}</a>: {escape(lesson.question)}</p>'
        f'<p class="small">About {lesson.minutes} minutes. {escape(builds_on(number))}</p></li>'
        for number, lesson in LESSONS.items()
    ]
    body = (
        "<main>\n<h1>Lessons on stragglers</h1>\n<p>In a compute cluster a job waits for its slowest task. "
        "Each lesson asks for a prediction before it shows the answer.</p>\n"
        f"<ol>{''.join(rows)}</ol>\n</main>"
    )
    return whole("Lessons", body)
