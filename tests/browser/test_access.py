"""Accessibility faults on a page would be noticed; `test_looks` looks for them on every page."""

from __future__ import annotations

import pytest

from tests.browser.axe import COLOURS, SHAPE, found
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser


def test_what_shuts_people_out_would_be_noticed(visit: Visit) -> None:
    page = visit("/")
    page.evaluate(
        """document.querySelector('[data-testid="stMarkdownContainer"]').innerHTML =
          '<p style="color: #aaa; background: #fff">pale</p><button id="bare"></button>'"""
    )
    assert sorted(one.partition(":")[0] for one in found(page)) == ["button-name", "color-contrast"]
    assert [one.partition(":")[0] for one in found(page, COLOURS)] == ["color-contrast"]
    assert [one.partition(":")[0] for one in found(page, SHAPE)] == ["button-name"]
