"""Accessibility of a page, as axe-core judges it; nothing is excused, not even Streamlit's own parts."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

#: Of axe-core: rules that it leaves out unless asked (targets of 24 px), and no more told than is used.
ALL = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
#: A theme changes colours only; on a phone they are those that have been looked at.
COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
SHAPE = {"resultTypes": ["violations"], "rules": ALL["rules"] | {"color-contrast": {"enabled": False}}}  # type: ignore[operator]


def found(page: Page, options: dict[str, Any] = ALL) -> list[str]:
    """Return what axe-core finds."""
    violations: list[dict[str, Any]] = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for one in violations
        for node in one["nodes"]
    ]
