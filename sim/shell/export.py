"""``python -m sim export WHAT FOLDER``: the lessons, or a small Lab, as pages that need no server."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from sim.model.fields import BadInput
from sim.telling.palette import place
from theory.quoting import quoted

#: What can be exported -> the module of the app that writes it into a folder. It is found as the app is: no
#: part of `sim` knows of a screen.
WRITERS = {"lessons": "pages.lessons.export.site", "lab": "pages.lessons.export.lab"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what is exported, and where to."""
    parser.add_argument("what", metavar="WHAT", help=f"what is exported: {', '.join(WRITERS)}")
    parser.add_argument(
        "folder", metavar="FOLDER", help="where its files are written; made if it is not there"
    )
    parser.add_argument(
        "--whole", action="store_true", help="each page has the script of its charts within: 5 MB more each"
    )


def run(chosen: argparse.Namespace) -> int:
    """Write the files, and print the name and size of each."""
    if chosen.what not in WRITERS:
        accepted = ", ".join(WRITERS)
        raise BadInput(f"what: {quoted(chosen.what)} is not accepted; give {accepted}")
    if (home := str(place().parent)) not in sys.path:
        sys.path.insert(0, home)
    try:
        writer = import_module(WRITERS[chosen.what])
    except ModuleNotFoundError as error:
        raise BadInput(f"export: needs {error.name}; install it with: pip install '.[export]'") from None
    for name, size in writer.write(chosen.folder, whole=chosen.whole):
        print(f"{name}  {size:,} bytes", flush=True)
    return 0
