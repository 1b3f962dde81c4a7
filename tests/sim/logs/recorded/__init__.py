"""Small files of real programs, each with the version in its name, made by scripts in `tests/real`."""

import gzip
from pathlib import Path

FOLDER = Path(__file__).parent


def found(pattern: str) -> Path:
    """Return the one file of a program, whatever its version."""
    (path,) = FOLDER.glob(pattern)
    return path


def plain(path: Path) -> bytes:
    """Return what is packed in a file."""
    return gzip.decompress(path.read_bytes())
