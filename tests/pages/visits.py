"""Visits to the app without a browser, as by a link: the page asked for runs first."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.frame.menu import entries

APP = Path(__file__).resolve().parents[2] / "app.py"
#: The drawers of each page, which a visit opens.
DRAWERS = {
    "threshold": ("own", "formulas"),
    "allocation": ("own", "cases", "formulas"),
    "cloning": ("own", "more", "formulas"),
    "detection": ("own", "rules", "plan", "formulas"),
    "coded": ("own", "formulas"),
    "rollouts": ("own", "formulas"),
    "coding": ("cluster", "theory", "precision", "scenario"),
    "decentralised": ("policies", "jobs", "phases", "precision", "shell", "reported", "formulas"),
    "map": ("more",),
    "whatif": ("more",),
    "wait": ("more", "formulas"),
    "compare": ("sees", "shape", "places", "rules", "precision", "scenario", "formulas"),
}


@cache
def _pages() -> Any:
    """Return the pages of the app by their hash, which `AppTest` knows from a first run only."""
    return AppTest.from_file(APP, default_timeout=300).run()._registered_pages


def arrived(timeout: float = 300) -> AppTest:
    """Return the app before a visitor's first page: `turn_to` chooses it, `run` opens it."""
    app = AppTest.from_file(APP, default_timeout=timeout)
    app._registered_pages = _pages()
    return app


def turn_to(app: AppTest, page: str) -> AppTest:
    """Choose a page of the app by its name, for the next run; several may have one script."""
    address = "" if page == entries()[0].name else page
    hashes = (hash for hash, one in app._registered_pages.items() if one.get("url_pathname") == address)
    app._page_hash = next(hashes)
    return app


def visit(page: str, closed: tuple[str, ...] = (), **query: str) -> AppTest:
    """Open a page by a link, with its drawers open but some; a first visit may wait for a compiler."""
    app = arrived(400)
    for name in DRAWERS.get(page, ()):
        if name not in closed:
            app.session_state[f"{page}:open:{name}"] = True
    app.query_params.update(query)
    return turn_to(app, page).run()


def away_and_back(app: AppTest, page: str, other: str = "threshold") -> AppTest:
    """Look at another page and come back, without the address of before."""
    turn_to(app, other).run()
    app.query_params.clear()
    return turn_to(app, page).run()


def seen(app: AppTest) -> list[str]:
    """Return every text on the screen but shell lines, all of cards, charts in words, and tables."""
    blocks = [
        *(*app.markdown, *app.caption, *app.warning, *app.error, *app.info, *app.title, *app.header),
        *app.subheader,
    ]
    cards = [part for card in app.metric for part in (card.label, card.value, card.delta)]
    charts = [chart.proto.alt + figure["layout"].get("uirevision", "") for chart, figure in drawn(app)]
    return [block.value for block in blocks] + cards + charts + tables(app)


def everything(app: AppTest) -> str:
    """Return every text on the screen, with all that figures, tables and menus hold."""
    figures = [json.dumps(figure) for _, figure in drawn(app)]
    rows = [table.value.to_csv() for table in app.dataframe]
    options = [str(box.options) for box in app.selectbox]
    return "\n".join([*map(str, seen(app)), *(one.value for one in app.code), *figures, *rows, *options])


def drop(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Drop files on a page."""
    return app.file_uploader[0].set_value([(name, data, "") for name, data in files]).run()


def take(app: AppTest, page: str, *files: tuple[str, bytes]) -> AppTest:
    """Take another tab with files that were dropped, which a browser would send again."""
    app.file_uploader[0].set_value([(name, data, "") for name, data in files])
    return turn_to(app, page).run()


def add(app: AppTest, name: str, data: bytes) -> AppTest:
    """Drop another file beside those that are there, as a browser does: they keep their ids."""
    box = app.file_uploader[0]
    box._files = box._get_files_to_register()
    return box.upload(name, data).run()


def tables(app: AppTest) -> list[str]:
    """Return what the tables on the screen hold."""
    return [str(one.value.to_numpy().tolist()) for one in app.table]


def drawn(app: AppTest) -> list[tuple[Any, dict[str, Any]]]:
    """Return each chart on the screen with its figure."""
    return [(chart, json.loads(chart.proto.spec)) for chart in app.get("plotly_chart")]


def notices(app: AppTest) -> str:
    """Return what the page says is to be noticed."""
    return next(block.value for block in app.markdown if block.value.startswith("**What to notice**"))


def link(app: AppTest) -> dict[str, str]:
    """Return the parameters of the address."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}
