"""The links of the documents and of the built site: ``python -m docs.check_links build/site``.

Files and anchors are looked up, links of the app's pages to their chapters, too. Nothing is asked of another
machine: an address elsewhere only has to be one of https. (`sphinx-build -b linkcheck` asks other machines,
and looks for no anchor in the site itself.)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages.frame.foot import address
from pages.frame.menu import entries

ROOT = Path(__file__).resolve().parents[1]
#: What people read on a code host: each document of the project.
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    ROOT / "deploy" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
#: Code between fences, in which nothing is a heading or a link.
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
#: Code in a line, in which nothing is a link.
CODE = re.compile(r"`[^`\n]+`")
#: A link, a picture, or an address in angle brackets.
LINK = re.compile(r"\]\(([^()\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"|<(https?://[^>\s]+)>")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
#: Attributes of a page that lead to something.
LEADING = {"href", "src", "srcset"}
#: The address of the app on one's own machine, which documents name.
OWN = "http://localhost:8501"


@dataclass
class Target:
    """What can be linked to in a file, and what the file links to."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects anchors and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found = Target()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the attributes of a tag say."""
        for name, value in attrs:
            if name == "id" and value:
                self.found.anchors.add(value)
            elif name in LEADING and value is not None:
                self.found.links.append(value)


def read(path: Path) -> Target:
    """Return the anchors and links of a page or of a document in Markdown; of another file none.

    A document has the anchors that a code host gives its headings.
    """
    if path.suffix == ".html":
        reader = _Reader()
        reader.feed(path.read_text(encoding="utf-8"))
        return reader.found
    if path.suffix == ".md":
        text = BLOCK.sub("", path.read_text(encoding="utf-8"))
        links = ["".join(found) for found in LINK.findall(CODE.sub("", text))]
        return Target({slug(heading) for heading in HEADING.findall(text)}, links)
    return Target()


def slug(heading: str) -> str:
    """Return the anchor of a heading.

    Examples
    --------
    >>> slug("One coded job: k tasks, of which `k` suffice"), slug("python -m sim")
    ('one-coded-job-k-tasks-of-which-k-suffice', 'python--m-sim')
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def faults(paths: Iterable[Path], more: Iterable[tuple[Path, str]] = ()) -> Iterator[str]:
    """Yield a line for each link of these files, and of more places, that leads nowhere.

    Parameters
    ----------
    paths : iterable of Path
    more : iterable of tuple
        The place of a link that no file has, and the link.
    """
    known = cache(read)
    listed = [(path, link) for path in paths for link in known(path).links]
    for path, link in [*listed, *more]:
        if fault := _fault(path, link, known):
            yield f"{path}: {link}: {fault}"


def _fault(path: Path, link: str, known: Callable[[Path], Target]) -> str:
    """Return what is wrong with a link; empty if nothing is."""
    parts = urlsplit(link)
    if parts.scheme in ("data", "mailto") or link == OWN:
        return ""
    if parts.scheme or parts.netloc:
        good = parts.scheme == "https" and re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc)
        return "" if good else "not an address of https"
    target = path.parent / unquote(parts.path) if parts.path else path
    if not (target.is_file() if path.suffix == ".html" else target.exists()):
        return "no such file"
    if parts.fragment and unquote(parts.fragment) not in known(target.resolve()).anchors:
        return "no such anchor"
    return ""


def main(words: list[str]) -> int:
    """Check the documents and the site in a folder; return the exit status."""
    (folder,) = (Path(word).resolve() for word in words)
    pages = sorted(folder.rglob("*.html"))
    menu = [(folder / "index.html", address(entry)) for entry in entries()]
    found = [*faults(DOCUMENTS), *faults(pages, menu)]
    for line in found or [f"the links of {len(DOCUMENTS)} documents and {len(pages)} pages lead somewhere"]:
        print(line)
    return bool(found) or not pages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
