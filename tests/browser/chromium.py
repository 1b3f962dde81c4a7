"""The path of an installed Chromium; none is ever downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: What no test needs. Popups below the bar of addresses are pages in a process of their own, 0.6 s of a core
#: for each window. Playwright's own list is lost where another is given: these others are of it.
WITHOUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
)
#: Without a sandbox, so that it also runs as root in a container; and it may look up no name but this
#: machine's, so that a page which needs the internet fails here rather than in a classroom.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(WITHOUT)}",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
)


def find_chromium() -> Path | None:
    """Return the program named by the variable CHROMIUM, or else the first of `NAMES` on the path."""
    if chosen := os.environ.get("CHROMIUM"):
        return Path(chosen)
    return next((Path(found) for name in NAMES if (found := shutil.which(name))), None)


def required_chromium() -> Path:
    """Return the browser; where there is none skip the test, or fail it if this is CI."""
    if found := find_chromium():
        return found
    reason = f"no Chromium: none of {', '.join(NAMES)} is on the path and CHROMIUM is not set"
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; in CI browser tests may not be skipped")
    pytest.skip(reason)


@contextmanager
def launched() -> Iterator[Browser]:
    """Run the browser, without a window."""
    program = required_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield chromium
        chromium.close()
