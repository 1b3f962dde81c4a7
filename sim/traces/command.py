"""``python -m sim trace``: read a log, say what stragglers cost, write a report or the compact file."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.fields import BadInput
from sim.traces.source import MOST_BYTES
from theory.shown import quoted

#: Bytes from which a progress bar is shown on a terminal.
_LARGE = 20 * 2**20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked of a log."""
    parser.add_argument("file", nargs="+", help="a log, several files of one, or a folder of its parts")
    parser.add_argument("--json", metavar="FILE", help="write the diagnosis as JSON; - is standard output")
    parser.add_argument("--html", metavar="FILE", help="write it as one HTML file")
    parser.add_argument("--out", metavar="FILE", help="write the history as a compact Parquet file")
    parser.add_argument(
        "--most-gib",
        metavar="N",
        default=f"{MOST_BYTES // 2**30}",
        help="refuse logs of more GiB after unpacking (default: %(default)s)",
    )


def run(chosen: argparse.Namespace) -> int:
    """Read the log and report."""
    from sim.traces.compact import as_parquet
    from sim.traces.diagnosis import diagnose
    from sim.traces.diagnosis.report import as_html, as_json, as_text
    from sim.traces.formats import read_history

    for option in ("json", "html", "out"):
        _check_folder(option, getattr(chosen, option))
    most = _most_bytes(chosen.most_gib)
    with _progress(chosen.file) as progress:
        history = read_history(*chosen.file, most_bytes=most, progress=progress)
    if chosen.out:
        write_whole(chosen.out, as_parquet(history))
    found = diagnose(history)
    if chosen.html:
        write_whole(chosen.html, as_html(found).encode())
    if chosen.json:
        text = json.dumps(as_json(found), indent=1, allow_nan=False)
        if chosen.json == "-":
            print(text)
        else:
            write_whole(chosen.json, (text + "\n").encode())
    if chosen.json != "-":
        print(as_text(found))
    return 0


def write_whole(path: str, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)  # mkstemp makes a file that only its owner reads
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadInput(f"{quoted(path)} cannot be written ({error.strerror})") from None


def _check_folder(option: str, path: str | None) -> None:
    """Refuse a file that could not be written before a large log is read."""
    if path not in (None, "-"):
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise BadInput(f"{option}: {quoted(path)} is not accepted; {folder} is not a folder")
    if path == "-" and option != "json":
        raise BadInput(f"{option}: '-' is not accepted; give the name of a file")


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
    size = sum(_size(Path(path)) for path in paths)
    if size < _LARGE or not sys.stderr.isatty():
        yield lambda number: None
        return
    from tqdm import tqdm

    with tqdm(total=size, unit="B", unit_scale=True, file=sys.stderr, leave=False) as bar:
        yield lambda number: bar.update(number) and None


def _size(path: Path) -> int:
    try:
        return sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size
    except OSError:
        return 0
