"""Sharing rules, which share slots across jobs: one file per rule, one line each here, in menu order."""

from __future__ import annotations

from importlib import import_module

from sim.engines.slots.rule import Sharing

#: Files of this folder that declare a rule.
FILES = (
    "fifo",
    "fair",
    "srpt",
    "maxsrpt",
    "levels",
    "hopper",
    "hopper_fair",
    "hopper_dag",
    "hopper_local",
)

SHARING: dict[str, Sharing] = {
    rule.key: rule for rule in (import_module(f"{__name__}.{name}").RULE for name in FILES)
}
