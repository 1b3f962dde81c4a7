"""``python -m tests.zoo.steps``: advice in steps, each of which learns from all logs so far.

A world is played without copies, and What-if answers its log. What is advised, or to be tried, is set; the
next log is of the same jobs with fresh luck. What is counted is how much of the gain of the best setting
within the budget, against the first log's, is there after each step, and whether a step does harm.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sim import __version__
from sim.advice.whatif.answer import BUDGET, Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import system_of
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.model.fields import BadInput
from tests.zoo.causes import LAWS, OTHERS, build, make
from tests.zoo.eventlog import event_log
from tests.zoo.judge import SURE, USEFUL, setting_of, told
from tests.zoo.simulator import play
from tests.zoo.truth import Change, truth
from tests.zoo.worlds import Setting, World, stream

RECORD = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "steps.md"
#: Logs, each of an hour under what the one before advised.
STEPS = 3


@dataclass(frozen=True)
class Stepped:
    """A step: what its log was recorded under, what is set then, and what that truly changes.

    Parameters
    ----------
    verdict : str
    recorded, advised : str
    trial : bool
    gain, cost : Change
        Of mean job time and slot-time, against the first log's setting.
    worse, dearer : Change
        The same against that of this log.
    held, promises : int
        Promised changes whose interval holds the truth, and how many there are.
    open : str
        What the next log is said to tell.
    """

    verdict: str
    recorded: str
    advised: str
    trial: bool
    gain: Change
    cost: Change
    worse: Change
    dearer: Change
    held: int
    promises: int
    open: str

    @property
    def harms(self) -> bool:
        """Whether jobs get longer than before this step or the first, or cost more than the budget."""
        longer, dear = (
            any(one.value - SURE * one.error > most for one in pair)
            for pair, most in (((self.gain, self.worse), 0.0), ((self.cost,), BUDGET))
        )
        return self.advised != self.recorded and (longer or dear)


def walked(
    world: World, *, replications: int = 100, draws: int = 40, steps: int = STEPS
) -> tuple[Change, list[Stepped]]:
    """Follow the advice step by step; return the best true gain within the budget, and the steps."""
    logs: list[History] = []
    now, taken, true = world.setting, [], {}
    for number in range(steps):
        here = replace(world, setting=now)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"zoo-{world.number}-{number}"
            path.write_text(event_log(here, play(here, now, 1000 * number)))
            logs.append(read_history(path))
        found = _answer(logs, replications)
        settings = [setting_of(option.policy) for option in found.options.values()] if found else []
        unknown = [one for one in {now: 0, **dict.fromkeys(settings)} if one not in true]
        true |= truth(world, unknown, draws)
        then = now
        if found and found.advice:
            then = setting_of(found.options[found.advice.policy].policy)
        against = truth(here, [then], draws)[then]
        held = [*_held(found, here, true)] if found else []
        taken.append(
            Stepped(
                found.check.verdict if found else "refused",
                told(now),
                told(then),
                bool(found and found.advice and found.advice.trial),
                true[then]["mean"],
                true[then]["slot_time"],
                against["mean"],
                against["slot_time"],
                sum(held),
                len(held),
                found.undecided if found else "",
            )
        )
        now = then
    allowed = [one["mean"] for one in true.values() if one["slot_time"].value <= BUDGET]
    return min(allowed, key=lambda one: one.value), taken


def _answer(logs: Sequence[History], replications: int) -> Answer | None:
    try:
        question = Replay(fit(logs[-1], earlier=logs[:-1]))
        return answer(
            question, system_of(logs[-1]), replications=replications, sweep=False, remedies=False, threads=1
        )
    except BadInput:
        return None


def _held(found: Answer, here: World, true: Mapping[Setting, dict[str, Change]]) -> Iterator[bool]:
    """Say of each promised change against this log's setting whether it holds the truth."""
    for option in found.options.values():
        setting = setting_of(option.policy)
        if setting == here.setting or found.check.verdict == "poor":
            continue
        for figure in ("mean", "slot_time"):
            now, then = true[here.setting][figure], true[setting][figure]
            truly = (1 + then.value) / (1 + now.value) - 1
            error = SURE * (then.error + now.error)
            change = option.change[figure]
            yield change.low - error <= truly <= change.high + error


def world_of(seed: int, number: int) -> World:
    """Return a world without copies, of any cause: every third of one that no seed draws for the table."""
    if number % 3 == 2:
        names = [name for name in OTHERS if name != "lost"]
        random = stream(seed, number, "steps")
        cause = names[int(random.integers(len(names)))]
        law = str(random.choice(list(LAWS)))
        return build(law, (cause,), random, number=number, seed=seed, size="small", setting=None)
    return replace(make(seed, number), setting=None)


def one(seed: int, number: int, **options) -> dict:
    """Judge a world."""
    world = world_of(seed, number)
    best, taken = walked(world, **options)
    return {
        "number": number,
        "law": world.law,
        "causes": list(world.causes),
        "best": asdict(best),
        "steps": [asdict(step) | {"harms": step.harms} for step in taken],
    }


def table(rows: Sequence[dict]) -> str:
    """Return captured gain and harm after each log, in Markdown."""
    could = [row for row in rows if row["best"]["value"] + SURE * row["best"]["error"] <= USEFUL]
    lines = [
        "| logs | gain captured | worlds with none of it | trials | harmful steps | promises held | poor |",
        "|---|---|---|---|---|---|---|",
    ]
    for number in range(STEPS):
        took = [min(1.0, row["steps"][number]["gain"]["value"] / row["best"]["value"]) for row in could]
        steps = [row["steps"][number] for row in rows]
        held, promises = (sum(step[name] for step in steps) for name in ("held", "promises"))
        cells = (
            f"{number + 1}",
            f"{100 * sum(took) / max(1, len(took)):.0f} %",
            f"{sum(share < 0.05 for share in took)} of {len(could)}",
            f"{sum(step['trial'] for step in steps)}",
            f"{sum(step['harms'] for step in steps)} of {len(steps)}",
            f"{held:,} of {promises:,} ({100 * held / max(1, promises):.1f} %)",
            f"{sum(step['verdict'] in ('poor', 'refused') for step in steps)}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def told_of(row: dict) -> str:
    """Return a world in a line."""
    ways = [
        f"{one['verdict']} {'try ' * one['trial']}{one['advised']} {100 * one['gain']['value']:+.1f} % "
        f"{one['held']}/{one['promises']}{' HARMS' * one['harms']}"
        for one in row["steps"]
    ]
    causes = "+".join(row["causes"]) or "luck"
    best = f"best {100 * row['best']['value']:+.1f} %"
    return f"{row['number']} {row['law']} {causes}: {' > '.join(ways)}; {best}"


PAGE = """# What advice gains, log after log

Written by `python -m tests.zoo.steps --record`; version {version}. {worlds} worlds, seed {seed}, of which
every third has a cause that no seed of `zoo.md` draws. The first log is recorded without copies. What-if
answers it with {replications} replications; what it advises, or says to try for an hour, is set, and the next
log is of the same jobs with fresh luck. From the second log on, What-if learns from all logs so far.

- *Gain captured*: the true change of the mean job time under what is set, over that of the best setting
  within the budget of 5 % more slot-time; the mean over the {could} worlds where that is 3 % or more. Both
  against the first log's setting.
- *Harmful* steps make jobs longer than before the step or than at first, or slot-time more than 5 % more than
  at first, beyond two standard errors of the truth ({draws} plays). Trials count.
- *Promises* are those of mean job time and slot-time under every other setting, against that of the last log.

{table}

{harms}
"""


def page(rows: Sequence[dict], seed: str, replications: int, draws: int) -> str:
    """Return the page in `docs/`."""
    listed = [f"- {told_of(row)}" for row in rows if any(one["harms"] for one in row["steps"])]
    could = [row for row in rows if row["best"]["value"] + SURE * row["best"]["error"] <= USEFUL]
    asked = {"version": __version__, "worlds": len(rows), "seed": seed, "could": len(could)}
    harms = "\n".join(["Worlds with a harmful step:", "", *listed]) if listed else ""
    return (
        PAGE.format(**asked, replications=replications, draws=draws, table=table(rows), harms=harms).rstrip()
        + "\n"
    )


def main() -> None:
    """Judge worlds on two processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo.steps", description=__doc__)
    parser.add_argument("--worlds", type=int, default=48)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--replications", type=int, default=60)
    parser.add_argument("--draws", type=int, default=24)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    judge = partial(one, chosen.seed, replications=chosen.replications, draws=chosen.draws)
    rows = []
    with ProcessPoolExecutor(2) as pool:
        for row in pool.map(judge, range(chosen.worlds)):
            rows.append(row)
            print(told_of(row), flush=True)
    print(table(rows))
    if chosen.json:
        chosen.json.write_text(json.dumps(rows))
    if chosen.record:
        RECORD.write_text(page(rows, str(chosen.seed), chosen.replications, chosen.draws))


if __name__ == "__main__":
    main()
