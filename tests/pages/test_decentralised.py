"""The page Decentralised without a browser: controls, links, curves, and texts that are never shown."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from pages.decentralised.charts import (
    price_alt,
    price_chart,
    queue_table,
    ratio_alt,
    ratio_chart,
    sequence,
    sequence_alt,
    steps,
)
from pages.decentralised.question import AXES, HOPPER, PAPER, Setting, rivals
from pages.decentralised.words import _messages, cards_of, costs, dependence, losses, notices, table
from pages.shared.live.follow import Snapshots, listen
from sim.engines.probes.decision import telling_decision
from sim.engines.probes.policy import read_policy
from sim.engines.registry import preset
from sim.model.result import Comparison, PolicyResult
from sim.model.statistics import Estimate
from sim.running.execution import Effort
from sim.running.experiment import compare
from sim.running.report import as_json
from sim.shell.experiment import shell_line
from tests.pages.made import checked, trouble, words
from tests.pages.visits import APP, link, seen, visit

TINY = {"workers": "20", "length": "20", "tasks_max": "5", "schedulers": "2"}
SMALL = Setting(workers=20, length=20, tasks_max=5, schedulers=2)

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Return an answer and the points along the probes, from runs of a small cluster."""
    axis = AXES["probes"]
    points = {}
    for value in axis.tried(SMALL):
        setting = axis.setting(SMALL, value)
        points[value] = compare(setting.experiment, replications=4, threads=2).called(tuple(setting.policies))
    return {"axis": axis, "points": points, "answer": points[SMALL.probes]}


def test_the_page_opens_with_cards_curves_a_decision_and_what_to_notice() -> None:
    app = visit("decentralised", **TINY)
    assert app.title[0].value == "How much does a scheduler lose by not knowing everything?"
    assert sum("Reported: " in block.value and "Ours: " in block.value for block in app.markdown) == 1
    assert len(app.metric) == 4
    assert [card.value.endswith(" ×") for card in app.metric] == [False, True, True, True]
    assert len(app.get("plotly_chart")) == 5
    assert "5 of 5 points are known" in app.get("plotly_chart")[0].proto.alt
    assert any("**What to notice**" in block.value for block in app.markdown)
    assert [button.label for button in app.get("download_button")] == [
        "Curves (CSV)",
        "Everything (JSON)",
        "Charts (HTML)",
    ]
    exact, whole, claims = (block.value for block in app.code)
    assert claims == "python -m sim reproduce hopper-fig5a hopper-fig5b"
    assert "--set workers=20" in exact
    assert "workers" not in whole, "the paper's cluster is the preset's"


def test_without_hopper_nobody_refuses_and_the_second_curve_is_another() -> None:
    app = visit("decentralised", **TINY, rivals="sparrow+late")
    assert not app.exception
    assert "refusals" not in app.selectbox(key="decentralised.against").options
    assert link(app)["against"] != "refusals"


def test_phases_change_the_answer_are_told_and_are_in_the_shell_line() -> None:
    plain, phased = (
        visit("decentralised", **TINY),
        visit("decentralised", **TINY, phases="3", transfer="0.5", shape="bushy", against="phases"),
    )
    assert not phased.exception
    assert [card.value for card in phased.metric] != [card.value for card in plain.metric]
    assert any("Jobs have 3 phases in a tree" in block.value for block in phased.markdown)
    assert not trouble(seen(phased))
    assert "5 of 5 points are known" in phased.get("plotly_chart")[1].proto.alt
    exact, whole, _ = (block.value for block in phased.code)
    for line in (exact, whole):
        assert "--set phases=3 --set shape=bushy --set transfer=0.5" in line
    assert not any("phases" in block.value or "transfer" in block.value for block in plain.code)


def test_the_shell_line_repeats_the_run_with_phases() -> None:
    setting = SMALL.but(phases=3, shape="bushy", transfer_law="exponential", rivals=(HOPPER,))
    experiment = setting.request(Effort(replications=1)).experiment
    line = shell_line(PAPER, experiment, Effort(replications=1))
    done = subprocess.run(
        [sys.executable, *shlex.split(line)[1:], "--json", "-"],
        cwd=APP.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    ours, its = as_json(experiment.compared([experiment.replicate(0)]), "", ""), json.loads(done.stdout)
    for name, found in ours["policies"].items():
        assert its["policies"][name]["flowtime"] == json.loads(json.dumps(found["flowtime"]))


def test_what_phases_are_like_matters_only_where_there_are_some() -> None:
    one = SMALL.but(transfer=3.0, shape="bushy", barrier=1.0)
    assert one.scenario == SMALL.scenario
    several = one.but(phases=4)
    assert (several.scenario.phases, several.scenario.transfer, several.scenario.barrier) == (4, 3.0, 1.0)
    assert several.whole.shape == "bushy"
    assert several.small == SMALL.small  # one decision is told of jobs with one phase


@pytest.mark.parametrize("dark", [False, True])
def test_the_curves_are_sound_figures_and_say_the_ratios_of_the_runs(
    found: dict[str, Any], dark: bool
) -> None:
    axis, points = found["axis"], found["points"]
    figure = checked(ratio_chart(points, axis, SMALL, dark))
    hopper = next(one for one in figure.data if one["name"] == "Hopper")
    ratios = [one.ratio("Hopper", "flowtime", "mean").value for one in points.values()]
    np.testing.assert_allclose(hopper["y"], ratios)
    assert list(hopper["x"]) == list(points)
    checked(price_chart(points, SMALL, dark))
    assert not trouble([*words(figure), ratio_alt(points, axis, SMALL), price_alt(points, SMALL)])
    assert f"{ratios[0]:.1f}"[:1] in ratio_alt(points, axis, SMALL)


def test_points_that_are_not_there_yet_leave_the_axis_as_it_is(found: dict[str, Any]) -> None:
    axis, points = found["axis"], found["points"]
    some = {4: points[4]}
    whole, begun, empty = (checked(ratio_chart(one, axis, SMALL, False)) for one in (points, some, {}))
    assert whole.layout.xaxis.range == begun.layout.xaxis.range == empty.layout.xaxis.range
    assert "1 of 5 points are known" in ratio_alt(some, axis, SMALL)
    assert not trouble(words(empty))


def test_cards_costs_and_table_hold_the_numbers_of_the_runs(found: dict[str, Any]) -> None:
    answer: Comparison = found["answer"]
    cards = cards_of(answer, "p50")
    assert [card.name for card in cards] == list(answer.policies)
    assert cards[1].value.startswith(f"{answer.ratio('Hopper', 'flowtime', 'p50').value:.2f}")
    assert not trouble([text for card in cards for text in (card.value, card.change, *card.details)])
    assert not trouble(costs(answer).to_numpy().ravel().tolist())
    rows = table(found["points"], found["axis"])
    assert len(rows) == 5 * 3 * 3
    known = rows.statistic == "p50"
    assert not rows[known].isna().to_numpy().any()
    assert not rows[["ratio_to_central", "messages_per_task"]].isna().to_numpy().any()
    assert rows[~known][["low", "high"]].isna().to_numpy().all()  # too few jobs to know them


def test_what_to_notice_is_true_of_the_numbers(found: dict[str, Any]) -> None:
    answer = found["answer"]
    told = notices(answer, found["points"], found["axis"], SMALL, "p50")
    said = losses(answer, "p50")
    assert 1 <= len(told) <= 4
    assert not trouble([*told, said])
    for name in list(answer.policies)[1:]:
        ratio = answer.ratio(name, "flowtime", "p50")
        surely = ratio.low > 1 or ratio.high < 1
        found = re.search(
            rf"% (longer|shorter) under \*\*{re.escape(name)}\*\*|^\*\*{re.escape(name)}\*\*: the", said
        )
        assert (found is not None) == surely
    messages = {name: one.estimate("messages_per_task").value for name, one in answer.policies.items()}
    most = max((name for name in messages if messages[name]), key=lambda name: messages[name])
    assert any(f"**{most}** sends" in one for one in told)


@pytest.mark.parametrize(
    ("factor", "begins"),
    [(0.5, ["**Sparrow"]), (1.02, []), (3.0, ["Knowing more has a price: **Hopper** sends"])],
)
def test_knowing_more_has_a_price_only_where_hopper_sends_clearly_more(
    found: dict[str, Any], factor: float, begins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = {"Hopper": 10 * factor, "Sparrow + LATE": 10.0}
    two = {name: one for name, one in found["answer"].policies.items() if name in (*sent, "Central")}
    monkeypatch.setattr(PolicyResult, "estimate", lambda one, *_: Estimate(sent.get(called[id(one)])))
    called = {id(one): name for name, one in two.items()}
    told = list(_messages(dataclasses.replace(found["answer"], policies=two)))
    assert [one.startswith(begin) for one, begin in zip(told, begins, strict=True)] == [True] * len(begins)


def test_points_share_the_luck_and_the_shell_runs_the_papers_cluster() -> None:
    assert SMALL.whole.workers == preset("hopper-fig5a").scenario.workers == 10_000
    assert len({axis.setting(SMALL, value).seed for axis in AXES.values() for value in axis.values}) == 1
    for rival in map(read_policy, rivals()):
        assert SMALL.but(rivals=(rival,)).experiment.policies[1].text


def test_copies_are_chosen_for_hopper_and_central_alike() -> None:
    chosen = SMALL.but(copies=2, benefit=0.5)
    assert chosen.policies["Central"].text == "central+budget:copies=2,benefit=0.5"
    assert chosen.policies["Hopper"].text.endswith("+budget:copies=2,benefit=0.5")
    assert chosen.policies["Sparrow + LATE"] == SMALL.policies["Sparrow + LATE"]
    assert SMALL.policies["Central"].text == "central+budget"


def test_what_the_paper_leaves_open_has_a_number_for_each_claim() -> None:
    rows = dependence()
    assert len(rows.columns) == 3
    assert len(rows) >= 10
    assert not rows.isna().to_numpy().any()


def test_the_answer_is_followed_first_and_every_point_ends() -> None:
    axis = AXES["refusals"]
    values = axis.in_turn(SMALL)
    assert values[0] == SMALL.refusals
    requests = [axis.setting(SMALL, value).request(Effort(replications=2)) for value in values]
    answer = SMALL.request(Effort(replications=2))
    known: Snapshots = ()
    for known in listen([answer, *requests], at_once=2, urgency=2):
        if known:
            assert list(known[0].comparison.policies) == list(answer.experiment.texts)
    assert len(known) == len(values) + 1
    assert all(one.final for one in known)


def test_every_step_of_a_decision_is_drawn_and_told() -> None:
    decision = telling_decision(SMALL.small, read_policy("hopper"))
    assert decision is not None
    told = steps(decision, "s")
    assert len(told) == 1 + 2 * len(decision.exchanges)
    assert told[0].sentence.startswith("**Probes out.**")
    assert told[-1].sentence.startswith("**Acceptance.**")
    for at in range(1, len(told) + 1):
        figure = checked(sequence(decision, "s", at, dark=False))
        arrows = [one for one in figure.layout.annotations if one.showarrow]
        assert len(arrows) == at
        assert not trouble([*words(figure), sequence_alt(decision, "s", at), told[at - 1].sentence])
    assert len(queue_table(decision, "s")) == len(decision.queue)


def test_the_json_holds_the_ratio_and_no_number_that_is_none(found: dict[str, Any]) -> None:
    text = json.dumps(as_json(found["answer"], "0", "line"), allow_nan=False)
    assert "ratio_to_central" in text


def test_what_a_server_does_not_run_is_cut_and_said() -> None:
    large, once = Setting(workers=2000, per_worker=8, length=320), Effort(replications=1)
    assert "The command line has no such limit" in large.cuts
    cut, point = (one.experiment.scenario.jobs for one in (large.request(once), large.point(once)))
    assert point < cut < large.scenario.jobs
    assert SMALL.cuts == ""
    assert SMALL.point(once).experiment == SMALL.experiment
