"""Every number of a table, JSON or text of an answer is the one that its name says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sim.advice.diagnosis.findings import Finding
from sim.advice.fleet import report as fleet
from sim.advice.fleet.first_look import Advised, Look
from sim.advice.several import report as several
from sim.advice.several.after import After, Band, Gate, Promise, judge, read_condition
from sim.advice.several.change import Changes, SequentialTest, changes_of
from sim.advice.several.sides import Moved, Side, Sides
from sim.advice.waiting import report as waiting
from sim.advice.waiting.answer import COPY as COPYING
from sim.advice.waiting.answer import RESTART, WAIT, Choice, Interval, Task
from sim.advice.whatif.price import Executor, Price
from sim.advice.whatif.remedies import judged as remedies
from sim.advice.whatif.remedies.hosts import HOSTS
from sim.advice.whatif.remedies.judged import Judged, Remedies
from sim.advice.whatif.remedies.variant import COPY, SettingLines
from sim.advice.whatif.second_opinion import Opinion
from sim.advice.whatif.setting_effect import SettingEffect
from sim.model.statistics import Estimate
from tests.sim.faces import Face, Path, assert_told
from tests.sim.several.runs import job_times

FLEET: tuple[list[Look], Price] = (
    [
        Look(
            "a",
            "A",
            "spark",
            7,
            190,
            hours=11.0,
            lost=2.3,
            slot_hours=3.1,
            executor=Executor(4.0, 2.0, 8.5, 0.6),
            advised=Advised("split", "split tasks", "Cut it.", -0.21, -0.35, -0.13, 0.41, 0.29, 0.57),
            first="Cut the largest.",
            findings=(Finding("work", 23e3, 17e3, 31e3, 0.134, "Cut the largest."),),
            account={"running": 31000.0, "waiting for the last": 8600.0},
        ),
        Look(
            "b",
            "B",
            "flink",
            13,
            410,
            hours=23.0,
            lost=4.7,
            slot_hours=9.7,
            executor_untold="executors",
            advised=Advised("trial", "try", "Try it.", -0.17, -0.45, -0.033, 0.83, 0.71, 0.97),
            first="Try copies.",
            findings=(
                Finding("work", 37e3, 27e3, 47e3, 0.093, "Cut these."),
                Finding("luck", 1900.0, 1300.0, 2700.0, 0.023, "Try copies."),
            ),
            account={"running": 79000.0, "no executor": 2900.0},
        ),
        Look("c", "C", reason="Its header is cut."),
    ],
    Price(vcpu=0.53, gb=0.29),
)


def slot_hour(look: Look, price: Price) -> float:
    """Return the price of a slot-hour of the only log that tells its executors."""
    one = look.executor
    assert one is not None
    assert one.memory is not None
    return (price.vcpu * one.cores + price.gb * one.memory) / one.slots


ROW = {
    "job time (h)": lambda one, _: one.hours,
    "jobs": lambda one, _: one.jobs,
    "lost (h)": lambda one, _: one.lost,
    "lost (%)": lambda one, _: 100 * one.lost / one.hours,
    "lost slot-time (h)": lambda one, _: one.slot_hours,
    "lost slot-time (money)": lambda one, price: (
        one.slot_hours * slot_hour(one, price) if one.executor else None
    ),
    "gain (h)": lambda one, _: -one.advised.value * one.hours,
    "gain from (h)": lambda one, _: -one.advised.high * one.hours,
    "gain to (h)": lambda one, _: -one.advised.low * one.hours,
    "its slot-time (h)": lambda one, _: one.advised.slot_value,
    "its slot-time (money)": lambda one, price: (
        one.advised.slot_value * slot_hour(one, price) if one.executor else None
    ),
}
JSON_ROW = {
    "jobs": lambda one, _: one.jobs,
    "tasks": lambda one, _: one.tasks,
    "job_hours": lambda one, _: one.hours,
    "lost_hours": lambda one, _: one.lost,
    "lost_slot_hours": lambda one, _: one.slot_hours,
    "money": ROW["lost slot-time (money)"],
    "remedy.change.value": lambda one, _: one.advised.value,
    "remedy.change.low": lambda one, _: one.advised.low,
    "remedy.change.high": lambda one, _: one.advised.high,
    "remedy.gain_hours.value": ROW["gain (h)"],
    "remedy.gain_hours.low": ROW["gain from (h)"],
    "remedy.gain_hours.high": ROW["gain to (h)"],
    "remedy.slot_hours.value": lambda one, _: one.advised.slot_value,
    "remedy.slot_hours.low": lambda one, _: one.advised.slot_low,
    "remedy.slot_hours.high": lambda one, _: one.advised.slot_high,
}


def of_look(number: int, of: Any) -> Any:
    return lambda source: of(source[0][number], source[1])


def of_finding(number: int, of: Any) -> Any:
    """Return a figure of findings of one cause, which is the first of their logs."""
    logs = {0: (0, 1), 1: (1,)}[number]
    return lambda source: of([source[0][log].findings[number if log else 0] for log in logs], source[0])


TOTALS = {
    "totals.logs": lambda source: 3,
    "totals.unread": lambda source: 1,
    "totals.computed": lambda source: 2,
    "totals.unpriced": lambda source: 1,
    "totals.jobs": lambda source: sum(one.jobs for one in source[0]),
    "totals.job_hours": lambda source: sum(one.hours for one in source[0]),
    "totals.lost_hours": lambda source: source[0][0].lost + source[0][1].lost,
    "totals.lost_slot_hours": lambda source: sum(one.slot_hours for one in source[0]),
    "totals.gain_hours": lambda source: (
        -source[0][0].advised.value * source[0][0].hours
    ),  # a trial is not sure
    "totals.money": lambda source: source[0][0].slot_hours * slot_hour(source[0][0], source[1]),
    "account.running": lambda source: sum(one.account["running"] for one in source[0][:2]),
    "account.no executor": lambda source: source[0][1].account["no executor"],
    "account.waiting for the last": lambda source: source[0][0].account["waiting for the last"],
    **{
        f"findings.{number}.{end}": of_finding(
            number, lambda found, looks, end=end: sum(getattr(one, end) for one in found)
        )
        for number in (0, 1)
        for end in ("seconds", "low", "high")
    },
    **{
        f"findings.{number}.share": of_finding(
            number,
            lambda found, looks: sum(one.seconds for one in found) / 3600 / sum(one.hours for one in looks),
        )
        for number in (0, 1)
    },
    "findings.0.logs": lambda source: 2,
    "findings.1.logs": lambda source: 1,
}


def of_row(number: int, names: Sequence[str], of: Mapping[str, Any], at: str) -> dict[str, Any]:
    return {f"{at}{number}.{name}": of_look(number, of[name]) for name in names}


def own(number: int) -> dict[str, Any]:
    """Return what the row of a log says of its own findings and account."""
    look = FLEET[0][number]
    told: dict[str, Any] = {
        f"logs.{number}.account.{key}": of_look(number, lambda one, _, key=key: one.account[key])
        for key in look.account
    }
    for place in range(len(look.findings)):
        for end in ("seconds", "low", "high", "share"):
            told[f"logs.{number}.findings.{place}.{end}"] = of_look(
                number, lambda one, _, place=place, end=end: getattr(one.findings[place], end)
            )
    return told


def told_in_sentence(place: Path) -> bool:
    """Say whether the sentence on a fleet has a number: of sums, and of the first cause."""
    match place[2:]:
        case ("jobs" | "hours" | "lost" | "slot_hours",):
            return True
        case ("executor", "overhead") | ("tasks",) | ("account", _):
            return False
        case ("executor", _):
            return True
        case ("advised", end):
            return end == "value" and place[1] == 0  # a trial is not sure
        case ("findings", number, "seconds" | "low" | "high"):
            return number == 0
    return place[0] == 1  # a price


def test_a_fleet_tells_of_each_log_its_own_numbers_and_of_all_their_sums() -> None:
    both = of_row(0, list(ROW), ROW, "") | of_row(1, list(ROW), ROW, "")
    unread = {f"2.{name}": lambda source: None for name in ROW}
    assert_told(
        Face(FLEET, lambda source: fleet.table(*source), both | unread),
    )
    rows = of_row(0, list(JSON_ROW), JSON_ROW, "logs.") | of_row(1, list(JSON_ROW), JSON_ROW, "logs.")
    zeros = of_row(2, ["jobs", "tasks", "job_hours", "lost_slot_hours"], JSON_ROW, "logs.")
    assert_told(
        Face(
            FLEET,
            lambda source: fleet.as_json(*source) | {"sentence": fleet.sentence(*source)},
            TOTALS | rows | own(0) | own(1) | zeros,
            {"sentence": told_in_sentence},
        ),
        lambda place: place[-1] == "overhead",
    )


def after() -> After:
    """Return a comparison whose numbers all differ."""
    real = changes_of(job_times(2, jobs=30, load=0.2), 1)
    known = {
        "mean": (100.0, 81.0, (-0.19, -0.27, -0.11), (3, 1.7, 1)),
        "p95": (310.0, 350.0, (0.13, -0.27, 0.57), (4, 2.3, 2)),
        "slot-time": (1900.0, 2300.0, (0.21, 0.17, 0.29), (6, 2.9, 3)),
    }
    found = {
        name: replace(
            real.change[name],
            before=before,
            after=then,
            share=Estimate(*share),
            reason="",
            sequence=SequentialTest(pairs, evidence, False, more),
        )
        for name, (before, then, share, (pairs, evidence, more)) in known.items()
    }
    work = Finding("work", 53.0, 41.0, 67.0, 0.134, "Cut the largest.")
    luck = Finding("luck", 19.0, 13.0, 27.0, 0.023, "Try copies.")
    sides = Sides(
        Side("Cut it.", (work,), {"running": 310.0}, {"running": 9.7}),
        Side("Try it.", (luck,), {"running": 290.0}, {"running": 8.3}),
        26,
        Moved("running", 9.7, 8.3, -2.1, -1.3),
        Moved("luck", 5.9, 3.1, -3.7, -1.9),
    )
    bands = {"mean": Band(77.0, 79.0, 89.0, 101.0, 83.0), "p95": Band(290.0, 311.0, 337.0, 313.0, 353.0)}
    promise = Promise(("fifo+none", "fifo+spark"), bands, "", "good")
    return After(Changes(real.jobs, (2, 3), 17, found), {"spark.speculation": ("", "true")}, sides, promise)


CHANGES = {
    "jobs": lambda source: 30,
    "unpaired.0": lambda source: source.found.jobs.unpaired[0],
    "unpaired.1": lambda source: source.found.jobs.unpaired[1],
    "runs.0": lambda source: source.found.runs[0],
    "runs.1": lambda source: source.found.runs[1],
    "blocks": lambda source: source.found.blocks,
    **{
        f"figures.{name}.{key}": lambda source, name=name, of=of: of(source.found.change[name])
        for name in ("mean", "p95", "slot-time")
        for key, of in {
            "before": lambda one: one.before,
            "after": lambda one: one.after,
            "change.value": lambda one: one.share.value,
            "change.low": lambda one: one.share.low,
            "change.high": lambda one: one.share.high,
            "pairs_of_runs.pairs": lambda one: one.sequence.pairs,
            "pairs_of_runs.evidence": lambda one: one.sequence.evidence,
            "pairs_of_runs.more": lambda one: one.sequence.more,
            "pairs_of_runs.false_alarm": lambda one: one.sequence.false_alarm,
        }.items()
    },
}
SIDES: dict[str, Any] = {
    **{
        f"account.{side}.running": lambda source, side=side: getattr(source.sides, side).account["running"]
        for side in ("before", "after")
    },
    **{
        f"findings.{side}.0.{key}": lambda source, side=side, key=key: getattr(
            getattr(source.sides, side).findings[0], key
        )
        for side in ("before", "after")
        for key in ("seconds", "low", "high", "share")
    },
    **{
        f"changed_most.{what}.{key}": lambda source, what=what, key=key: getattr(
            getattr(source.sides, what), key
        )
        for what in ("state", "cause")
        for key in ("before", "after", "low", "high")
    },
}
BANDS = {
    f"promise.figures.{name}.{key}": lambda source, name=name, key=key: getattr(
        source.promise.bands[name], key
    )
    for name in ("mean", "p95")
    for key in ("low", "middle", "high", "before", "after")
}
KEPT = {
    f"promise.figures.{name}.kept": lambda source, name=name: (
        source.promise.bands[name].low <= source.promise.bands[name].after <= source.promise.bands[name].high
    )
    for name in ("mean", "p95")
}


def behind(place: Path) -> bool:
    """Say whether a number is what others are made of: jobs in both accounts, and seconds per job."""
    return "per_job" in place or place == ("sides", "jobs")


def test_before_and_after_tell_the_change_the_accounts_and_the_promise() -> None:
    assert_told(
        Face(
            after(),
            several.after_json,
            CHANGES | SIDES | BANDS | KEPT | {"promise.held": lambda source: 0.9},
            {
                "sentence": lambda place: (
                    ("share" in place and "mean" in place)
                    or place[-2:] in (("mean", "low"), ("runs", 0), ("runs", 1))
                    or place[-3:] == ("bands", "mean", "after")
                )
            },
        ),
        behind,
    )


def test_each_line_on_a_change_has_its_own_numbers() -> None:
    """Of the terminal: a line a figure, with what more would tell, and one for each promise."""

    def lines(found: After) -> dict[str, Any]:
        told = several.after_text(found).splitlines()
        change = {name: next(line for line in told if line.startswith(f"{title} ")) for name, title in WORDS}
        promises = {
            f"promise of {name}": next(line for line in told if line.startswith(f"  {title}: "))
            for name, title in WORDS[:2]
        }
        return change | promises

    def tells(name: str) -> Any:
        return lambda place: (
            "change" in place and name in place and (place[-2] == "share" or place[-1] == "more")
        )

    def promises(name: str) -> Any:
        return lambda place: "bands" in place and name in place and place[-1] in ("low", "high", "after")

    assert_told(
        Face(
            after(),
            lines,
            {},
            {name: tells(name) for name, _ in WORDS}
            | {f"promise of {name}": promises(name) for name, _ in WORDS[:2]},
        ),
    )


WORDS = (("mean", "mean job time"), ("p95", "p95 of job times"), ("slot-time", "slot-time"))


def test_a_gate_tells_what_it_judged() -> None:
    found = after()

    def gate(source: After) -> Gate:
        conditions = [read_condition(one) for one in ("mean > +5%", "p95 > +10%", "slot-time > +15%")]
        return judge(source.found, conditions, source.sides)

    told = several.gate_json(gate(found))
    assert [one["condition"] for one in told["conditions"]] == [
        "mean > +5%",
        "p95 > +10%",
        "slot-time > +15%",
    ]
    assert_told(
        Face(
            found,
            lambda source: several.gate_json(gate(source)) | {"text": several.gate_text(gate(source))},
            CHANGES
            | SIDES
            | {
                "exit_code": lambda source: {"passes": 0, "fails": 1, "cannot be told": 3}[
                    gate(source).verdict
                ],
                "false_alarm": lambda source: 0.01,
            },
            {
                f"conditions.{number}.reason": lambda place, name=name: (
                    place[-2:-1] == ("share",) and name in place
                )
                for number, (name, _) in enumerate(WORDS)
            },
        ),
        lambda place: behind(place) or place[0] == "promise",
    )


def effects(scale: float) -> dict[str, SettingEffect]:
    """Return changes of all figures, of which no two are alike and mean, p50 and p95 go opposite ways."""
    known = {
        "mean": (-0.21, -0.33, -0.11, -0.13),
        "p50": (0.17, 0.07, 0.29, 0.23),
        "p95": (-0.41, -0.57, -0.19, -0.31),
        "slot_time": (0.037, 0.019, 0.079, 0.053),
    }
    return {name: SettingEffect(*(scale * one for one in ends)) for name, ends in known.items()}


def remedy(one: Any, scale: float, sure: bool) -> Judged:
    settings = SettingLines("Leave it out.", "hosts", {"h": "1"})
    more = {f"another way of {one.key}": effects(1.31 * scale)}
    reason = "" if sure else "it gains too little"
    return Judged(
        *(
            one,
            f"doing {one.key}",
            effects(scale),
            effects(1.73 * scale),
            more,
            sure,
            reason,
            "shown",
            settings,
        ),
        "no limit",
    )


NUMBERS = {
    f"{name}.{end}": lambda change, name=name, end=end: getattr(change[name], end)
    for name in ("mean", "p50", "p95", "slot_time")
    for end in ("value", "low", "high")
}


@pytest.mark.parametrize("objective", ["mean", "p95"])
def test_remedies_tell_their_own_changes_and_lead_by_the_figure_that_is_asked_for(objective: str) -> None:
    source = Remedies((remedy(COPY, 1.0, True), remedy(HOSTS, 1.07, True)), objective)
    of: dict[str, Any] = {}
    for number, key in enumerate(("copy", "host")):
        for at, changes in {
            "change": lambda one: one.change,
            "ceiling.change": lambda one: one.ceiling,
            f"others.another way of {key}": lambda one, key=key: one.others[f"another way of {key}"],
        }.items():
            of |= {
                f"each.{key}.{at}.{name}": lambda found, number=number, changes=changes, value=value: value(
                    changes(found.judged[number])
                )
                for name, value in NUMBERS.items()
            }
    of |= {"first": lambda found: min(found.judged, key=lambda one: one.change[objective].sure).remedy.key}
    assert_told(
        Face(source, remedies.as_json, of),
        lambda place: place[-1] == "sure" and place != ("judged", 0, "change", objective, "sure"),
    )

    def row(found: Remedies) -> dict[str, str]:
        names = ("reached", "at most", "slot-time", "why")
        return dict(zip(names, remedies.row(found, found.judged[1]), strict=True))

    def of_second(place: Path, what: str, figure: str) -> bool:
        return place[:3] == ("judged", 1, what) and place[3] == figure and place[4] != "sure"

    texts = {
        "reached": lambda place: of_second(place, "change", objective),
        "at most": lambda place: of_second(place, "ceiling", objective),
        "slot-time": lambda place: of_second(place, "change", "slot_time"),
    }
    assert_told(Face(source, row, {}, texts))


def test_a_second_opinion_tells_its_changes() -> None:
    source = Opinion({"spark.speculation": "true"}, "approved", "It pays.", effects(1.0))

    def tells(figures: Sequence[str], ends: Sequence[str]) -> Any:
        return lambda place: place[0] == "change" and place[1] in figures and place[2] in ends

    assert_told(
        Face(
            source,
            lambda one: one.as_json() | {"lines": list(one.lines())},
            {
                f"change.{name}": lambda one, value=value: value(one.change)
                for name, value in NUMBERS.items()
                if "p50" not in name
            },
            {
                "sentence": tells(("mean", "slot_time"), ("value", "low", "high")),
                "lines.0": tells(("p95",), ("value", "low", "high")),
                "worst": tells(("slot_time",), ("high",)),  # jobs are surely shorter
            },
        ),
        lambda place: place[-1] == "sure" or "p50" in place,
    )


def choice(rest: float, slots: float, done: float) -> Choice:
    within = (Interval(done, 0.91 * done, 1.07 * done), Interval(1.21 * done, 1.17 * done, 1.29 * done))
    return Choice(Interval(rest, 0.83 * rest, 1.31 * rest), slots, within)


def test_a_running_task_tells_its_own_numbers() -> None:
    choices = {WAIT: choice(71.0, 73.0, 0.31), COPYING: choice(43.0, 89.0, 0.43)}
    task = Task(
        *("t", 37.0, 1.9, 1.7, "h", Interval(1.3, 1.1, 1.6), choices | {RESTART: choice(59.0, 61.0, 0.37)}),
        *(COPYING, 0.81, 400.0, 2, 0.23),
    )
    names = {
        "age_s": "age",
        "probability_better": "sure",
        "work_ratio": "larger",
        "slow_by_work": "as_work",
        "explained_by_work": "explained",
        "counted_s": "counted",
    }
    of: dict[str, Any] = {key: lambda one, name=name: getattr(one, name) for key, name in names.items()}
    of |= {f"host_slower.{end}": lambda one, end=end: getattr(one.slower, end) for end in Interval._fields}
    for way in (WAIT, COPYING, RESTART):
        key = way.replace(" ", "_")
        of[f"{key}.slot_time_s"] = lambda one, way=way: one.choices[way].slot_time
        for end in Interval._fields:
            of[f"{key}.mean_rest_s.{end}"] = lambda one, way=way, end=end: getattr(one.choices[way].rest, end)
            for place in (0, 1):
                of[f"{key}.done_within.{place}.{end}"] = lambda one, way=way, end=end, place=place: getattr(
                    one.choices[way].within[place], end
                )
    assert_told(Face(task, waiting._task, of), lambda place: place[-1] == "place")
