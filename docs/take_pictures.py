"""Takes the pictures of the README: ``python -m docs.take_pictures`` starts the app and drives a browser.

Each page is taken in both themes, as WebP. Beside the pictures `controls.json` keeps the controls that each
page declared then; a test compares them with today's, so that a picture of an older page is noticed.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from pages.frame.menu import entry_of
from tests.browser.chromium import launched
from tests.browser.conftest import FIRST, wait_for_app_run
from tests.browser.server import serve

FOLDER = Path(__file__).resolve().parent / "pictures"
CONTROLS = FOLDER / "controls.json"
#: Page -> where its picture is taken.
PAGES = {
    "start": "/",
    "compare": "/compare",
    "learn": "/learn?v=1&lesson=2",
    "diagnose": "/diagnose?v=1&log=spark",
    "whatif": "/whatif?v=1&log=spark",
}
THEMES = ("light", "dark")
#: Of the window, in pixels; and of the picture's quality.
WIDTH, HEIGHT, QUALITY = 1280, 800, 80
#: Milliseconds for which a page must stay the same to be at rest.
REST = 3000
#: Seconds until the server answers at the latest, on a busy machine.
SLOW = 1800
#: Bytes of the largest picture.
MOST_BYTES = 200_000


def path(page: str, theme: str) -> Path:
    """Return the file of a picture."""
    return FOLDER / f"{page}-{theme}.webp"


def declared(page: str) -> dict[str, str]:
    """Return the controls of a page: name -> label, and the kind of its values."""
    panel = import_module(f"{entry_of(page).package}.controls").PANEL
    return {
        name: f"{control.label} ({type(control.values).__name__})" for name, control in panel.controls.items()
    }


def take(browser: Browser, url: str, page: str, theme: str) -> None:
    """Take the picture of a page in a theme, once its last answer is drawn."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme, reduced_motion="reduce"
    )
    shown = context.new_page()
    shown.set_default_timeout(FIRST)
    shown.goto(url + PAGES[page])
    wait_for_app_run(shown, FIRST)
    expect(shown.get_by_test_id("stSkeleton")).to_have_count(0, timeout=FIRST)
    wait_for_app_run(shown, FIRST)
    path(page, theme).write_bytes(_at_rest(shown))
    context.close()


def _at_rest(shown: Page) -> bytes:
    """Return the picture of a page that changes no more."""
    before, now = b"", _webp(shown)
    while now != before:
        shown.wait_for_timeout(REST)
        before, now = now, _webp(shown)
    expect(shown.get_by_test_id("stException")).to_have_count(0)
    return now


def _webp(shown: Page) -> bytes:
    """Return what a page shows as WebP, which the browser itself writes."""
    taken = shown.context.new_cdp_session(shown).send(
        "Page.captureScreenshot", {"format": "webp", "quality": QUALITY}
    )
    return base64.b64decode(taken["data"])


def main(pages: Sequence[str] = tuple(PAGES)) -> None:
    """Take the pictures of some pages, and keep their controls."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder), patience=SLOW) as server,
        launched() as browser,
    ):
        for page in pages:
            for theme in THEMES:
                take(browser, server.url, page, theme)
                print(path(page, theme).name, path(page, theme).stat().st_size, flush=True)
            _keep(page)


def _keep(page: str) -> None:
    """Keep the controls of a page beside its pictures."""
    kept = json.loads(CONTROLS.read_text(encoding="utf-8")) if CONTROLS.exists() else {}
    kept[page] = declared(page)
    text = json.dumps({page: kept[page] for page in PAGES if page in kept}, indent=1, ensure_ascii=False)
    CONTROLS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or tuple(PAGES))
