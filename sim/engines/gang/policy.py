"""Policies of the gang engine: how many redundant tasks a job starts with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from sim.engines import plugins
from sim.engines.gang.rule import Redundancy
from sim.model.policy import Chosen, Policy

redundancy_rules = partial(plugins.rules, Redundancy)


@dataclass(frozen=True, slots=True)
class GangPolicy(Policy):
    """One rule with its parameters.

    Examples
    --------
    >>> read_policy("redundant-small:d=120,r=2").text
    'redundant-small'
    >>> read_policy("all:r=1.5").redundancy.as_dict["r"]
    1.5
    >>> read_policy("all:r=0.5")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: policy 'all:r=0.5', all: r: '0.5' is not accepted; give a number from 1 to 100
    """

    redundancy: Chosen = field(metadata={"rules": redundancy_rules})


read_policy = GangPolicy.read
