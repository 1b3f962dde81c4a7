"""The frame of the app, made once per process: its icon, and a warm start.

It is not in `app.py` since that file is run again for every visitor at every move, and Streamlit would read
the source of what is cached there each time.
"""

from __future__ import annotations

import gc
import threading
import time
from base64 import b64encode
from pathlib import Path

import pandas as pd  # noqa: F401  (whole before a page is drawn: Plotly takes a part of it for all of it)

from pages.server.private import forget_pages_folder
from pages.shared.app.turns import turns

#: The mark of the app as an address; from a file it would be read again for every visitor at every move.
MARK = "data:image/svg+xml;base64," + b64encode((Path(__file__).parent / "mark.svg").read_bytes()).decode()
#: Seconds to wait for a first visitor, then for the first answer, and for which that has the machine alone.
FIRST_S, ANSWER_S, ALONE_S = 3.0, 10.0, 1.0
#: Taken by the first visitor and never given back: a class may come to a fresh server at once.
_begun = threading.Lock()
_answered = threading.Event()
_ready = threading.Event()


def pages_are_ours() -> None:
    """Tell Streamlit that the folder ``pages`` holds no pages of an older kind, one a file.

    It thinks so until `st.navigation` has been called once in a process, and would tell the first visitor who
    asks for a page by its address that there is none.
    """
    forget_pages_folder()


def warm_start() -> None:
    """Load what the pages will need, once a process, after the first page has been shown.

    Who starts the app opens it at once. What is loaded meanwhile takes the interpreter from the first page,
    and a core from the browser: if the page comes first, Start is there in 0.7 of the time.
    """
    if _begun.acquire(blocking=False):
        threading.Thread(target=_load, name="warm start", daemon=True).start()


def first_answered() -> None:
    """Tell that a session has an answer."""
    _answered.set()


def engines_ready() -> bool:
    """Whether the engines are compiled and loaded, so that nobody waits for that any more."""
    return _ready.is_set()


def _load() -> None:
    """Load the engines, then set all that is loaded apart from what is searched for garbage."""
    if _answered.wait(FIRST_S) or (turns().unanswered and _answered.wait(ANSWER_S)):
        time.sleep(ALONE_S)
    from pages.shared.app.runs import (
        engines,  # which imports the workers, for which the first page need not wait
    )

    engines().load()
    gc.collect()
    gc.freeze()  # with all that loaded a full collection stops all sessions for 40 ms
    _ready.set()
