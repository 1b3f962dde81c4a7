"""The slot engine as WebAssembly, as it is shipped: which policies it has, and of which code it is."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from sim.model.fields import BadInput
from sim.running.code_digest import ROOT, of_definitions

#: The file, which `python -m deploy.wasm` writes.
SHIPPED = ROOT / "sim" / "content" / "engine.json"
#: What becomes part of it.
ROOMS = ("sim/kernel", "sim/engines/slots")


@dataclass(frozen=True, slots=True)
class Shipped:
    """The engine for browsers.

    Attributes
    ----------
    policies : tuple of str
        Each is a function of it.
    sources : str
        `sources` of the code that it was made of.
    wasm : bytes
    """

    policies: tuple[str, ...]
    sources: str
    wasm: bytes

    def write(self, path: Path = SHIPPED) -> None:
        """Write it as a file."""
        text = base64.b64encode(gzip.compress(self.wasm, mtime=0)).decode()
        told = {"policies": self.policies, "sources": self.sources, "wasm": text}
        path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def sources() -> str:
    """Return sixteen digits that change with what the sources of the slot engine define."""
    return of_definitions(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def shipped(path: Path = SHIPPED) -> Shipped:
    """Read the file.

    Raises
    ------
    BadInput
        If it was made of other sources.
    """
    told = json.loads(path.read_text("utf-8"))
    if told["sources"] != sources():
        raise BadInput("lab: the engine for browsers is of other code; python -m deploy.wasm makes it anew")
    return Shipped(tuple(told["policies"]), told["sources"], gzip.decompress(base64.b64decode(told["wasm"])))
