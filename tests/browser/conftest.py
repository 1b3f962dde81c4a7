"""Fixtures of the browser tests: one server and one browser for all of them, a fresh visitor for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect

from tests.browser.chromium import launched
from tests.browser.server import Server, serve

#: Milliseconds until a page that does not do what is expected of it has failed, and the same where an engine
#: may have to be compiled first. Nothing waits so long: conditions are looked at until they hold.
PATIENCE, FIRST = 180_000, 600_000
#: Headers of every answer.
SENT = ("content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options")
Visit = Callable[..., Page]
#: Streamlit's client looks for its server below the path of the page before it looks at the root.
PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("server")) as running:
        yield running


# The scope is the package and not the session: while Playwright runs, its event loop is the main
# thread's, and no other test could start one.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with launched() as chromium:
        yield chromium


@pytest.fixture
def complaints() -> list[str]:
    """What the pages of a test complained of; empty the list to pardon it."""
    return []


@pytest.fixture(scope="package")
def visitors(browser: Browser) -> list[BrowserContext]:
    """Visitors who have come before: they have the files that every page loads, and nothing else."""
    return []


@pytest.fixture
def visit(
    browser: Browser, visitors: list[BrowserContext], server: Server, complaints: list[str]
) -> Iterator[Visit]:
    """Open a page of the app as another visitor, who wants no motion unless it is asked for.

    The test fails in the end if a page wrote an error to the console, or asked anything of another machine.
    """
    pages: list[Page] = []

    def open_page(
        path: str = "/",
        *,
        width: int = 1366,
        height: int = 768,
        dark: bool = False,
        motion: bool = False,
        wait: bool = True,
    ) -> Page:
        if len(pages) == len(visitors):
            visitors.append(browser.new_context())
        page = visitors[len(pages)].new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme="dark" if dark else "light", reduced_motion="no-preference" if motion else "reduce"
        )
        page.set_default_timeout(PATIENCE)
        listen(page, complaints)
        page.goto(server.url + path)
        if wait:
            wait_for_app_run(page)
        return page

    yield open_page
    for page, context in zip(pages, visitors, strict=False):
        if not page.is_closed():
            page.evaluate("localStorage.clear()")
            page.close()
        context.clear_cookies()
        context.clear_permissions()
    assert not complaints, "\n".join(complaints)


def listen(page: Page, complaints: list[str], *, headers: bool = True) -> None:
    """Collect console errors, exceptions, requests to other machines, and answers without their headers."""

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBE.search(message.location["url"]):
            complaints.append(f"console error: {message.text}")

    def see(address: str) -> None:
        # data: and blob: have no host and go nowhere
        if urlsplit(address).hostname not in (None, "localhost"):
            complaints.append(f"request to another machine: {address}")

    def check(answer: Response) -> None:
        if answer.url.startswith("http") and not all(header in answer.headers for header in SENT):
            complaints.append(f"without its headers: {answer.url}")

    page.on("console", hear)
    if headers:
        page.on("response", check)
    page.on("pageerror", lambda error: complaints.append(f"uncaught exception: {error}"))
    page.on("request", lambda request: see(request.url))
    page.on("websocket", lambda socket: see(socket.url))


#: Whether nothing on the page is of an older run, and every chart has been drawn where it stands.
DRAWN = """() => !document.querySelector('[data-stale="true"]')
  && [...document.querySelectorAll('[data-testid="stPlotlyChart"]')].every(place => {
    const chart = place.querySelector('.js-plotly-plot');
    return chart && chart._fullLayout && chart._fullData && chart.querySelector('.main-svg');
  })"""


def wait_for_app_run(page: Page, patience: float = PATIENCE) -> None:
    """Wait until the server's answer is drawn and its script rests, at most `patience` ms each.

    A page that refines its answer rests only when the last one is there.
    """
    app = page.get_by_test_id("stApp")
    main = page.get_by_test_id("stMainBlockContainer")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=patience)
    expect(main.get_by_test_id("stElementContainer").first).to_be_attached(timeout=patience)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=patience)
    page.wait_for_function(DRAWN, timeout=patience)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the server's log below a failed test."""
    report = yield
    server = getattr(item, "funcargs", {}).get("server")
    if report.failed and server is not None:
        report.sections.append(("log of the server", server.log))
    return report
