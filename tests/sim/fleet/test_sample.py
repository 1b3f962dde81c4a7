"""The sample of a fleet: each log has one cause, which comes first; the logs can be compared."""

from __future__ import annotations

import pandas as pd
import pytest

from sim.advice.fleet.first_look import looked_at
from sim.logs.formats import read_history
from sim.logs.samples import FLEET, fleet
from tests.sim.fleet.sample import SLOW, recorded, worlds
from tests.zoo.eventlog import host_name

#: What is true of each world (`tests.sim.fleet.sample`) -> the finding that comes first, and words of it.
CAUSES = {
    "nightly-billing": ("machine", f"Replace {host_name(SLOW)}: "),
    "click-sessions": ("work", " that read most (skew): "),
    "fraud-scores": ("luck", "Try second copies "),
    "stock-levels": (None, "there is little to mend"),
}


@pytest.mark.parametrize("name", FLEET)
def test_a_log_is_that_of_its_world(name) -> None:
    kept, made = read_history(fleet(name)), recorded(name)
    for table in ("jobs", "stages", "copies"):
        pd.testing.assert_frame_equal(kept.frame(table), made.frame(table), check_categorical=False)


def test_the_cause_of_each_log_comes_first_and_the_logs_can_be_compared() -> None:
    assert FLEET.keys() == worlds().keys() == CAUSES.keys()
    looks = {name: looked_at(read_history(fleet(name)), name) for name in FLEET}
    for name, (key, words) in CAUSES.items():
        assert next((one.key for one in looks[name].findings if one.acts), None) == key
        assert words in looks[name].first
    assert len({(one.jobs, one.tasks, one.format) for one in looks.values()}) == 1
    hours = [one.hours for one in looks.values()]
    assert max(hours) < 3 * min(hours)
