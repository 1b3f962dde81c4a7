"""No extra copies."""

from __future__ import annotations

from sim.engines.slots.rule import Speculation

RULE = Speculation(
    key="none",
    title="no copies",
    summary="every task runs once",
    when="never",
    at_launch=True,
)
