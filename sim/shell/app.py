"""``straggler-lab``: start the app on a free port and open it; with a verb, what ``python -m sim`` does."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import re
import runpy
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from sim.model.fields import BadInput
from sim.shell import verbs as shell
from sim.shell.parsing import Parser
from sim.telling.palette import place
from theory.quoting import quoted
from theory.shell import end_when_interrupted, finished

# The place of the built documents, so that the app can link to them: a folder to serve, or an address.

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


PROGRAM = "straggler-lab"
#: The port that is taken if it is free, so that links of yesterday still lead somewhere.
USUAL_PORT = 8501
#: Where only this machine reaches the app.
HERE = "localhost"
#: Seconds between two looks whether the server answers.
LOOK_S = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the app, or run a verb; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and not words[0].startswith("-"):
        end_when_interrupted(PROGRAM)
        return shell.main(words, PROGRAM, PROGRAM)
    return finished(PROGRAM, lambda: serve(parser().parse_args(words)), BadInput)


def parser() -> argparse.ArgumentParser:
    """Return the parser of what the app is started with."""
    made = Parser(
        prog=PROGRAM,
        description="Start the app on a free port of this machine, and open it in the browser.",
        epilog=f"With a verb first it does what python -m sim does: {', '.join(shell.VERBS)}.",
    )
    made.add_argument(
        "--open", metavar="PAGE", default="", help="what is opened, such as 'compare?v=1&preset=busy'"
    )
    made.add_argument("--no-browser", action="store_true", help="open nothing; the address is printed")
    made.add_argument(
        "--lan", metavar="ADDRESS", default="", help="serve the network at this address of this machine"
    )
    made.add_argument(
        "--docs",
        metavar="FOLDER",
        default="",
        help="link each page to its chapter in the documents: serve those that sphinx-build has put into "
        "this folder, or lead to an address at which they are",
    )
    return made


def serve(chosen: argparse.Namespace) -> int:
    """Serve the app until it is ended."""
    _name_documents(chosen.docs)
    address = chosen.lan or HERE
    port = free_port(address)
    url = f"http://{address}:{port}/{page(chosen.open)}"
    told = threading.Thread(
        target=_opened, args=(address, port, url, not chosen.no_browser), name="browser", daemon=True
    )
    told.start()
    options = {"address": address, "port": port, "headless": "true"}
    options |= {"allowedHosts": chosen.lan} if chosen.lan else {}
    sys.argv = ["streamlit", "run", str(place()), *(f"--server.{key}={one}" for key, one in options.items())]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0


def page(text: str) -> str:
    """Return a page with its controls as it stands in an address.

    Examples
    --------
    >>> page("/compare?v=1")
    'compare?v=1'
    """
    found = urlsplit(text)
    if found.scheme or found.netloc or not text.isprintable() or " " in text:
        raise BadInput(f"open: {quoted(text)} is not accepted; give a page, such as compare?v=1&preset=busy")
    return text.lstrip("/")


def _name_documents(text: str) -> None:
    """Name the documents to the server, if any are given."""
    if not text:
        return
    found = documents(text)
    if found is None:
        raise BadInput(f"docs: {quoted(text)} is not accepted; {ACCEPTED}")
    os.environ[VARIABLE] = str(found)


def free_port(address: str) -> int:
    """Return a port of an address that nobody listens at."""
    for port in (USUAL_PORT, 0):
        try:
            with socket.create_server((address, port)) as probe:
                return int(probe.getsockname()[1])
        except OSError as error:
            reason = error.strerror or str(error)
    raise BadInput(f"lan: {quoted(address)} is not accepted ({reason}); give an address of this machine")


def _opened(address: str, port: int, url: str, browser: bool) -> None:
    """Say where the app is once it answers, and open it."""
    while not _answers(address, port):
        time.sleep(LOOK_S)
    print(f"{PROGRAM}: {url}", flush=True)
    if browser:
        webbrowser.open(url)


def _answers(address: str, port: int) -> bool:
    connection = http.client.HTTPConnection(address, port, timeout=5)
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    return False


if __name__ == "__main__":
    sys.exit(main())
