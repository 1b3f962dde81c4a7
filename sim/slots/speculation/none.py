"""No extra copies."""

from __future__ import annotations

from sim.policy import Speculation

RULE = Speculation(
    key="none",
    title="No speculation",
    summary="every task runs once",
    when="never",
    at_launch=True,
)
