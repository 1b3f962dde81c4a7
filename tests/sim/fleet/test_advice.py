"""What comes first for a log of a fleet is what the page of that log says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.logs.whatif.controls import PANEL
from sim.advice.fleet import first_look as module
from sim.advice.fleet.first_look import NOTHING, TRIAL, UNTOLD, Advised, advised, in_short
from sim.advice.whatif import pieces
from sim.advice.whatif.answer import Answer
from sim.advice.whatif.check import POOR
from sim.advice.whatif.remedies.variant import COPY
from sim.advice.whatif.report import cost
from sim.logs.compact import as_parquet
from sim.logs.formats import read_history
from sim.logs.source import Upload
from tests.pages.whatif_made import answered, asked_of
from tests.sim.logs import logs
from tests.sim.whatif.test_remedies import recorded

#: Of the test: the page begins with more.
FEW = 10


@pytest.fixture(scope="module")
def file() -> Upload:
    """Return a small log of Spark with a slow host."""
    history = recorded(machines=(4, 2), tasks=16, slow={"h3": 3.0})
    return Upload("app.parquet", as_parquet(replace(history, format="spark")))


@pytest.fixture(scope="module")
def found(file: Upload) -> Answer:
    """Return the answer of the page What-if with its first settings but for the replications."""
    return answered(asked_of(file, replications=FEW)).answer


def test_the_question_is_the_one_that_the_page_begins_with(
    found: Answer, file: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert PANEL.defaults()["replications"] == module.REPLICATIONS
    monkeypatch.setattr(module, "REPLICATIONS", FEW)
    assert advised(read_history(file)) == in_short(found)


def test_a_log_with_room_for_fewer_replications_has_its_answer_with_these(
    file: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From some 50,000 tasks on."""
    monkeypatch.setattr(module, "REPLICATIONS", FEW)
    monkeypatch.setattr(pieces, "most_replications", lambda model, policies: 4)
    few = advised(read_history(file))
    assert few.remedy not in (UNTOLD, NOTHING)
    assert few.surely


def led(found: Answer, policy: str, *, trial: bool = False) -> Answer:
    """Return an answer whose advice is a policy, without another remedy that leads."""
    assert found.advice is not None
    assert found.remedies is not None
    judged = tuple(replace(one, sure=False) for one in found.remedies.judged)
    advice = replace(found.advice, policy=policy, trial=trial)
    return replace(found, advice=advice, remedies=replace(found.remedies, judged=judged))


def test_each_kind_of_answer_is_told(found: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    other = next(text for text, one in found.options.items() if one.policy.speculation.key != "none")
    change = found.options[other].change["mean"]
    sure = in_short(led(found, other))
    assert (sure.remedy, sure.title, sure.surely) == (COPY.key, COPY.title, True)
    assert (sure.value, sure.low, sure.high) == (change.value, change.low, change.high)
    assert sure.slot_value == cost(found, found.options[other]).slot_hours.value
    tried = in_short(led(found, other, trial=True))
    assert (tried.remedy, tried.value, tried.surely) == (TRIAL, change.value, False)
    nothing = in_short(led(found, found.today))
    assert (nothing.remedy, nothing.value, nothing.hours(9.0)) == (NOTHING, None, None)
    assert found.remedies is not None
    hosts = found.remedies.judged[1]
    first = replace(hosts, sure=True, change=hosts.ceiling)
    judged = (found.remedies.judged[0], first, *found.remedies.judged[2:])
    leads = replace(led(found, found.today), remedies=replace(found.remedies, judged=judged))
    assert leads.leading_remedy is not None
    assert in_short(leads).remedy == leads.leading_remedy.remedy.key != COPY.key
    items = tuple(replace(one, grade=POOR) for one in found.check.items)
    poor = in_short(replace(found, check=replace(found.check, items=items)))
    assert (poor.remedy, poor.value) == (UNTOLD, None)
    assert "does not reproduce" in poor.told
    monkeypatch.setattr(Answer, "risky", property(lambda answer: True))
    risky = in_short(led(found, other))
    assert (risky.remedy, risky.value) == (NOTHING, None)
    assert found.safety.sentence in risky.told


def test_a_history_that_cannot_be_played_has_no_advice() -> None:
    one = advised(logs.read(logs.small()))
    assert one.remedy == UNTOLD
    assert one.told
    assert Advised(UNTOLD, "", "").hours(1.0) is None
