"""TLS, one base path, a password, sticky sessions, and a process that is killed: through the real nginx."""

from __future__ import annotations

import asyncio
import re
import ssl
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import websockets
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.benchmarks.room import CODE, Guest, found
from tests.benchmarks.sessions import Visitor
from tests.browser.chromium import launched
from tests.browser.conftest import FIRST, listen, wait_for_app_run
from tests.browser.looks import choose
from tests.hosting.site import BASE, INSTALLED, PASSWORD, TRUSTING, USER, Site, hosted
from tests.pages.server.made_site import FILES

pytestmark = pytest.mark.hosting
CREDENTIALS = "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()
#: A path of a script of Streamlit's page.
SCRIPT = re.compile(r"\./(static/js/index\.[^\"]+\.js)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with hosted(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


def visitor(chromium: Browser) -> BrowserContext:
    return chromium.new_context(
        ignore_https_errors=True, http_credentials={"username": USER, "password": PASSWORD}
    )


def process_of(context: BrowserContext) -> str:
    """Return which process a browser is bound to."""
    return next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "lab_server")


# Plain requests ---------------------------------------------------------------------------------------------


def test_without_tls_one_is_sent_on_to_the_same_page(site: Site) -> None:
    answer = site.ask_plain("/lab/compare?preset=busy")
    assert (answer.status, answer.headers["location"]) == (301, f"{site.url}/compare?preset=busy")


def test_the_base_path_is_found_without_its_slash(site: Site) -> None:
    answer = site.ask("../lab?v=1")
    assert answer.status == 404 or answer.headers["location"].endswith("/lab/?v=1")
    assert site.ask("compare/?v=1").headers["location"].endswith("/lab/compare?v=1")
    assert site.ask("").status == 200


def test_a_password_is_asked_for_but_for_files_that_are_everybodys(site: Site) -> None:
    assert site.ask("", password=False).status == 401
    assert site.ask("compare", password=False).status == 401
    assert site.ask("_stcore/health", password=False).status == 401
    script = SCRIPT.search(site.ask("").body.decode())
    assert script
    assert site.ask(script[1], password=False).status == 200


def test_pages_have_the_headers_of_the_app_and_of_tls(site: Site) -> None:
    headers = site.ask("compare").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["strict-transport-security"].startswith("max-age=")
    assert headers["x-content-type-options"] == "nosniff"
    cookies = site.ask("_stcore/health").cookies
    assert set(cookies) == {"lab_server", "_streamlit_xsrf"}
    for cookie in cookies.values():
        assert "Secure" in cookie
        assert "Path=/lab/" in cookie
        assert "samesite=lax" in cookie.lower()
    assert "HttpOnly" in cookies["lab_server"]


def test_files_of_the_page_come_compressed_and_are_kept(site: Site) -> None:
    script = SCRIPT.search(site.ask("").body.decode())
    assert script
    answer = site.ask(script[1], accept_encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"] == "application/javascript"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    assert site.ask("", accept_encoding="gzip").headers["content-encoding"] == "gzip"


def test_documents_are_behind_the_password_and_nothing_beside_them(site: Site) -> None:
    answer = site.ask("docs/how-to/serve-a-class.html")
    assert (answer.status, answer.body.decode()) == (200, FILES["how-to/serve-a-class.html"])
    assert answer.headers["content-type"].startswith("text/html")
    assert "'sha256-" in answer.headers["content-security-policy"]
    assert site.ask("docs").headers["location"] == f"/{BASE}/docs/"
    assert site.ask("docs/index.html", password=False).status == 401
    assert site.ask("docs/.buildinfo").status == 404
    for name in ("../etc/key.pem", "%2e%2e/etc/key.pem", "..%2fetc/key.pem", "%2e%2e%2f%2e%2e/etc/key.pem"):
        assert b"PRIVATE" not in site.ask(f"docs/{name}").body, name


def test_measures_and_health_are_not_for_the_network(site: Site) -> None:
    assert site.ask("_stcore/metrics").status == 404
    assert b"straggler_lab_" not in site.ask("metrics").body
    assert site.process_answers("1", "healthz") == 200


# Several processes ------------------------------------------------------------------------------------------


def test_newcomers_take_turns_and_stay_where_they_are(site: Site) -> None:
    came = Counter(site.ask("").cookies["lab_server"].partition(";")[0] for _ in range(40))
    assert set(came) == {"lab_server=1", "lab_server=2"}
    assert min(came.values()) >= 15
    for which in ("1", "2"):
        for path in ("", "compare", "_stcore/health"):
            assert site.ask(path, cookie=which).cookies["lab_server"].startswith(f"lab_server={which};")


@pytest.mark.parametrize("cookie", ["3", "1 or 2", "127.0.0.1:22", "lab_1"])
def test_a_cookie_that_is_not_ours_makes_a_newcomer(site: Site, cookie: str) -> None:
    assert site.ask("", cookie=cookie).status == 200


@pytest.mark.parametrize("cookie", ["", "1", "2"])
def test_a_link_to_a_room_leads_to_its_process(site: Site, cookie: str) -> None:
    for link, process in {"1KTWXB": "1", "2KTWXB": "2", "2kt-wxb": "2"}.items():
        for address in (f"room?room={link}", f"room?v=1&teach=1&room={link}"):
            assert site.ask(address, cookie=cookie).cookies["lab_server"].startswith(f"lab_server={process};")
    for other in ("", "9KTWXB", "12KTWXB", "x:2", "KTWXB2"):  # which are of no process of this site
        answer = site.ask(f"room?room={other}", cookie=cookie)
        assert answer.status == 200
        assert answer.cookies["lab_server"].startswith(f"lab_server={cookie}")


def test_a_room_is_in_the_process_that_its_code_names(site: Site) -> None:
    async def opened(process: str) -> str:
        headers = {"Authorization": CREDENTIALS, "Cookie": f"lab_server={process}"}
        base = site.url.replace("https", "wss")
        async with Guest(base, "room", headers=headers, trust=TRUSTING) as teacher:
            await teacher.press("Open a room")
            await teacher.until(lambda: found(teacher, CODE))
            code = found(teacher, CODE)[0][0][1]
            led = site.ask(f"room?room={code}").cookies["lab_server"].partition(";")[0]
            async with Guest(
                base, "room", f"room={code}", headers={**headers, "Cookie": led}, trust=TRUSTING
            ) as one:
                await one.until(lambda: found(one, re.compile("You are in")))
            return code

    for process in ("1", "2"):
        assert asyncio.run(opened(process)).startswith(process)


def socket(site: Site, **headers: str) -> websockets.connect:
    return websockets.connect(
        f"{site.url.replace('https', 'wss')}/_stcore/stream",
        ssl=TRUSTING if isinstance(TRUSTING, ssl.SSLContext) else None,
        subprotocols=[websockets.Subprotocol("streamlit")],
        origin=websockets.Origin(headers.pop("origin", f"https://localhost:{site.secure}")),
        additional_headers=headers,
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": CREDENTIALS, "origin": "https://evil.example"}, 403),
        ({"Authorization": CREDENTIALS, "origin": "http://localhost:1"}, 403),
    ],
)
def test_a_socket_is_refused_to_strangers(site: Site, headers: dict[str, str], status: int) -> None:
    async def opened() -> None:
        async with socket(site, **headers):
            pass

    with pytest.raises(websockets.InvalidStatus) as refusal:
        asyncio.run(opened())
    assert refusal.value.response.status_code == status


def test_a_visitor_moves_a_slider_through_the_proxy(site: Site) -> None:
    async def visit() -> list[str]:
        headers = {"Authorization": CREDENTIALS, "Cookie": "lab_server=2"}
        base = site.url.replace("https", "wss")
        one = Visitor(base, "compare", "v=2&preset=light&precision=10", headers=headers, trust=TRUSTING)
        async with one:
            assert one.socket.response.headers["Set-Cookie"].startswith("lab_server=2;")
            await one.visit()
            await one.move("How busy the cluster is: load ρ₀", 0.6)
        return one.errors

    assert asyncio.run(visit()) == []


# A browser --------------------------------------------------------------------------------------------------


class Carried:
    """Bytes that come to a page over the network, as they are carried: compressed."""

    def __init__(self, page: Page) -> None:
        self.files, self.frames = 0.0, 0
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", self._file)
        network.on("Network.webSocketFrameReceived", self._frame)

    def _file(self, event: dict[str, Any]) -> None:
        self.files += event["encodedDataLength"]

    def _frame(self, event: dict[str, Any]) -> None:
        self.frames += len(event["response"]["payloadData"]) * 3 // 4  # as base64


def test_pages_open_below_the_base_path_and_lead_to_each_other(site: Site, chromium: Browser) -> None:
    context, complaints = visitor(chromium), list[str]()
    page = context.new_page()
    listen(page, complaints, headers=False)
    page.goto(f"{site.url}/threshold")
    wait_for_app_run(page, FIRST)
    expect(page).to_have_url(re.compile(rf"/{BASE}/threshold"))
    choose(page, "Formulas", "Allocation")
    expect(page).to_have_url(re.compile(rf"/{BASE}/allocation"))
    expect(page).to_have_title("Allocation · straggler-lab")
    assert not complaints
    context.close()


def test_a_page_leads_to_its_chapter_whose_script_and_search_run(site: Site, chromium: Browser) -> None:
    context, complaints = visitor(chromium), list[str]()
    page = context.new_page()
    listen(page, complaints, headers=False)
    page.goto(f"{site.url}/room")
    wait_for_app_run(page, FIRST)
    with context.expect_page() as opened:
        page.get_by_role("link", name="Room in the documents").click()
    chapter = opened.value
    listen(chapter, complaints, headers=False)
    expect(chapter).to_have_url(f"{site.url}/docs/how-to/serve-a-class.html#a-class-room")
    expect(chapter.locator("body")).to_have_attribute("data-ran", "1")
    chapter.get_by_role("textbox").fill("luck")
    chapter.keyboard.press("Enter")
    expect(chapter).to_have_url(f"{site.url}/docs/search.html?q=luck")
    assert not complaints
    context.close()


#: Bytes that a browser without any of the files gets until the answer of a page of charts is final, and those
#: of messages: Compare sends the charts of four policies again as they get better, some 0.25 MB in all, and
#: more often where a run takes longer.
FIRST_FILES, FIRST_FRAMES = 2_800_000 if INSTALLED else 3_550_000, 600_000  # else nothing is compressed ahead


@pytest.mark.parametrize("path", ["compare", "start"])
def test_a_first_visit_carries_few_bytes(site: Site, chromium: Browser, path: str) -> None:
    context = visitor(chromium)
    page = context.new_page()
    carried = Carried(page)
    page.goto(f"{site.url}/{path}")
    wait_for_app_run(page, FIRST)
    assert carried.frames > 5_000, "the frames are not seen"
    assert 1_000_000 < carried.files < FIRST_FILES
    assert carried.frames < FIRST_FRAMES
    context.close()


def uploaded(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/compare?v=2&preset=light&precision=10")
    wait_for_app_run(page, FIRST)
    page.get_by_test_id("stExpander").filter(has_text="More").first.locator("summary").first.click()
    page.get_by_text("Your own jobs").click()
    rows = "job_id,submit,tasks\n" + "".join(f"j{i},{2 * i},{1 + i % 9}\n" for i in range(40))
    page.locator('input[type="file"]').set_input_files(
        {"name": "jobs.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    expect(page.get_by_text("the arrivals are recorded").first).to_be_visible(timeout=FIRST)


def test_an_upload_reaches_the_process_of_its_session(site: Site, chromium: Browser) -> None:
    seen = set()
    while len(seen) < 2:
        context = visitor(chromium)
        uploaded(context.new_page(), site)
        seen.add(process_of(context))
        context.close()


def test_a_killed_process_is_left_out_and_taken_in_again(site: Site, chromium: Browser) -> None:
    context = visitor(chromium)
    page = context.new_page()
    page.goto(f"{site.url}/threshold")
    wait_for_app_run(page, FIRST)
    gone = process_of(context)
    other = {"1": "2", "2": "1"}[gone]
    site.kill(gone)

    for _ in range(10):  # whoever was bound to it, and newcomers
        for cookie in (gone, other, ""):
            answer = site.ask("", cookie=cookie)
            assert (answer.status, answer.cookies["lab_server"][:12]) == (200, f"lab_server={other}")
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-connection-state", "CONNECTED", timeout=FIRST
    )
    uploaded(page, site)  # in the same tab, now with the other process
    assert process_of(context) == other

    site.start(gone)
    site.wait_for(gone)
    came = {site.ask("").cookies["lab_server"][:12] for _ in range(200)}
    assert came == {"lab_server=1", "lab_server=2"}
    assert site.ask("", cookie=other).cookies["lab_server"].startswith(f"lab_server={other}")
    context.close()


def test_logs_hold_nothing_of_a_person(site: Site) -> None:
    site.ask("compare?name=Ada", cookie="1", user_agent="Ada's browser")
    log = site.log("1")
    assert re.search(r"straggler_lab GET /compare 200 \d+ ms", log)
    assert re.search(r"straggler_lab PUT /_stcore/upload_file/\(file\) 204 ", log + site.log("2"))
    for secret in ("Ada", "127.0.0.1", "jobs.csv"):
        assert secret not in log.replace("http://127.0.0.1", "")
