"""What-if's report in a real browser, from a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from sim.advice.whatif.document import as_html
from tests.sim.whatif.test_html import answered

pytestmark = pytest.mark.browser


def test_the_charts_are_drawn_without_a_network(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(as_html(answered()), encoding="utf-8")
    page, said = browser.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    for place in ("remedies", "check", "front", "load"):
        page.wait_for_selector(f"#{place} .main-svg")
    assert said == []
    page.close()
