"""Malicious links in a real browser: nothing is sent out, no foreign markup is interpreted."""

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


#: Parameters of the page Threshold that take any text, so many texts a visit.
PARAMETERS = ("beta", "S", "TA", "TB", "TC", "copies", "printed")
VISITS = [tuple(SHOWN)[first : first + len(PARAMETERS)] for first in range(0, len(SHOWN), len(PARAMETERS))]


@pytest.mark.parametrize("names", VISITS, ids=", ".join)
def test_a_prepared_link_shows_its_letters_and_loads_nothing(visit: Visit, names: tuple[str, ...]) -> None:
    """Texts as values, and as names that no parameter has; the fixture fails the test if any is obeyed."""
    texts = [SHOWN[name] for name in names]
    given = [*zip(PARAMETERS, texts, strict=False), *((text, "1") for text in texts)]
    page = visit("/threshold?" + "&".join(f"{quote(name)}={quote(value)}" for name, value in given))
    messages = page.get_by_test_id("stAlert")
    expect(messages).to_have_count(len(given))
    assert messages.locator(ALIVE).count() == 0, [one.inner_html() for one in messages.all()]
    assert page.locator(f"[src*='{AWAY}'], [href*='{AWAY}']").count() == 0
    told = [" ".join(message.split()) for message in alerts(page)]
    for text in texts:
        if text.isprintable() and "'" not in text and "\\" not in text and "material/" not in text:
            letters = " ".join(text.split())[:70]
            assert sum(letters in message for message in told) == 2, (text, told)


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_prepared_link_is_harmless_on_compare_and_in_its_sidebar(visit: Visit) -> None:
    image, link = HOSTILE["image"], HOSTILE["link"]
    page = visit(f"/compare?policies={quote(image)}&preset={quote(link)}&load={quote(HOSTILE['latex'])}")
    expect(page.get_by_test_id("stAlert")).to_have_count(3)
    assert page.locator(f"[src*='{AWAY}'], [href*='{AWAY}']").count() == 0


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_link_that_is_too_long_is_refused_in_words(visit: Visit) -> None:
    page = visit(f"/errata?paper=rawy&x={'y' * LONGEST}")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    assert f"at most {LONGEST:,}" in alerts(page)[0]
    expect(page.get_by_test_id("stException")).to_have_count(0)
