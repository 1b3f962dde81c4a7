"""How slots are shared across jobs: one file a rule, one line each here, in the order of the menu."""

from __future__ import annotations

from sim.slots.rule import Sharing
from sim.slots.sharing import fair, fifo, hopper, hopper_dag, hopper_fair, hopper_local, levels, srpt

SHARING: dict[str, Sharing] = {
    module.RULE.key: module.RULE
    for module in (fifo, fair, srpt, levels, hopper, hopper_fair, hopper_dag, hopper_local)
}
