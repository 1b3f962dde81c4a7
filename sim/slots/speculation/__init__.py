"""When a job runs extra copies: one file a rule, one line each here, in the order of the menu."""

from __future__ import annotations

from sim.slots.rule import Speculation
from sim.slots.speculation import budget, clone, dolly, dolly_job, ese, late, mantri, none, sca, sda

SPECULATION: dict[str, Speculation] = {
    module.RULE.key: module.RULE
    for module in (none, clone, late, mantri, budget, sca, sda, ese, dolly, dolly_job)
}
