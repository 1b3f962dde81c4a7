"""All lessons as files: a page, a plan and a worksheet each, a first page, the course, and logs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from pages.lessons import LESSONS
from pages.lessons.course import TITLE, builds_on, plans
from pages.lessons.export.page import MARK, name_of, page, whole
from pages.lessons.export.recorded import Compare, recorded
from pages.lessons.export.teacher import course, plan, worksheet
from sim.model.fields import BadInput
from sim.model.files import Output, checked_path, opened, regular
from sim.running.experiment import compare
from sim.telling.words import listed
from theory.quoting import quoted

#: The file of the course.
COURSE = "course.html"
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
    yield COURSE, course().encode()
    for number, lesson in LESSONS.items():
        found = recorded(number, lesson, run)
        yield name_of(number), page(found).encode()
        yield _sheet("plan", number), plan(found).encode()
        yield _sheet("worksheet", number), worksheet(found).encode()
        for _, name, make in lesson.files:
            yield name, make()


def write(folder: str, run: Compare = compare) -> Iterator[tuple[str, int]]:
    """Write all files into a folder, which is made if it is not there; yield name and bytes of each.

    Raises
    ------
    BadInput
        If the folder cannot be made or written to, or holds anything but an earlier export.
    """
    try:
        place = Path(checked_path(folder))
        place.mkdir(parents=True, exist_ok=True)
        theirs = not _is_ours(place)
    except OSError as error:
        raise BadInput(f"folder: {quoted(folder)} cannot be written ({error.strerror})") from None
    if theirs:
        raise BadInput(f"folder: {quoted(folder)} holds something else; give an empty folder, or a new one")
    for name, content in files(run):
        try:
            regular(place / name)  # a link there would lead to a file that is not ours
        except OSError as error:
            raise BadInput(f"folder: {quoted(name)} in it cannot be written ({error.strerror})") from None
        with Output("folder", str(place / name)) as file:
            file.write(content)
        yield name, len(content)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is empty or has an earlier export, whose files are made anew."""
    if regular(folder / "index.html") is None:
        return not any(folder.iterdir())
    with opened(folder / "index.html") as file:
        return MARK.encode() in file.read(2000)


def _sheet(kind: str, number: int) -> str:
    return f"{kind}-{number}.html"


def index() -> str:
    """Return the first page: each lesson with its question, what it builds on, and its sheets to print."""
    rows = [
        f'<li><p><a href="{name_of(number)}">{escape(lesson.title)}</a>: {escape(lesson.question)}</p>'
        f'<p class="small">About {lesson.minutes} minutes. {escape(builds_on(number))} To print: '
        f'<a href="{_sheet("worksheet", number)}">worksheet {number}</a>, '
        f'<a href="{_sheet("plan", number)}">plan {number}</a>.</p></li>'
        for number, lesson in LESSONS.items()
    ]
    body = (
        "<main>\n<h1>Lessons on stragglers</h1>\n<p>In a compute cluster a job waits for its slowest task. "
        "Each lesson asks for a prediction before it shows the answer.</p>\n"
        f"<ol>{''.join(rows)}</ol>\n"
        f'<p>For the teacher: <a href="{COURSE}">{TITLE}</a>, in {listed([*plans()], "or")}.</p>\n</main>'
    )
    return whole("Lessons", body)
