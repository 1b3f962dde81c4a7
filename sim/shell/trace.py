"""``python -m sim trace``: read a log, say what stragglers cost, write a report or the compact file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sim.logs.leaving_out import GONE, add_leaving_out
from sim.logs.source import MOST_BYTES, files_of
from sim.model.fields import BadInput
from sim.model.files import Output, keep_apart, output
from theory.quoting import quoted

if TYPE_CHECKING:  # the options are told before anything of a log is needed
    from sim.advice.diagnosis import Diagnosis
    from sim.logs.history import History

#: Bytes from which a progress bar is shown on a terminal.
_LARGE = 20 * 2**20
_OUTPUTS = ("out", "html", "json")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked of a log."""
    parser.add_argument("file", nargs="+", help="a log, several files of one, or a folder of its parts")
    parser.add_argument("--json", metavar="FILE", help="write the diagnosis as JSON; - is standard output")
    parser.add_argument("--html", metavar="FILE", help="write it as one HTML file")
    parser.add_argument(
        "--out", metavar="FILE", help="write the history, without jobs that are gone, as a Parquet file"
    )
    add_leaving_out(parser)
    parser.add_argument(
        "--most-gib",
        metavar="N",
        default=f"{MOST_BYTES // 2**30}",
        help="refuse logs of more GiB after unpacking (default: %(default)s)",
    )


def diagnosed(chosen: argparse.Namespace, progress: Callable[[int], None]) -> tuple[History, Diagnosis]:
    """Read the log that the options name, and diagnose it.

    Parameters
    ----------
    chosen : Namespace
        Of `add_options`; the files that are to be written do not matter.
    progress : callable
        Told how many bytes more are read.

    Raises
    ------
    BadInput
        Naming the option or the file, and the reason.
    """
    from sim.advice.diagnosis.library import diagnosis_of

    return diagnosis_of(
        chosen.file,
        leave_out=chosen.leave_out,
        left_out=chosen.left_out,
        most_bytes=_most_bytes(chosen.most_gib),
        progress=progress,
    )


def run(chosen: argparse.Namespace) -> int:
    """Read the log and report."""
    from sim.advice.diagnosis.report import as_html, as_json, as_text
    from sim.logs.compact import as_parquet

    with ExitStack() as files:
        asked = {name: files.enter_context(_output(name, getattr(chosen, name))) for name in _OUTPUTS}
        keep_apart(asked.values(), chosen.file)
        with _progress(chosen.file) as progress:
            history, found = diagnosed(chosen, progress)
        contents: dict[str, Callable[[], str | bytes]] = {
            "out": lambda: as_parquet(found.history if chosen.left_out == GONE else history),
            "html": lambda: as_html(found).encode(),
            "json": lambda: json.dumps(as_json(found), indent=1, allow_nan=False),
        }
        refused = [error for name, make in contents.items() if (error := _refusal(asked[name], make))]
        if not (asked["json"] and asked["json"].is_screen):
            print(as_text(found))
        for error in refused:
            raise error
    return 0


def _output(option: str, path: str | None) -> AbstractContextManager[Output | None]:
    """Return the file of an option; only JSON can go to standard output."""
    if path == "-" and option != "json":
        raise BadInput(f"{option}: '-' is not accepted; give the name of a file")
    return output(option, path)


def _refusal(target: Output | None, make: Callable[[], str | bytes]) -> BadInput | None:
    """Write one output file; return the error, if any, so that the others are written all the same."""
    try:
        if target is not None:
            target.write(make())
        return None
    except BadInput as error:
        return error


def _most_bytes(text: str) -> int:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1e6:
        raise BadInput(f"most-gib: {quoted(text)} is not accepted; give a number from 0 to 1,000,000")
    return int(number * 2**30)


@contextmanager
def _progress(paths: list[str]) -> Iterator[Callable[[int], None]]:
    """Show how much of large files has been read, on a terminal only."""
    size = stored_bytes(paths)
    if size < _LARGE or not (sys.stderr and sys.stderr.isatty()):
        yield lambda number: None
        return
    from tqdm import tqdm

    with tqdm(total=size, unit="B", unit_scale=True, file=sys.stderr, leave=False) as bar:
        yield lambda number: bar.update(number) and None


def stored_bytes(paths: Sequence[str]) -> int:
    """Return how large files and the files of folders are, as they are stored."""
    return sum(_size(Path(path)) for path in paths)


def _size(path: Path) -> int:
    try:
        return sum(file.stat().st_size for file in files_of(path))
    except (OSError, ValueError):  # what is wrong with it is said when it is read
        return 0
