"""``python -m sim mcp``: the diagnosis and the what-if of logs as tools for other programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sim.model.fields import BadInput
from theory.quoting import quoted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--folder", metavar="DIR", help="read only logs that lie in this folder")


def run(chosen: argparse.Namespace) -> int:
    """Serve on standard input and output until the other program closes them."""
    if chosen.folder is not None and not Path(chosen.folder).is_dir():
        raise BadInput(f"folder: {quoted(chosen.folder)} is no folder; give the one that has the logs")
    try:
        from sim.shell.mcp.server import serve
    except ModuleNotFoundError as error:
        raise BadInput(f"mcp: needs {error.name}; install it with: pip install '.[mcp]'") from None
    if sys.stdin.isatty():
        print("Serving a program on standard input and output; Ctrl+C ends it.", file=sys.stderr)
    serve(chosen.folder)
    return 0
