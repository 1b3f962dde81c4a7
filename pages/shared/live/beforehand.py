"""What was made of samples before the server started, by all that it depends on."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

from pages.shared.app.runs import records
from pages.shared.app.uploads import digest
from sim.logs.source import Upload
from sim.running.code_digest import ROOT, essence


def made_of(key: Hashable, files: Sequence[Upload]) -> Any:
    """Return what was made of the files of a sample; None if nothing was."""
    data = records().read(name_of(key, files))
    return None if data is None else pickle.loads(data)


def name_of(key: Hashable, files: Sequence[Upload]) -> str:
    """Return how an answer is called among those that were computed beforehand."""
    made = repr((key, _made_by(), *map(digest, files)))
    return f"history-{hashlib.sha256(made.encode()).hexdigest()[:20]}"


@cache
def _made_by() -> str:
    """Return what changes with the sources that read a history and play it; the records know the others."""
    folders = ("traces", "whatif", "fleet")
    files = sorted(one for name in folders for one in (ROOT / "sim" / name).rglob("*.py"))
    return hashlib.sha256("".join(essence(one.read_text("utf-8")) for one in files).encode()).hexdigest()
