"""Names and abbreviations on a page: each is explained where it is first read, for everybody."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from sim.telling.glossary import TERMS
from tests.browser.looks import assert_becomes

SHORT = {term.word: term for term in TERMS if term.short}
#: Pages -> what a visitor reads there, among other words: that of others would not be noticed as missing.
READ = {
    "/compare": {"LATE", "p95", "Mantri", "Hopper"},
    "/threshold": {"Hopper"},
    "/errata": {"Hopper"},
    "/reproductions": {"Hopper"},
}
#: The names that are read on a page, and those that are not explained where they are first read. What can
#: be pressed, and has a name before any text has, is described by its meaning.
FOUND = """names => {
  const apart = 'pre, code, .katex, svg, canvas, .animation-told, [data-testid="stDataFrame"]';
  const pressed = 'a, button, label:not([data-testid="stMetricLabel"]), summary, '
    + '[role="option"], [role="radio"], [role="tab"]';
  const texts = [...document.querySelectorAll('[data-testid="stMain"]'),
                 ...document.querySelectorAll('[data-testid="stSidebar"]')].flatMap(region => {
    const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found.filter(one => !one.parentElement.closest(apart)
      && one.parentElement.getClientRects().length && one.parentElement.getBoundingClientRect().width >= 2);
  });
  const told = one => (one?.getAttribute('aria-describedby') ?? '').split(' ')
    .map(id => document.getElementById(id)?.textContent).join(' ');
  const read = [], wrong = [];
  for (const { word, forms, meaning } of names) {
    const letters = /[\\p{L}\\p{N}_-]/u;
    const holds = text => forms.some(form => {
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
        if (!letters.test(text[at - 1] ?? ' ') && !letters.test(text[at + form.length] ?? ' ')) return true;
      return false;
    });
    const all = texts.filter(one => holds(one.data));
    const first = all.find(one => !one.parentElement.closest(pressed));
    if (!all.length) continue;
    read.push(word);
    const marks = [...document.querySelectorAll('.term')].filter(one => forms.includes(one.textContent));
    const one = first?.parentElement;
    if (first && !(one.matches('.term') && one.tabIndex === 0 && told(one) === meaning && marks.length === 1))
      wrong.push(`${word}: first read in "${first.data.slice(0, 60)}"`);
    if (all[0] !== first && ![...document.querySelectorAll('[aria-describedby]')]
        .some(other => !other.matches('.term') && told(other).includes(meaning)))
      wrong.push(`${word}: read before in "${all[0].data.slice(0, 60)}"`);
  }
  return [read, wrong];
}"""


def assert_explains(page: Page, name: str) -> None:
    """Assert that names are explained where first read, and that a page has those it is known for."""
    names = [
        {"word": term.word, "forms": term.forms or (term.word,), "meaning": term.meaning}
        for term in SHORT.values()
    ]
    assert_becomes(lambda: page.evaluate(FOUND, names)[1], [])
    missing = READ.get(name, set()) - set(page.evaluate(FOUND, names)[0])
    assert not missing, f"{name} is thought to have {missing}"


def assert_tells(page: Page, word: str) -> None:
    """Assert that a name tells its meaning to the pointer, to keys and to a tap, until the Escape key."""
    mark, tip = page.locator(".term", has_text=word).first, page.locator("#frame-term")
    meaning = f"{word}: {SHORT[word].meaning}"
    mark.evaluate("one => one.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(500)  # a page that scrolls hides what was told before
    ways: tuple[Callable[[], object], ...] = (mark.hover, mark.click, lambda: mark.press("Enter"))
    for show in ways:
        show()
        assert_becomes(lambda: tip.is_visible() and tip.inner_text(), meaning)
        page.keyboard.press("Escape")
        assert_becomes(tip.is_visible, False)
        page.mouse.move(0, 0)
