"""``python -m tests.zoo``: judge what is promised and advised on generated worlds, and print the table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.zoo.judge import Judgement, judge


def table(judged: Sequence[Judgement]) -> str:
    """Return the table by cause, in Markdown.

    Covered are promised changes of mean, p95 and slot-time whose 95 % interval holds the true change; worlds
    whose check is poor, or whose history is refused, promise nothing.
    """
    lines = [
        "| cause | worlds | poor or refused | promises covered | harmful advice | useful where luck rules |",
        "|---|---|---|---|---|---|",
    ]
    names = sorted({cause for one in judged for cause in one.causes or ("luck alone",)})
    for name in names:
        chosen = [one for one in judged if name in (one.causes or ("luck alone",))]
        lines.append(_row(name, chosen))
    return "\n".join([*lines, _row("**all**", judged)])


def _row(name: str, judged: Sequence[Judgement]) -> str:
    promising = [one for one in judged if one.verdict not in ("poor", "refused")]
    promises = [promise for one in promising for promise in one.promises]
    covered = sum(promise.covers for promise in promises)
    luck = [one for one in judged if one.luck_rules]
    cells = (
        name,
        str(len(judged)),
        str(len(judged) - len(promising)),
        f"{covered} of {len(promises)} ({100 * covered / max(len(promises), 1):.0f} %)",
        str(sum(one.harms for one in judged)),
        f"{sum(one.helps for one in luck)} of {len(luck)}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Judge worlds on two processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("--worlds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replications", type=int, default=60)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    one = partial(judge, chosen.seed, replications=chosen.replications, draws=chosen.draws)
    judged: list[Judgement] = []
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(one, range(chosen.first, chosen.first + chosen.worlds)):
            judged.append(found)
            kept = sum(promise.covers for promise in found.promises)
            print(
                f"{found.number} {found.size} {found.law} {'+'.join(found.causes) or 'luck'} "
                f"recorded {found.recorded}: {found.verdict}, {kept}/{len(found.promises)} covered, "
                f"advice {found.advice or 'none'}{' HARMS' if found.harms else ''} "
                f"gain {100 * found.gain.value:+.1f} cost {100 * found.cost.value:+.1f} best "
                f"{100 * found.best.value:+.1f} {found.seconds:.0f} s",
                flush=True,
            )
    print(table(judged))
    if chosen.json:
        chosen.json.write_text(json.dumps([found.as_json() for found in judged]))


if __name__ == "__main__":
    main()
