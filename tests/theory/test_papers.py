"""The papers: their data in one place, and pages that name the same papers."""

from __future__ import annotations

import pytest

from pages.errata.words import PAPERS as PAGES
from theory.papers import PAPERS


@pytest.mark.parametrize("one", PAPERS.values(), ids=PAPERS)
def test_a_paper_has_its_data_and_can_be_found(one):
    assert one.authors
    assert all(" " in name for name in one.authors)
    assert 2000 < one.year < 2030
    assert one.address.startswith("https://")
    assert one.title in one.cited()


@pytest.mark.parametrize("one", PAPERS.values(), ids=PAPERS)
def test_the_page_about_errata_names_the_same_paper(one):
    named = [page.reference.casefold() for page in PAGES.values()]
    family = [name.rpartition(" ")[2].casefold() for name in one.authors]
    assert any(one.title.casefold() in text and all(name in text for name in family) for text in named)
