"""Redundancy rules, which say how many redundant tasks a job starts with: one file each, in menu order."""

from __future__ import annotations

from sim.engines.gang.redundancy import all_jobs, none, rl, small
from sim.engines.gang.scenario import Redundancy

REDUNDANCY: dict[str, Redundancy] = {module.RULE.key: module.RULE for module in (none, all_jobs, small, rl)}
