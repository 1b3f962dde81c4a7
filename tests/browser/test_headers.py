"""No other site can frame or steer a page.

That pages work under their headers is seen by every browser test: what is refused is an error of the console.
"""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, listen
from tests.browser.looks import assert_becomes
from tests.browser.server import Server, serve

pytestmark = pytest.mark.browser

#: What the browser refused of a page, kept in the page.
REFUSED = """
window.refused = [];
document.addEventListener('securitypolicyviolation',
  event => window.refused.push(`${event.effectiveDirective}: ${event.blockedURI}`));
"""


def test_what_a_browser_refuses_would_be_noticed(browser: Browser, server: Server) -> None:
    page = browser.new_page()
    page.add_init_script(REFUSED)
    complaints: list[str] = []
    listen(page, complaints)
    page.goto(server.url)
    page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://evil.example/x.png'}))")
    page.wait_for_function("window.refused.length")
    assert page.evaluate("window.refused") == ["img-src: http://evil.example/x.png"]
    assert any("Content Security Policy" in complaint for complaint in complaints), complaints
    page.close()


@pytest.fixture
def course(tmp_path: Path) -> Iterator[str]:
    """Serve, at another port, what is in a folder; return its origin."""
    handler = functools.partial(Silent, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield f"http://localhost:{other.server_port}"
        other.shutdown()


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *arguments: object) -> None:
        pass


def shown_in_a_frame(browser: Browser, course: str, folder: Path, server: Server) -> tuple[Page, list[str]]:
    """Open a page of the course that shows the app; return it and what the console says."""
    (folder / "course.html").write_text(f'<iframe src="{server.url}/threshold" width="1200"></iframe>')
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{course}/course.html")
    return page, said


def test_a_page_of_another_server_cannot_show_the_app_in_a_frame(
    browser: Browser, course: str, tmp_path: Path, server: Server
) -> None:
    page, said = shown_in_a_frame(browser, course, tmp_path, server)
    assert_becomes(lambda: [page.title(), any("frame-ancestors" in text for text in said)][1], True)
    assert page.frames[1].get_by_test_id("stApp").count() == 0
    page.close()


def test_a_course_page_that_the_operator_names_can(
    browser: Browser, course: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRAGGLER_LAB_FRAME_ANCESTORS", course)
    with serve(tmp_path) as server:
        page, _ = shown_in_a_frame(browser, course, tmp_path, server)
        frame = page.frame_locator("iframe")
        expect(frame.get_by_test_id("stPlotlyChart").first).to_be_visible()
        page.close()


def test_no_other_page_may_send_messages_to_the_app(server: Server, visit: Visit) -> None:
    page = visit("/threshold")
    allowed = page.evaluate("fetch('/_stcore/host-config').then(answer => answer.json())")
    assert allowed["allowedOrigins"] == []
    expect(page.get_by_test_id("stApp")).to_be_visible()
