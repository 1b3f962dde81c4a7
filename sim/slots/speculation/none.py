"""No extra copies."""

from __future__ import annotations

from sim.slots.rule import Speculation

RULE = Speculation(
    key="none",
    title="No speculation",
    summary="every task runs once",
    when="never",
    at_launch=True,
)
