"""The controls of each page by name and label, from which a teacher makes a link for a class."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module

from pages.frame.menu import entries

#: Controls that are no widget: a room is entered through a door of its own, and a file is in its uploader.
NO_PAGE, NO_WIDGET = "room", "file"


@cache
def controls() -> bytes:
    """Return page -> name and label of each of its controls, as JSON.

    Examples
    --------
    >>> json.loads(controls())["errata"]
    [['paper', 'Paper']]
    """
    panels = {
        entry.name: import_module(f"pages.{entry.name}.controls").PANEL.controls
        for entry in entries()
        if entry.name != NO_PAGE
    }
    offered = {
        page: [(name, control.label) for name, control in panel.items() if name != NO_WIDGET]
        for page, panel in panels.items()
    }
    return json.dumps(offered).encode()
