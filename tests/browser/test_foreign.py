"""Links that somebody has prepared, in a real browser: nothing leaves, nothing foreign comes alive."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from pages.shared.controls.links import LONGEST
from tests.browser.conftest import Visit
from tests.foreign import AWAY, HOSTILE

pytestmark = pytest.mark.browser

#: What must not be in a message, whatever it says: the icons beside it are text.
ALIVE = (
    "a, img, script, iframe, strong, em, del, ul, ol, li, h1, h2, h3, blockquote, table, pre, .katex, math"
)
#: A few parameters of a page, and texts for them; their markup is read by one component everywhere.
SHOWN = {
    name: text
    for name, text in HOSTILE.items()
    if name not in ("surrogate", "nothing", "long", "long address")
}


def alerts(page: Page) -> list[str]:
    return page.get_by_test_id("stAlert").all_inner_texts()


@pytest.mark.parametrize("name", SHOWN)
def test_a_prepared_link_shows_its_letters_and_loads_nothing(visit: Visit, name: str) -> None:
    """The fixture fails the test if a request to another machine is made."""
    text = SHOWN[name]
    page = visit(f"/errata?paper={quote(text)}&{quote(text)}=1")
    expect(page.get_by_test_id("stAlert")).to_have_count(2)
    messages = page.get_by_test_id("stAlert")
    assert messages.locator(ALIVE).count() == 0, messages.first.inner_html()
    assert page.locator(f"[src*='{AWAY}'], [href*='{AWAY}']").count() == 0
    if text.isprintable() and "'" not in text and "\\" not in text and "material/" not in text:
        for message in alerts(page):
            assert " ".join(text.split())[:70] in " ".join(message.split())


def test_a_prepared_link_is_harmless_on_compare_and_in_its_sidebar(visit: Visit) -> None:
    image, link = HOSTILE["image"], HOSTILE["link"]
    page = visit(f"/compare?policies={quote(image)}&preset={quote(link)}&load={quote(HOSTILE['latex'])}")
    expect(page.get_by_test_id("stAlert")).to_have_count(3)
    assert page.locator(f"[src*='{AWAY}'], [href*='{AWAY}']").count() == 0


def test_a_link_that_is_too_long_is_refused_in_words(visit: Visit) -> None:
    page = visit(f"/errata?paper=rawy&x={'y' * LONGEST}")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    assert f"at most {LONGEST:,}" in alerts(page)[0]
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_start_opens_at_its_name_too(visit: Visit) -> None:
    page = visit("/start?job_tasks=8")
    expect(page).to_have_title("Start · straggler-lab")
    expect(page.get_by_role("slider", name="Tasks in the job")).to_have_value("8")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Page not found")).to_have_count(0)
