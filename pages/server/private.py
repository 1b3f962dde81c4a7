"""Everything this app uses of Streamlit that Streamlit does not promise to keep.

Each has a test (`tests/pages/server/test_private.py`), and `pyproject.toml` allows only releases of Streamlit
that pass them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, cast

from streamlit import config, file_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check, get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFileRec
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from sim.running.byte_cache import ByteCache

# Histories read from files: kept while a session that gave one is open, and while memory allows.

#: Seconds for which a visitor whose connection is gone may come back to what was read.
PATIENCE_S = 120.0


class Read:
    """What was read, by file.

    Parameters
    ----------
    most_bytes : int
        Of all together; the least recently used is dropped first.
    is_there : callable
        Tells whether a session has its page open.
    clock : callable, optional
    """

    def __init__(
        self, most_bytes: int, is_there: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._kept, self._is_there, self._clock = ByteCache(most_bytes, "read"), is_there, clock
        self._lock = threading.Lock()
        self._asked: dict[Hashable, dict[str, float]] = {}  # file -> session -> when it last asked

    def get(self, key: Hashable, session: str) -> Any:
        """Return what was read from a file, or None."""
        self._note(key, session)
        return self._kept.get(key)

    def keep(self, key: Hashable, value: Any, session: str) -> None:
        """Keep a history that was read, for this session and for others that give the same file."""
        self._note(key, session)
        self._kept.keep(key, value)

    @property
    def bytes(self) -> int:
        """Bytes of all of it."""
        return self._kept.bytes

    def __len__(self) -> int:
        return len(self._kept)

    def _note(self, key: Hashable, session: str) -> None:
        """Note the asking session, and forget histories whose sessions have all gone."""
        now = self._clock()
        with self._lock:
            self._asked.setdefault(key, {})[session] = now
            gone = [one for one, asked in self._asked.items() if not self._wanted(asked, now)]
            for one in gone:
                del self._asked[one]
                self._kept.drop(one)

    def _wanted(self, asked: dict[str, float], now: float) -> bool:
        return any(now - last < PATIENCE_S or self._is_there(session) for session, last in asked.items())


__all__ = (
    "BackMsg",
    "DeletedFile",
    "MemoryUploadedFileManager",
    "UploadedFileRec",
    "base_path",
    "forget_pages_folder",
    "held_files",
    "is_active",
    "is_allowed_origin",
    "is_host_allowed",
    "look_up",
    "session",
    "static_files",
    "token",
    "uploaded_files",
    "uses_pages_folder",
)


def session() -> str:
    """Return the session whose script runs on this thread; empty outside of a script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def is_active(session: str) -> bool:
    """Tell whether a session has its page open."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def look_up() -> Callable[[], object]:
    """Return what ends this run of a script if its visitor has moved on; outside of one it does nothing."""
    return get_run_yield_check() or (lambda: None)


def uploaded_files() -> MemoryUploadedFileManager:
    """Return what holds the files that visitors have given."""
    return cast(MemoryUploadedFileManager, runtime.get_instance().uploaded_file_mgr)


def held_files() -> MemoryUploadedFileManager | None:
    """Return what holds the files of the script on this thread; None outside of a script."""
    context = get_script_run_ctx(suppress_warning=True)
    return cast(MemoryUploadedFileManager, context.uploaded_file_mgr) if context else None


def token(cookies: Any) -> bytes:
    """Return the browser's token against forged uploads, from its cookies; empty if it has none."""
    text = cookies.get(XSRF_COOKIE_NAME)
    return (decode_xsrf_token_string(text)[0] or b"") if isinstance(text, str) else b""


def static_files() -> Path:
    """Return the folder of the page that Streamlit serves, and of its parts."""
    return Path(file_util.get_static_dir())


def base_path() -> str:
    """Return the path below which the app is served; empty for the root."""
    return config.get_option("server.baseUrlPath") or ""


def uses_pages_folder() -> bool:
    """Tell whether Streamlit takes the files in ``pages`` for an older kind of page."""
    return bool(PagesManager.uses_pages_directory)


def forget_pages_folder() -> None:
    """Have Streamlit take ``pages`` for a package like any other, as it does after `st.navigation`."""
    PagesManager.uses_pages_directory = False
