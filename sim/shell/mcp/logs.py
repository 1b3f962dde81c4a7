"""The logs that can be read: those in one folder, each as it is given to the other tools."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.advice.fleet.discovery import listed_in
from sim.logs.formats import format_of
from theory.quoting import visible


def as_json(folder: Path) -> dict[str, Any]:
    """Return the logs of a folder and of those in it, the newest first; no link leads out of it.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    BadInput
        If there are too many files.
    """
    found = sorted(listed_in(folder, inside=True), key=lambda log: -log.changed)
    rows = [
        {
            "file": [visible(Path(file).relative_to(folder).as_posix()) for file in log.files],
            "bytes": log.size,
            "modified": datetime.fromtimestamp(log.changed // 10**9, UTC).isoformat(),
            "format": _format(log.files[0], log.size, log.changed),
        }
        for log in found
    ]
    logs = [row for row in rows if row["format"]]
    return {"count": len(logs), "other_files": len(rows) - len(logs), "logs": logs}


@lru_cache(maxsize=10_000)
def _format(file: str, size: int, changed: int) -> str:
    """Return the format of a log; another page of the list looks at no file again that has not changed."""
    return format_of(file)


def as_text(found: dict[str, Any]) -> str:
    """Return `as_json` in lines."""
    head = f"Logs: {found['count']:,}. Other files: {found['other_files']:,}."
    rows = [
        f"{one['modified']}  {one['bytes']:>14,} bytes  {one['format']:10}  {' '.join(one['file'])}"
        for one in found["logs"]
    ]
    return "\n".join([head, *rows])
