"""The boundary of the reader: any error of a parser becomes one line that names file and reason."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from sim.model.fields import BadInput
from theory.shown import shortened

_LOG = logging.getLogger(__name__)


class Named(Protocol):
    """A file that is no path, such as an upload."""

    @property
    def name(self) -> str:
        """What it is called."""


@contextmanager
def refusing(sources: Sequence[str | Path | Named]) -> Iterator[None]:
    """Refuse files for any error in the block; want of memory goes on, as it may be no fault of the file.

    The log names the kind of error and the line of our code, and nothing of the file.

    Parameters
    ----------
    sources : sequence of str, Path or Named

    Raises
    ------
    BadInput

    Examples
    --------
    >>> with refusing(["jobs.csv"]):
    ...     float("three")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: jobs.csv: the file cannot be read (could not convert string to float...
    """
    try:
        yield
    except (BadInput, MemoryError):
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        _LOG.warning("a file is refused: %s in %s:%s", type(error).__name__, frame.filename, frame.lineno)
        names = shortened(", ".join(_name(source) for source in sources))
        raise BadInput(
            f"{names}: the file cannot be read ({reason(error)}); it may be damaged: give it again, "
            "or another one"
        ) from error


def reason(error: BaseException) -> str:
    r"""Return what an error says in its first line, or of what kind it is if it says nothing.

    Examples
    --------
    >>> reason(OverflowError("too large\nfor this")), reason(EOFError())
    ('too large', 'EOFError')
    """
    said = str(error).strip().partition("\n")[0]
    return shortened(said) if said else type(error).__name__


def _name(source: str | Path | Named) -> str:
    return Path(source).name if isinstance(source, (str, Path)) else source.name
