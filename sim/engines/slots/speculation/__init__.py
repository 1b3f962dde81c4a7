"""Speculation rules, which say when a job runs extra copies: one file per rule, in menu order."""

from __future__ import annotations

from importlib import import_module

from sim.engines.slots.rule import Speculation

#: Files of this folder that declare a rule.
FILES = (
    "none",
    "clone",
    "late",
    "mantri",
    "grass",
    "budget",
    "sca",
    "sda",
    "ese",
    "dolly",
    "dolly_job",
    "spark",
    "hadoop",
    "tez",
    "flink",
    "hedge",
)

SPECULATION: dict[str, Speculation] = {
    rule.key: rule for rule in (import_module(f"{__name__}.{name}").RULE for name in FILES)
}
