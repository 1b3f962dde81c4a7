"""First answers that were computed beforehand and are shown while an engine is compiled.

On a fresh machine the first chart would wait for a compiler. So the first replication of what the links and
presets of the pages ask for comes with the package: a ZIP of samples, with the version that made them and a
digest of its sources. The same code gives the same bits on any machine, so a live run goes on from there.
Records of other sources are not used. ``python -m tests.first_answers --record`` makes the file, and the
tests compute it again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from sim.engines.plugins import sources
from sim.model.cached import cached_property
from sim.model.policy import Policy
from sim.model.result import Sample
from sim.running import code_digest
from sim.running.live.request import RunRequest
from sim.running.sample_store import from_bytes, to_bytes

_LOG = logging.getLogger(__name__)

#: The file, and its entry that says what made the others.
PLACE, ABOUT = Path(__file__).with_name("first_answers.zip"), "about.json"


class Records:
    """Samples by what they are of.

    Parameters
    ----------
    place : Path, optional
        A file that is missing, damaged or made by other sources holds nothing.
    """

    def __init__(self, place: Path = PLACE) -> None:
        self._place = place

    def has(self, request: RunRequest) -> bool:
        """Tell whether the first replication of a request is there, without reading it."""
        asked = request.experiment
        if asked.trace or sources(asked.policies):
            return False
        return self.names.issuperset(unit(request, policy) for policy in asked.policies)

    def first(self, request: RunRequest) -> dict[int, Sample] | None:
        """Return the first replication of a request by the place of its policies; None if it is not there."""
        if not self.has(request):
            return None
        names = [unit(request, policy) for policy in request.experiment.policies]
        held = self.held(names)
        return {place: held[name] for place, name in enumerate(names)} if held.keys() >= set(names) else None

    def held(self, names: Iterable[str]) -> dict[str, Sample]:
        """Return the samples that are there of these units; none if the file is damaged."""
        wanted = self.names.intersection(names)
        if not wanted:
            return {}
        try:
            with zipfile.ZipFile(self._place) as file:
                return {name: from_bytes(file.read(name)) for name in wanted}
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            _LOG.warning("%s is damaged (%s) and not used", self._place.name, error)
            return {}

    def read(self, name: str) -> bytes | None:
        """Return what else is there by this name; None if it is not, or the file is damaged."""
        if name not in self.names:
            return None
        try:
            with zipfile.ZipFile(self._place) as file:
                return file.read(name)
        except (OSError, zlib.error, zipfile.BadZipFile) as error:
            _LOG.warning("%s is damaged (%s) and not used", self._place.name, error)
            return None

    def about(self) -> Mapping[str, str]:
        """Return what made the records, by name; nothing where there are none."""
        try:
            with zipfile.ZipFile(self._place) as file:
                told = orjson.loads(file.read(ABOUT))
        except (OSError, KeyError, ValueError, zlib.error, zipfile.BadZipFile):
            return {}
        return told if isinstance(told, dict) else {}

    @cached_property
    def names(self) -> frozenset[str]:
        """What is held; nothing if other sources made it."""
        if self.about().get("sources") != code_digest.sources():
            return frozenset()
        with zipfile.ZipFile(self._place) as file:
            return frozenset(file.namelist())

    def write(
        self, samples: Mapping[str, Sample], others: Mapping[str, bytes] | None = None, **about: str
    ) -> None:
        """Write samples by unit, and others; dates are left out, so that equal samples make an equal file."""
        told = json.dumps({"sources": code_digest.sources()} | about, indent=1).encode()
        found = {name: to_bytes(one) for name, one in samples.items()}
        with zipfile.ZipFile(self._place, "w", zipfile.ZIP_STORED) as file:
            for name, data in [(ABOUT, told), *sorted(found.items())]:
                file.writestr(zipfile.ZipInfo(name), data)
            for name, data in sorted((others or {}).items()):
                file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)


def unit(request: RunRequest, policy: Policy) -> str:
    """Return what the first replication of a policy is found by: all that decides what it gives."""
    key = repr((request.experiment.scenario, policy.text, request.log))
    return hashlib.sha256(key.encode()).hexdigest()[:20]
