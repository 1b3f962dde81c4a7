"""How slots are shared across jobs: one file a rule, one line each here, in the order of the menu."""

from __future__ import annotations

from importlib import import_module

from sim.slots.rule import Sharing

#: Files of this folder that declare a rule.
FILES = (
    "fifo",
    "fair",
    "srpt",
    "levels",
    "hopper",
    "hopper_fair",
    "hopper_dag",
    "hopper_local",
)

SHARING: dict[str, Sharing] = {
    rule.key: rule for rule in (import_module(f"{__name__}.{name}").RULE for name in FILES)
}
