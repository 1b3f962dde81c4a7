"""The place of the built documents, so that the app can link to them: a folder to serve, or an address."""

from __future__ import annotations

import re
from pathlib import Path

#: The variable that names it to a server.
VARIABLE = "STRAGGLER_LAB_DOCS"
ACCEPTED = (
    "give a folder that sphinx-build has filled, with index.html and searchindex.js in it, "
    "or an address such as https://lab.example.edu/docs/"
)
#: Files without which a folder is no built site.
SIGNS = ("index.html", "searchindex.js")
#: An address below which the site is, without a query: names of documents are put behind it.
ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~%/-]*)?")


def documents(text: str) -> Path | str | None:
    """Return the whole path of a built site, or its address with a slash at its end; None if it is neither.

    Examples
    --------
    >>> documents("https://lab.example.edu/docs"), documents("https://lab.example.edu/index.html")
    ('https://lab.example.edu/docs/', 'https://lab.example.edu/')
    >>> documents("no such folder"), documents("https://a/?b"), documents("")
    (None, None, None)
    """
    if ADDRESS.fullmatch(text):
        return text.removesuffix("index.html").rstrip("/") + "/"
    if not text or not text.isprintable():
        return None
    folder = Path(text).resolve()
    return folder if all((folder / name).is_file() for name in SIGNS) else None
