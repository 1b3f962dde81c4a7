"""The answer to a what-if question, and the shell that gives it."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from sim.advice.whatif import runs
from sim.advice.whatif.answer import changes
from sim.advice.whatif.check import FAIR, GOOD, POOR, check, residuals
from sim.advice.whatif.document import as_text
from sim.advice.whatif.doubt import Law
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay, replicate
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK, today
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.samples import spark
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.logs.test_findings import history, jobs, lasted, slow
from tests.sim.logs.truth import generated, lognormal, pareto
from tests.sim.whatif.clusters import cluster
from tests.sim.whatif.clusters import pareto as capped

COPIES = "fifo+spark:multiplier=1.5,quantile=0.75"


@pytest.fixture(scope="module")
def heavy():
    return fit(generated(8, pareto(1.6), stages=12, tasks=24))


def test_the_luck_of_a_replication_is_the_same_under_every_policy(heavy):
    question = Replay(heavy)
    never = read_policy("fifo+spark:multiplier=100")
    plain, patient, again = replicate(
        question, [read_policy("fifo+none"), never, read_policy("fifo+none")], range(4)
    )
    for one, other, same in zip(plain, patient, again, strict=True):
        np.testing.assert_array_equal(one.job_times, same.job_times)
        assert other.copies == 0
        np.testing.assert_array_equal(one.job_times, other.job_times)
    assert plain[0].job_times.tolist() != plain[1].job_times.tolist()


def test_what_a_model_holds_is_what_is_played(heavy):
    """Promises are held to a true model by playing it: law, work and factors put in its place must count."""
    even = dataclasses.replace(
        heavy,
        law=Law((1.0, 1.0)),
        work=np.full(heavy.work.size, 2.0),
        cluster=dataclasses.replace(heavy.cluster, factors=(3.0,) * len(heavy.cluster.factors), executors={}),
    )
    (plays,) = replicate(Replay(even, doubted=False), [read_policy("fifo+none")], range(2))
    waves = -(-24 // heavy.cluster.slots)
    for play in plays:
        np.testing.assert_allclose(play.stage_times, waves * 2.0 * 3.0)
        assert play.slot_time == pytest.approx(6.0 * heavy.work.size)


def test_a_higher_rate_halves_the_gaps_and_more_slots_shorten_the_jobs():
    heavy = fit(cluster(3, capped(1.5), load=0.6).history)  # open arrivals: a closed loop has no queue
    plain, fast, wide = (
        replicate(question, [read_policy("fifo+none")], range(6))[0]
        for question in (Replay(heavy), Replay(heavy, rate=2.0), Replay(heavy, slots=48))
    )
    assert np.mean([play.job_times.mean() for play in fast]) > np.mean(
        [play.job_times.mean() for play in plain]
    )
    assert np.mean([play.makespan for play in fast]) < np.mean([play.makespan for play in plain])
    assert np.mean([play.job_times.mean() for play in wide]) < np.mean(
        [play.job_times.mean() for play in plain]
    )


def test_the_model_reproduces_a_history_it_was_made_for_and_not_another(heavy):
    question = Replay(heavy, doubted=False)
    plays = replicate(question, [read_policy("fifo+none")], range(40))[0]
    assert check(question, plays).verdict in (GOOD, FAIR)
    jobs = heavy.jobs.assign(end=heavy.jobs["submit"] + 2 * (heavy.jobs["end"] - heavy.jobs["submit"]))
    slower = Replay(dataclasses.replace(heavy, jobs=jobs, recorded=2 * heavy.recorded))
    found = check(slower, plays)
    assert found.verdict == POOR
    poor = {item.name for item in found.items if item.grade == POOR}
    assert {"mean job time", "ranks of stage times"} <= poor


def test_copies_are_recommended_where_they_help_and_the_promise_holds_on_fresh_luck(heavy):
    found = answer(Replay(heavy), SPARK, policies=["fifo+none", COPIES], replications=40, budget=0.5)
    assert found.today == "fifo+none"
    assert found.advice is not None
    assert found.advice.policy == COPIES
    assert found.advice.settings["spark.speculation.multiplier"] == "1.5"
    promised = found.options[COPIES].change["mean"]
    assert promised.high < 0
    fresh = answer(Replay(heavy, seed=99), SPARK, policies=[COPIES], replications=40)
    assert fresh.options[COPIES].change["mean"].value == pytest.approx(promised.value, abs=0.05)


def test_a_promise_covers_the_truth_that_the_model_did_not_quite_find(heavy):
    """The interval of a change is wider than that of its mean: few copies leave the model open."""
    question = Replay(heavy)
    pair = [read_policy("fifo+none"), read_policy(COPIES)]
    doubted = replicate(question, pair, range(100))
    plain = replicate(dataclasses.replace(question, doubted=False), pair, range(100))
    shown = changes(doubted[1], doubted[0])["mean"]
    alone = changes(plain[1], plain[0])["mean"]
    assert shown.high - shown.low > 1.1 * (alone.high - alone.low)
    assert shown.low < alone.value < shown.high


def test_small_and_large_jobs_are_halves_by_work_and_have_changes_of_their_own():
    model = fit(read_history(spark(speculation=False)), leave_out="warmup")
    question = Replay(model, leave_out="warmup")
    pair = [read_policy("fifo+none"), read_policy(COPIES)]
    plain, copied = replicate(question, pair, range(6))
    work = pd.Series(model.work).groupby(np.repeat(model.stage_job, model.tasks)).sum()[question.kept]
    assert question.small.sum() == work.size // 2
    assert work[question.small].max() <= work[~question.small].min()
    for play in (*plain, *copied):
        assert play.figures["small_jobs"] == play.job_times[question.small].mean()
        assert play.figures["large_jobs"] == play.job_times[~question.small].mean()
    found = changes(copied, plain)
    for name in ("small_jobs", "large_jobs"):
        mine = np.array([[play.figures[name] for play in plays] for plays in (plain, copied)])
        assert found[name].value == pytest.approx(np.mean(mine[1] / mine[0]) - 1)  # a model each
        assert found[name].low < found[name].value < found[name].high


def test_one_job_is_neither_small_nor_large(heavy):
    names = heavy.jobs["name"].tolist()
    one = dataclasses.replace(heavy, jobs=heavy.jobs.assign(group=["kept"] + ["other"] * (len(names) - 1)))
    figures = replicate(Replay(one, leave_out="other"), [read_policy("fifo+none")], range(2))[0][0].figures
    assert not {"small_jobs", "large_jobs"} & set(figures)


def test_the_load_is_that_of_the_recorded_slot_time_and_grows_with_the_rate(heavy):
    copies = heavy.history.frame("copies")
    ran = float((copies["end"] - copies["launch"]).sum())
    span = float(heavy.jobs["submit"].max())
    recorded = ran / (heavy.cluster.slots * span)
    assert Replay(heavy).load == pytest.approx(recorded, rel=0.15)
    assert Replay(heavy, rate=2.0).load == pytest.approx(2 * Replay(heavy).load)
    wider = Replay(heavy, slots=2 * heavy.cluster.slots)
    assert wider.load == pytest.approx(Replay(heavy).load / 2, rel=0.01)  # hosts are not quite alike


def test_nothing_is_recommended_where_luck_is_light_or_the_budget_is_spent(heavy):
    light = fit(generated(8, lognormal(0.05), stages=12, tasks=24))
    assert answer(Replay(light), SPARK, policies=[COPIES], replications=20).advice.policy == "fifo+none"
    unequal = fit(generated(9, lognormal(0.05), stages=12, tasks=24, bytes_spread=0.8))
    found = answer(Replay(unequal), SPARK, policies=[COPIES], replications=20)
    assert found.advice is None or found.advice.policy == "fifo+none"
    assert (
        "no setting of"
        in answer(Replay(heavy), SPARK, policies=[COPIES], replications=20, budget=-1.0).advice.reason
    )


def test_no_advice_where_the_check_is_poor(heavy):
    poor = dataclasses.replace(heavy, jobs=heavy.jobs.assign(end=heavy.jobs["submit"] + 1e4))
    assert answer(Replay(poor), SPARK, policies=[COPIES], replications=10).advice is None


def test_today_is_read_from_the_settings_and_the_version():
    history = generated(1, pareto(1.5), stages=3)

    def under(**settings):
        named = {name.replace("_", "."): value for name, value in settings.items()}
        return today(dataclasses.replace(history, format="spark", settings=named))

    assert under() == "fifo+none"
    assert under(spark_speculation="true", spark_version="4.0.0") == "fifo+spark"
    assert under(spark_speculation="true", spark_version="3.5.1") == COPIES
    named = {"spark_speculation": "true", "spark_speculation_interval": "1s", "spark_version": "4.1"}
    assert under(**named) == "fifo+spark:interval=1"


def test_a_question_that_is_too_large_is_refused_with_its_size(heavy, monkeypatch):
    monkeypatch.setattr(runs, "MOST_COPIES", 10_000)
    with pytest.raises(
        BadInput, match=r"^replications: 40 of 2 policies would run 57,600 tasks, .* give at most 6,"
    ):
        answer(Replay(heavy), SPARK, policies=[COPIES], replications=40)


# The shell.


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    file = tmp_path_factory.mktemp("whatif") / "app.zstd"
    file.write_bytes(spark(speculation=False).data)
    return str(file)


def test_the_shell_keeps_its_contract(log, capsys):
    asked = ["--policy", "fifo+none", "--policy", COPIES, "--rate", "2", "--replications", "8", "--seed", "3"]
    assert main(["whatif", log, *asked, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["check"]["verdict"] in (GOOD, FAIR, POOR)
    by_hand = residuals(fit(read_history(log)))
    told = [[one[name] for name in ("name", "share", "chance", "spread")] for one in found["check"]["luck"]]
    assert told == [[one.name, one.share, one.chance, one.spread] for one in by_hand]
    assert found["today"] == "fifo+none"
    assert set(found["policies"]) == {"fifo+none", COPIES}
    for policy in found["policies"].values():
        assert set(policy["job_time"]) == {"mean", "p50", "p95"}
        figures = [*policy["job_time"].values()]
        figures += [policy[name] for name in ("makespan", "slot_time", "copies", "won", "killed_time")]
        for figure in figures:
            assert set(figure) == {"value", "low", "high"}
            assert figure["low"] <= figure["high"]
        assert set(policy["change"]) >= {"mean", "p95", "slot_time"}
    assert found["policies"]["fifo+none"]["change"]["mean"] == {"value": 0, "low": 0, "high": 0}
    assert found["advice"] is None or set(found["advice"]) == {"policy", "settings", "reason", "trial"}
    assert main(["whatif", log, *asked, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_the_shell_asks_for_a_load_a_price_and_a_page(log, tmp_path, capsys):
    page = tmp_path / "out.html"
    asked = ["--policy", COPIES, "--load", "0.7", "--price", "0.25", "--replications", "8", "--papers"]
    file = tmp_path / "out.json"
    assert main(["whatif", log, *asked, "--html", str(page), "--json", str(file)]) == 0
    found, told = json.loads(file.read_text()), capsys.readouterr().out
    assert f"Is the model right? It is {found['check']['verdict']} on this history" in told
    reason = found["advice"]["reason"]
    assert f"{reason[0].upper()}{reason[1:]}." in told
    assert found["question"]["load"] == pytest.approx(0.7)
    cost = found["policies"][COPIES]["cost"]
    extra = found["policies"][COPIES]["change"]["slot_time"]["value"]
    hours = extra * found["policies"]["fifo+none"]["slot_time"]["value"] / 3600
    assert cost["slot_hours"]["value"] == pytest.approx(hours)
    days = found["policies"]["fifo+none"]["makespan"]["value"] / 86400
    assert cost["slot_hours_a_day"]["value"] == pytest.approx(hours / days)
    assert cost["money_a_day"]["value"] == pytest.approx(0.25 * hours / days)
    assert page.read_text().startswith("<!doctype html>")
    assert "fifo+mantri (not in your system)" in page.read_text()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.html", "out.json"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--rate", "0"], "rate: "),
        (["--slots", "none"], "slots: "),
        (["--slots", "900000"], "slots: 900000 is not accepted, since the history has"),
        (["--load", "0"], "load: "),
        (["--load", "0.5", "--rate", "2"], "load: not accepted together with rate"),
        (["--price", "-1"], "price: "),
        (["--html", "-"], "html: '-' is not accepted"),
        (["--replications", "1"], "replications: "),
        (["--budget", "much"], "budget: 'much' is not accepted"),
        (["--objective", "p50"], "objective: 'p50' is not accepted"),
        (["--system", "slurm"], "system: 'slurm' is not accepted"),
        (["--policy", "fifo+sparks"], "policy: 'sparks'"),
        (["--replications", "100000"], "replications: 100,000 of"),
    ],
)
def test_bad_input_is_one_line_that_names_it(log, capsys, given, said):
    assert main(["whatif", log, *given]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_where_nothing_is_advised_the_log_itself_says_what_to_do():
    """Skew by what tasks write: copies do not pay, no setting cuts by it, and the diagnosis names it."""
    frame = slow(jobs(3))
    told = history(frame.assign(input_bytes=1e6, output_bytes=1e5 * lasted(frame)))
    found = answer(Replay(fit(told)), SPARK, replications=8, sweep=False, remedies=False)
    assert not found.advises
    assert found.first.startswith("Split the tasks of s that write most (skew)")
    assert any(line.endswith(found.first) for line in as_text(found).splitlines()[:3])
    lucky = history(slow(jobs(4)).assign(name="nightly", input_bytes=1e6))
    quiet = answer(Replay(fit(lucky)), None, replications=8, sweep=False, remedies=False)
    assert quiet.first == "" or quiet.check.verdict == POOR  # copies are What-if's to advise
