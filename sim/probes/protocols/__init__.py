"""Who is probed and who may refuse: one file a protocol, one line each here, in the order of the menu."""

from __future__ import annotations

from sim.probes.protocol import Protocol
from sim.probes.protocols import hopper, sparrow, sparrow_srpt

PROTOCOLS: dict[str, Protocol] = {module.RULE.key: module.RULE for module in (sparrow, sparrow_srpt, hopper)}
