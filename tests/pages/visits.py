"""Visits to the app without a browser, as by a link: the page asked for runs first."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "app.py"


@cache
def _pages() -> Any:
    """Return the pages of the app by their hash, which `AppTest` knows from a first run only."""
    return AppTest.from_file(APP, default_timeout=300).run()._registered_pages


def arrived(timeout: float = 300) -> AppTest:
    """Return the app before a visitor's first page: `switch_page` chooses it, `run` opens it."""
    app = AppTest.from_file(APP, default_timeout=timeout)
    app._registered_pages = _pages()
    return app
