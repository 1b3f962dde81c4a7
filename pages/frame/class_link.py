"""The controls of each page by name and label, from which a teacher makes a link for a class."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from pages.frame.menu import entries

if TYPE_CHECKING:
    from pages.shared.controls.panel import Panel

#: Controls that are no widget: a room is entered through a door of its own, and a file is in its uploader.
NO_PAGE, NO_WIDGET = "room", "file"


@cache
def panels() -> dict[str, Panel]:
    """Return the controls of each page, in the order of the menu."""
    return {entry.name: import_module(f"{entry.package}.controls").PANEL for entry in entries()}


@cache
def controls() -> bytes:
    """Return page -> name and label of each of its controls, as JSON.

    Examples
    --------
    >>> json.loads(controls())["errata"]
    [['paper', 'Paper']]
    """
    offered = {
        page: [
            (one.link, one.label.replace("**", ""))
            for one in panel.controls.values()
            if one.name != NO_WIDGET
        ]
        for page, panel in panels().items()
        if page != NO_PAGE
    }
    return json.dumps(offered).encode()
