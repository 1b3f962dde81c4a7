"""``python -m tests.zoo``: judges promises and advice on generated worlds, and prints the table.

``--json FILE`` keeps what was found; ``--read FILE ...`` takes that in place of new runs, so that a large run
can be made in parts, and takes advice from the promises anew, by the rule of today; ``--record`` writes
`docs/explanation/zoo.md`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from sim import __version__
from tests.zoo.causes import CAUSES, LAWS, OTHERS, build
from tests.zoo.judge import Judgement, judge, judge_world
from tests.zoo.worlds import SIZES, stream

#: Kinds that no seed draws among the others, of which so many worlds are judged besides as are asked for.
KINDS = ("pipeline_luck", "pipeline_skew", "skew_written")
TITLES = {name: cause.title for name, cause in (CAUSES | OTHERS).items()}
RECORD = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "zoo.md"


def table(judged: Sequence[Judgement]) -> str:
    """Return the table by cause, in Markdown."""
    lines = [
        "| cause | worlds | poor or refused | promises held | harmful advice | useful advice |",
        "|---|---|---|---|---|---|",
    ]
    for name, title in ({"": "luck alone"} | TITLES).items():
        chosen = [one for one in judged if name in one.causes or not (name or one.causes)]
        if chosen or name in CAUSES:
            lines.append(_row(title, chosen))
    return "\n".join([*lines, _row("**all**", judged)])


def _row(name: str, judged: Sequence[Judgement]) -> str:
    promising = [one for one in judged if one.verdict not in ("poor", "refused")]
    promises = [promise for one in promising for promise in one.promises]
    could = [one for one in judged if one.could_help]
    cells = (
        name,
        f"{len(judged)}",
        f"{len(judged) - len(promising)}",
        _share(sum(promise.covers for promise in promises), len(promises)),
        f"{sum(one.harms for one in judged)}",
        f"{sum(one.helps for one in could)} of {len(could)}",
    )
    return f"| {' | '.join(cells)} |"


def _share(some: int, every: int) -> str:
    return f"{some:,} of {every:,} ({100 * some / every:.1f} %)" if every else "none"


PAGE = """# What is promised, where the model does not hold

Written by `python -m tests.zoo --record`; version {version}. {worlds} worlds of `tests/zoo`, seed {seed}: a
cluster of 3 to 8 hosts and {sizes} jobs, with a law of luck ({laws})
and none, one or two causes of slow tasks; a few worlds are of kinds that no seed draws. A simulator that
shares no code with the model plays each world, writes its history as an event log of Spark (half of those of
the seed without copies, a quarter each under 3 / 0.9 and 1.5 / 0.75), and says what each setting truly
changes: the mean of {draws} plays on fresh luck. What-if reads the log with {replications} replications.

- *Promises* are the 95 % intervals of the change of mean, p95 and slot-time under every other setting. They
  hold the truth where it lies inside, up to two standard errors of the truth. A poor model promises nothing.
- *Harmful* advice makes the mean job time longer, or costs more slot-time than the budget of 5 %, beyond two
  standard errors.
- *Useful* advice makes it at least 3 % shorter; counted are worlds where a setting within the budget does.

{table}

The rule by which advice is taken from promises (`sim.advice.whatif.setting_effect.chosen`) was chosen when
the worlds of seeds 1, 3 (the first 73), 5 to 9 and 10 (the first 36) were known, and that of trials on these
36 and on 144 worlds of `tests.zoo.steps`; `--seed` makes others.

Luck alone: useful advice in {useful}. Harmful advice in {harmful} of all worlds. {trials} of all advice are
trials of an hour; they count here.

{harms}
"""


def _causes(one: Judgement) -> str:
    return " and ".join(TITLES[name] for name in one.causes) or "luck alone"


def page(judged: Sequence[Judgement], seed: str, replications: int, draws: int) -> str:
    """Return the page in `docs/`."""
    alone = [one for one in judged if one.could_help and not one.causes]
    harms = [one for one in judged if one.harms]
    listed = [
        f"- World {one.number}: {one.law} luck, {_causes(one)}, recorded "
        f"{'without copies' if one.recorded == 'off' else one.recorded}. Advice "
        f"{'to try ' * one.trial}{one.advice}: mean {100 * one.gain.value:+.1f} %, "
        f"slot-time {100 * one.cost.value:+.1f} %{', no worse than was said' * one.said}."
        for one in harms
    ]
    return (
        PAGE.format(
            version=__version__,
            worlds=len(judged),
            seed=seed,
            sizes=" or ".join(map(str, SIZES.values())),
            laws=", ".join(LAWS),
            draws=draws,
            replications=replications,
            table=table(judged),
            useful=_share(sum(one.helps for one in alone), len(alone)),
            harmful=_share(len(harms), len(judged)),
            trials=sum(one.trial for one in judged),
            harms="\n".join(["Harmful advice was:", "", *listed]) if listed else "",
        ).rstrip()
        + "\n"
    )


def main() -> None:
    """Judge worlds on two processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("--worlds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--kinds", type=int, default=0, help=f"worlds of each of {', '.join(KINDS)}")
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--read", type=Path, nargs="+", default=[])
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    rows = [row for path in chosen.read for row in json.loads(path.read_text())]
    judged = [Judgement.of(row).advised_again() for row in rows]
    judged = judged or [*_judged(chosen), *_kinds(chosen)]
    print(table(judged))
    if chosen.json:
        chosen.json.write_text(json.dumps([found.as_json() for found in judged]))
    if chosen.record:
        RECORD.write_text(
            page(judged, " and ".join(map(str, chosen.seed)), chosen.replications, chosen.draws)
        )


def _judged(chosen: argparse.Namespace) -> list[Judgement]:
    worlds = [(seed, chosen.first + number) for seed in chosen.seed for number in range(chosen.worlds)]
    return _told(partial(judge, replications=chosen.replications, draws=chosen.draws), worlds)


def _kinds(chosen: argparse.Namespace) -> list[Judgement]:
    """Judge worlds of the kinds that no seed draws."""
    worlds = [
        (seed, number, name) for seed in chosen.seed for name in KINDS for number in range(chosen.kinds)
    ]
    return _told(partial(judge_kind, replications=chosen.replications, draws=chosen.draws), worlds)


def judge_kind(seed: int, number: int, name: str, **options: int) -> Judgement:
    """Judge a small world with one cause; pipelines have their own law of luck."""
    random = stream(seed, number, name)
    law = "light" if name.startswith("pipeline") else str(random.choice(list(LAWS)))
    who = {"number": number, "seed": seed, "size": "small", "setting": None}
    return judge_world(build(law, (name,), random, **who), **options)


def _told(one: Callable[..., Judgement], worlds: Sequence[tuple[object, ...]]) -> list[Judgement]:
    """Judge worlds on two processes, and print a line about each."""
    judged: list[Judgement] = []
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(one, *zip(*worlds, strict=True)) if worlds else ():
            judged.append(found)
            kept = sum(promise.covers for promise in found.promises)
            print(
                f"{found.number} {found.size} {found.law} {'+'.join(found.causes) or 'luck'} "
                f"recorded {found.recorded}: {found.verdict}, {kept}/{len(found.promises)} covered, "
                f"advice {'try ' * found.trial}{found.advice or 'none'}{' HARMS' if found.harms else ''} "
                f"gain {100 * found.gain.value:+.1f} cost {100 * found.cost.value:+.1f} best "
                f"{100 * found.best.value:+.1f} {found.seconds:.0f} s",
                flush=True,
            )
    return judged


if __name__ == "__main__":
    main()
