"""All lessons as files: a page, a plan and a worksheet each, a first page, the course, logs, a script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from pages.lessons import LESSONS
from pages.lessons.course import TITLE, builds_on, plans
from pages.lessons.export.markup import inline, markup, paragraphs
from pages.lessons.export.page import MARK, Charts, Compare, name_of, page, recorded
from pages.lessons.export.scripts import PLOTLY, plotly
from pages.lessons.lesson import Found
from pages.lessons.sheets import (
    SHEETS,
    Answer,
    Beside,
    Box,
    Drawn,
    Formula,
    Head,
    Listed,
    Part,
    Rows,
    Said,
    Told,
    course,
)
from sim.model.fields import BadInput
from sim.model.files import Output, checked_path, opened, regular
from sim.running.experiment import compare
from sim.telling.words import listed
from theory.quoting import quoted

#: The file of the course.
COURSE = "course.html"
#: Sheets that are printed for each lesson.
PRINTED = ("plan", "worksheet")
#: Bytes of all files together but for Plotly's script, at most.
MOST_BYTES = 5_000_000


def files(run: Compare = compare, *, whole: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file, as soon as it is made.

    Parameters
    ----------
    run : callable, optional
        Runs an experiment with an effort; the app does the same in parts.
    whole : bool, optional
        Whether each lesson has Plotly's script within.
    """
    yield "index.html", index().encode()
    yield PLOTLY, plotly().encode()
    yield COURSE, sheet(TITLE, [Head(TITLE, 1), *course()]).encode()
    for number, lesson in LESSONS.items():
        found = recorded(number, lesson, run)
        yield name_of(number), page(found, within=whole).encode()
        for kind in PRINTED:
            parts = [*SHEETS[kind](number, lesson)]
            yield _sheet(kind, number), sheet(f"{kind.capitalize()} {number}", parts, found.first).encode()
        for _, name, make in lesson.files:
            yield name, make()


def write(folder: str, run: Compare = compare, *, whole: bool = False) -> Iterator[tuple[str, int]]:
    """Write the lessons as `put` writes files."""
    return put(folder, files(run, whole=whole), MARK)


def put(folder: str, files: Iterable[tuple[str, bytes]], mark: str) -> Iterator[tuple[str, int]]:
    """Write files into a folder, which is made if it is not there; yield name and bytes of each.

    Parameters
    ----------
    folder : str
    files : iterable of (str, bytes)
        Names and contents, one of them ``index.html``.
    mark : str
        What tells that one from others.

    Raises
    ------
    BadInput
        If the folder cannot be made or written to, or holds anything but an earlier export.
    """
    try:
        place = Path(checked_path(folder))
        place.mkdir(parents=True, exist_ok=True)
        theirs = not _is_ours(place, mark)
    except OSError as error:
        raise BadInput(f"folder: {quoted(folder)} cannot be written ({error.strerror})") from None
    if theirs:
        raise BadInput(f"folder: {quoted(folder)} holds something else; give an empty folder, or a new one")
    for name, content in files:
        try:
            regular(place / name)  # a link there would lead to a file that is not ours
        except OSError as error:
            raise BadInput(f"folder: {quoted(name)} in it cannot be written ({error.strerror})") from None
        with Output("folder", str(place / name)) as file:
            file.write(content)
        yield name, len(content)


def _is_ours(folder: Path, mark: str) -> bool:
    """Whether a folder is empty or has an earlier export, whose files are made anew."""
    if regular(folder / "index.html") is None:
        return not any(folder.iterdir())
    with opened(folder / "index.html") as file:
        return mark.encode() in file.read(2000)


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
    return Charts().whole("Lessons", body)


def sheet(title: str, parts: Iterable[Part], found: Found | None = None) -> str:
    """Return a sheet as a file; the answer is found where the sheet tells it."""
    charts = Charts()
    body = "\n".join(_written(one, charts, found) for one in parts)
    link = '<nav aria-label="Lessons"><a href="index.html">All lessons</a></nav>'
    return charts.whole(title, f"{link}\n<main>\n{body}\n</main>")


def _written(part: Part, charts: Charts, found: Found | None) -> str:
    match part:
        case Head(text, level, new_page):
            where = ' class="page"' if new_page else ""
            return f"<h{level}{where}>{escape(text)}</h{level}>"
        case Said(text):
            return paragraphs(*text.split("\n\n"))
        case Told(tell):
            return paragraphs(*tell(_known(found)).split("\n\n"))
        case Listed(points, numbered):
            kind = "ol" if numbered else "ul"
            return f"<{kind}>{''.join(f'<li>{inline(one)}</li>' for one in points)}</{kind}>"
        case Rows(rows):
            lines = (f"<tr><td>{escape(minutes)}</td><td>{escape(what)}</td></tr>" for minutes, what in rows)
            return f"<table>{''.join(lines)}</table>"
        case Formula(latex):
            return f'<div class="formula">{markup(latex, block=True)}</div>'
        case Drawn(draw):
            return charts.figure(draw(False))
        case Answer():
            return charts.figure(_known(found).draw(None, False))
        case Box(label):
            return f'<div class="box"><p class="small">{escape(label)}</p></div>'
        case Beside(columns):
            return "\n".join(_written(one, charts, found) for column in columns for one in column)


def _known(found: Found | None) -> Found:
    assert found is not None, "the sheet tells the answer"
    return found
