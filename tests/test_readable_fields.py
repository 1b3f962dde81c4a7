"""The fields that a rule may read, as docs/how-to/write-a-rule.md lists them, are those of the records."""

from __future__ import annotations

import ast
import re

import pytest

from sim.engines.gang import signatures as gang
from sim.engines.probes import records as probes
from sim.kernel import records as kernel
from tests.documented_rules import PAGE, shown

#: What the arrays of a world hold in each engine.
ARRAYS = {
    "slots": {"cluster": kernel.CLUSTER, "jobs": kernel.JOB, "slots": kernel.SLOT},
    "gang": {"cluster": gang.CLUSTER, "jobs": gang.JOB, "nodes": gang.NODE},
    "probes": {
        **{"cluster": kernel.CLUSTER, "jobs": kernel.JOB, "slots": kernel.SLOT, "net": probes.NETWORK},
        **{"workers": probes.WORKER, "entries": probes.RESERVATION, "seats": probes.SEAT},
        "schedulers": probes.SCHEDULER,
    },
}


def readable() -> dict[str, dict[str, set[str]]]:
    """Return the fields that a rule may read, by engine and array, as the page lists them."""
    listed = PAGE.partition("<!-- readable -->")[2].partition("<!-- /readable -->")[0]
    found = {engine: {name: set() for name in arrays} for engine, arrays in ARRAYS.items()}
    for engines, cell in re.findall(r"^\| ([a-z, ]+) \| (`.+?) \| ", listed, re.MULTILINE):
        (array,) = re.findall(r"`(\w+)\[", cell)
        for engine in engines.split(", "):
            if engine in found:
                found[engine][array] |= set(re.findall(r"\.(\w+)`", cell))
    return found


def test_fields_that_a_rule_may_read_are_those_of_the_records():
    listed = readable()
    assert sum(len(fields) for arrays in listed.values() for fields in arrays.values()) > 60
    for engine, arrays in ARRAYS.items():
        for array, record in arrays.items():
            assert listed[engine][array], f"{engine}: {array}"
            assert listed[engine][array] <= set(record.names)


@pytest.mark.parametrize(
    ("mark", "engine"), [("rule", "slots"), ("gang-rule", "gang"), ("protocol", "probes")]
)
def test_the_rules_of_the_page_read_what_may_be_read(mark, engine):
    attributes = [node for node in ast.walk(ast.parse(shown(mark))) if isinstance(node, ast.Attribute)]
    read = {node.attr for node in attributes if ast.unparse(node.value) not in ("world", "values")}
    fields = {name for record in ARRAYS[engine].values() for name in record.names}
    assert (used := read & fields)
    kept = set(re.findall(r'job_state=\{"(\w+)"', shown(mark)))  # of the rule's own
    assert not used - kept - set.union(*readable()[engine].values())
