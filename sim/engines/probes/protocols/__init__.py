"""Protocols, which say who is probed and who may refuse: one file per protocol, in menu order."""

from __future__ import annotations

from sim.engines.probes.protocol import Protocol
from sim.engines.probes.protocols import hopper, sparrow, sparrow_srpt

PROTOCOLS: dict[str, Protocol] = {module.RULE.key: module.RULE for module in (sparrow, sparrow_srpt, hopper)}
