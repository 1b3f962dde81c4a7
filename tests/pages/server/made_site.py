"""A built site as Sphinx leaves one: pages with a script inside, a search, and files that no reader needs."""

from __future__ import annotations

from pathlib import Path

SCRIPT = "document.body.dataset.ran = 1"
PAGE = (
    '<!doctype html><html><link rel="icon" href="../_static/mark.svg">'
    f"<body><script>{SCRIPT}</script><p>text</p>"
    '<form action="../search.html"><input name="q"></form></body></html>'
)
#: Path in the site -> its content.
FILES = {
    "index.html": PAGE,
    "search.html": PAGE,
    "how-to/serve-a-class.html": PAGE.replace("text", "a class"),
    "searchindex.js": "Search.setIndex({})",
    "_static/site.css": "p { color: inherit }",
    "_static/mark.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
}
#: What is there, too, and is not for readers.
LEFT = (".buildinfo", ".doctrees/index.doctree", ".hidden/page.html", "objects.inv", "notes.py")


def site(folder: Path) -> Path:
    """Fill a folder; return it."""
    for name, text in {**FILES, **dict.fromkeys(LEFT, "private")}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
