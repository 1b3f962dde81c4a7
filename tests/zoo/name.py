"""``python -m tests.zoo.name``: prints which remedy is named for worlds of known cause.

``--json FILE`` keeps what was found; ``--read FILE ...`` takes that in place of new runs; ``--record`` writes
`docs/explanation/remedies.md`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sim import __version__
from tests.zoo.causes import LAWS, build
from tests.zoo.named import NEAR, Named, name_remedy
from tests.zoo.worlds import RECORDED, SIZES, World, stream

RECORD = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "remedies.md"
#: Causes beside luck, in turn.
KINDS: dict[str, tuple[str, ...]] = {
    "luck alone": (),
    "slow hosts": ("slow_hosts",),
    "one partition 5x": ("skew_five",),
    "lognormal sizes": ("skew_sizes",),
    "cold first waves": ("cold",),
    "hidden skew, new in each job": ("hidden_fresh",),
    "slow hosts and one partition 5x": ("slow_hosts", "skew_five"),
    "short noisy stages beside long skewed ones": ("short_noise",),
    "slow executors": ("slow_executors",),
    "garbage collector": ("gc",),
    "slower off home": ("locality",),
    "slots idle while tasks wait for their home": ("idle",),
    "hidden skew, the same at each recurrence": ("hidden_recurring",),
    "stages of 2 to 9 tasks": ("small_stages",),
    "cold first waves and one partition 5x": ("cold", "skew_five"),
    "slow hosts and hidden skew": ("slow_hosts", "hidden_fresh"),
    "short noisy stages and slow hosts": ("short_noise", "slow_hosts"),
}


def make(seed: int, number: int) -> World:
    """Return a world: its causes in turn, all else drawn."""
    causes = list(KINDS.values())[number % len(KINDS)]
    random = stream(seed, number, "named")
    law = str(random.choice(list(LAWS)))
    setting = RECORDED[int(random.integers(len(RECORDED)))]
    return build(law, causes, random, number=number, seed=seed, size="small", setting=setting)


def table(named: Sequence[Named]) -> str:
    """Return the table by cause, in Markdown."""
    lines = [
        "| beside luck | worlds | poor or refused | something truly helps | named: gains most | "
        "named: mends its cause, another gains more | named: another is better | "
        "named: harmful | none named | promises held |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for title, causes in KINDS.items():
        lines.append(_row(title, [one for one in named if one.causes == causes]))
    return "\n".join([*lines, _row("**all**", named)])


def _row(title: str, named: Sequence[Named]) -> str:
    promises = [promise for one in named for promise in one.promises]
    held = sum(promise.covers for promise in promises)
    advised = [one for one in named if one.first]
    cells = (
        title,
        len(named),
        sum(one.verdict in ("poor", "refused") for one in named),
        sum(bool(one.best) for one in named),
        sum(one.right for one in advised),
        sum(one.mends and not one.right for one in advised),
        sum(not (one.right or one.mends or one.harms) for one in advised),
        sum(one.harms for one in advised),
        len(named) - len(advised),
        f"{held} of {len(promises)} ({100 * held / len(promises):.0f} %)" if promises else "none",
    )
    return f"| {' | '.join(map(str, cells))} |"


#: A gain of copies that is next to nothing.
LITTLE = 0.01
#: Replications of an answer unless others are asked for, and what is said of fewer.
USUAL = 100
_FEWER = ": fewer than usual, so that intervals are wider and less is named"
PAGE = """# Which remedy is named, and whether it is right

Written by `python -m tests.zoo.name --record`; version {version}. {worlds} worlds of `tests/zoo`, seed
{seed}: 3 to 8 hosts and {jobs} jobs, luck of a law that is drawn ({laws}),
histories recorded with and without copies. A simulator that shares no code with the model plays each world
as it is, and once more with its cause mended in its own terms: hosts left out or replaced, large tasks cut,
slots never cold; the truth is the mean change over {draws} plays on fresh luck. What-if reads the log with
{replications} replications{fewer}.
{worlds} worlds are few: a share of 50 % is known to ± {points} points.

- *Something truly helps* where a remedy within the budget of slot-time makes the mean job time at least 3 %
  shorter: copies under the best setting, the hosts that the lab would take, a cut at twice the median, slots
  kept warm.
- *Gains most* is a remedy that does so, and than which no other gains more by {near} points. *Mends its
  cause* is one that does so too, and mends what the world was made with: copies would gain more in truth, and
  the log leaves that open, or the world has two causes.
- *Harmful* is one that makes jobs longer, or costs more slot-time than the budget, beyond two standard
  errors.
- *Promises* are the 95 % intervals of the change of mean and slot-time under every way of every remedy but
  copies, whose promises are [those of settings](zoo.md). They hold the truth where it lies inside, up to two
  standard errors of the truth.

{table}

Of {first} worlds in which a remedy is named it is right in {right} ({share} %): in {most} it is the one that
truly gains most, or nearly, in {mends} more it mends its cause. In {missed} others something truly helps and
none is named: the interval leaves it open{trials}.
{little}

{listed}
"""


def page(named: Sequence[Named], seed: int, replications: int, draws: int) -> str:
    """Return the page in `docs/`."""
    advised = [one for one in named if one.first]
    missed = [one for one in named if one.best and not one.first and one.verdict not in ("poor", "refused")]
    trials = sum(one.trial for one in missed)
    right = [one for one in advised if one.right or one.mends]
    wrong = [
        f"- World {one.number}: {one.law} luck, {_kind(one)}, recorded "
        f"{'without copies' if one.recorded == 'off' else one.recorded}. Named: {one.first}, truly "
        f"{_percent(one.first_gain.value if one.first_gain else 0)}, slot-time "
        f"{_percent(one.first_cost.value if one.first_cost else 0)}; best: {one.best or 'none'}"
        f"{f', {_percent(one.gains[one.best][0])}' if one.best else ''}."
        for one in advised
        if one not in right
    ]
    return (
        PAGE.format(
            version=__version__,
            worlds=len(named),
            seed=seed,
            jobs=SIZES["small"],
            laws=", ".join(LAWS),
            draws=draws,
            replications=replications,
            points=round(98 / len(named) ** 0.5),
            near=f"{100 * NEAR:.0f}",
            table=table(named),
            fewer=_FEWER if replications < USUAL else "",
            first=len(advised),
            right=len(right),
            share=round(100 * len(right) / max(1, len(advised))),
            most=sum(one.right for one in advised),
            mends=len(right) - sum(one.right for one in advised),
            missed=len(missed),
            little=_little(named),
            trials=f"; in {trials} of them copies are advised for a trial" if trials else "",
            listed="\n".join(["Named where another is better, or nothing helps:", "", *wrong])
            if wrong
            else "",
        ).rstrip()
        + "\n"
    )


def _little(named: Sequence[Named]) -> str:
    """Say how often copies are advised, or to be tried, where they gain next to nothing."""
    told = []
    for called, ones in (
        ("advised", [one for one in named if one.first == "copy"]),
        ("to be tried", [one for one in named if one.trial and not one.first]),
    ):
        little = sum(one.gains.get("copy", (0.0, 0.0))[0] > -LITTLE for one in ones)
        told.append(f"{called} in {len(ones)} worlds, in {little} of which they truly gain less")
    return (
        f"Less than {100 * LITTLE:.0f} % within the budget is next to nothing: copies are {'; '.join(told)}."
    )


def _kind(one: Named) -> str:
    return next(title for title, causes in KINDS.items() if causes == one.causes)


def _percent(share: float) -> str:
    return f"{100 * share:+.1f} %"


def main() -> None:
    """Name remedies for worlds, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo.name", description=__doc__)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--replications", type=int, default=60)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--read", type=Path, nargs="+", default=[])
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    named = [Named.of(row) for path in chosen.read for row in json.loads(path.read_text())]
    if not named:
        for number in range(chosen.first, chosen.first + chosen.worlds):
            named.append(
                name_remedy(make(chosen.seed, number), replications=chosen.replications, draws=chosen.draws)
            )
            print(_line(named[-1]), flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps([one.as_json() for one in named]))
    print(table(named))
    if chosen.record:
        RECORD.write_text(page(named, chosen.seed, chosen.replications, chosen.draws))


def _line(one: Named) -> str:
    told = {key: f"{100 * gain:+.1f}±{100 * error:.1f}" for key, (gain, error) in one.gains.items()}
    held = sum(promise.covers for promise in one.promises)
    missed = [
        f"{promise.way} {promise.figure} {100 * promise.low:.1f}..{100 * promise.high:.1f} true "
        f"{100 * promise.true:.1f}±{100 * promise.error:.1f}"
        for promise in one.promises
        if not promise.covers
    ]
    mark = " (trial of copies)" * one.trial + " RIGHT" * one.right + " HARMS" * one.harms
    return (
        f"{one.number} {one.law} {'+'.join(one.causes) or 'luck'} recorded {one.recorded}: {one.verdict}, "
        f"named {one.first or 'none'}{mark}, best {one.best or 'none'}, true {told}, "
        f"{held}/{len(one.promises)} held {missed or ''}"
    )


if __name__ == "__main__":
    main()
