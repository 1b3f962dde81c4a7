"""The rules of docs/how-to/write-a-rule.md, as a reader has them who has copied them into files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sim
from sim.engines import plugins

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "how-to" / "write-a-rule.md").read_text()
#: Keys of the rules -> the marks of their code.
RULES = {"oldest": "rule", "while-idle": "gang-rule", "sparrow-aged": "protocol"}


def shown(name: str) -> str:
    """Return the code that the page shows between the marks of this name."""
    block = re.search(rf"<!-- {name} -->\n```python\n(.*?)```\n<!-- /{name} -->", PAGE, re.DOTALL)
    assert block, f"the page has no code marked {name}"
    return block[1]


@contextmanager
def documented_rules(folder: Path) -> Iterator[None]:
    """Register them all, from files in a folder; in the end none of one's own is left."""
    plugins.forget()
    for key, mark in RULES.items():
        path = folder / f"{key}.py"
        path.write_text(shown(mark))
        assert sim.register(path) == [key]
    try:
        yield
    finally:
        plugins.forget()
