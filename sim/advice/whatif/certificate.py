"""How often promises have held, on real clusters and in generated worlds: said beside each advice.

``python -m tests.real.score --record`` counts. What is counted is true of one model: when the sources change
that decide what is promised, the certificate is void, until it is counted again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sim.model.fields import BadInput
from sim.model.files import opened
from sim.running.code_digest import ROOT, of_definitions
from sim.telling.content import FOLDER
from sim.telling.words import counted, percent
from theory.quoting import quoted

FILE = FOLDER / "certificate.json"
#: Where it stands how each was counted.
PAGE = "docs/explanation/real.md"
#: Bytes of a record of one's own, at most.
_LARGEST = 10_000_000
#: Rooms that decide what is promised, and files of others; the files of `_SAYING` decide what is said of it.
_SAYING = {"report.py", "sentence.py", "library.py", "charts.py"}
_ROOMS = (
    "sim/kernel",
    "sim/model",
    "sim/engines/slots",
    "sim/advice/diagnosis",
    "sim/advice/whatif/remedies",
)
_FILES = {
    "sim/advice/whatif": "answer check cluster doubt model pieces reach runs setting_effect steps systems",
    "sim/logs": "history leaving_out records",
    "sim/logs/formats": "spark spark_files flink dask",  # the systems of the pairs
    "theory": "pareto shape",
}


@dataclass(frozen=True)
class Certificate:
    """What was counted.

    Parameters
    ----------
    version : str
        Of the program.
    sources : str
        `promising` when it was counted.
    pairs : str
        Digest of the logs.
    held, promises : int
        Promised changes of mean, p95 and slot-time, on real clusters.
    changes, systems : int
        Real changes, of as many systems.
    fresh_held, fresh : int
        Those among the promises that nothing was fitted to.
    worlds_held, worlds_promises, worlds : int
        The same in generated worlds.
    harmful, advised : int
        Real workloads in which what the lab advised did harm, of those in which it advised a change.
    factor : float
        By how much intervals would have to be widened so that 90 % hold; 1: they do.
    """

    version: str
    sources: str
    pairs: str
    held: int
    promises: int
    changes: int
    systems: int
    fresh_held: int
    fresh: int
    worlds_held: int
    worlds_promises: int
    worlds: int
    harmful: int
    advised: int
    factor: float

    @property
    def sentence(self) -> str:
        """Say how often promises held, and of what that is true.

        Examples
        --------
        >>> Certificate("1", "", "", 34, 38, 13, 3, 9, 10, 3154, 3225, 120, 0, 9, 1.0).sentence[:73]
        'Promised intervals held in 34 of 38 cases (89 %) of 13 real changes on 3 '
        """
        few = self.held < 0.9 * self.promises
        wider = f" To hold in 90 % they would have to be {self.factor:.1f} times as wide." * few
        return (
            f"Promised intervals held in {self.held:,} of {self.promises:,} cases "
            f"({percent(self.held / self.promises)}) of {counted(self.changes, 'real change')} on "
            f"{counted(self.systems, 'system')}, and in {self.worlds_held:,} of {self.worlds_promises:,} "
            f"({percent(self.worlds_held / self.worlds_promises)}) in {self.worlds:,} generated clusters."
            f"{wider} Of {counted(self.advised, 'real change')} that the lab advised, "
            f"{self.harmful or 'none'} did harm. These are our clusters, not yours: compare before and after "
            "to know how often promises hold on yours."
        )


def told() -> str:
    """Return the sentence, or that nothing was counted of this model."""
    found = certificate()
    return found.sentence if found else "How often promises hold has not been counted for this version."


@cache
def promising() -> str:
    """Return sixteen digits that change with the sources that decide what is promised."""
    return of_definitions(_sources())


def _sources() -> Iterator[Path]:
    for room in _ROOMS:
        yield from sorted(path for path in (ROOT / room).rglob("*.py") if path.name not in _SAYING)
    for folder, names in _FILES.items():
        yield from (ROOT / folder / f"{name}.py" for name in names.split())


@cache
def certificate() -> Certificate | None:
    """Return what was counted of this model; None where the sources have changed since."""
    found = Certificate(**json.loads(FILE.read_text("utf-8"))) if FILE.exists() else None
    return found if found and found.sources == promising() else None


# A record of one's own: `sim after --record FILE` adds a change, `sim whatif --record FILE` tells how often
# promises held. A line is a change: the settings before and after, and for each figure its promised band and
# what came.

_OURS = "a record that sim after --record has written, or a file that does not exist yet"


def own_changes(file: str | None) -> list[dict[str, Any]]:
    """Read a record of one's own; nothing where it is not asked for, or does not exist yet.

    Raises
    ------
    BadInput
        If the file cannot be read, or is something else.
    """
    if file is None:
        return []
    try:
        with opened(file) as stream:
            lines = stream.read(_LARGEST + 1).decode().splitlines()
        found = [json.loads(line) for line in lines]
        if all(_is_change(one) for one in found) and sum(map(len, lines)) < _LARGEST:
            return found
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadInput(f"record: {quoted(file)} cannot be read ({error.strerror})") from None
    except ValueError:
        pass
    raise BadInput(f"record: {quoted(file)} is not accepted; give {_OURS}")


def _is_change(one: Any) -> bool:
    try:
        numbers = [len([*map(float, band)]) for band in one["figures"].values()]
    except (TypeError, KeyError, AttributeError, ValueError):
        return False
    return isinstance(one["setting"], list) and set(numbers) <= {3}


def own_told(found: Sequence[Mapping[str, Any]]) -> str:
    """Say how often promises held in a record of one's own.

    Examples
    --------
    >>> own_told([{"setting": ["off", "on"], "figures": {"mean": [2.0, 3.0, 2.5], "p95": [4.0, 5.0, 6.0]}}])
    'On your clusters 1 of 2 figures of 1 change came into the promised band, which is to hold 90 %.'
    """
    bands = [band for one in found for band in one["figures"].values()]
    held = sum(low <= came <= high for low, high, came in bands)
    return (
        f"On your clusters {held:,} of {counted(len(bands), 'figure')} of {counted(len(found), 'change')} "
        "came into the promised band, which is to hold 90 %."
    )
