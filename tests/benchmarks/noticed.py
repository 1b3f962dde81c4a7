"""How often the check of a model notices that it is wrong: ``python -m tests.benchmarks.noticed``.

Histories of `tests.zoo`, whose truth is known, are checked as `sim.whatif` checks them. Each way has one
cause beside luck; some of them the model knows, so that a grade below good is a false alarm, and some it does
not. With ``--record`` the outcome is written to `docs/explanation/noticed.md`, from where it was stopped on;
about five seconds of one core for each history.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import sim
from sim.advice.whatif.check import GOOD, check
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay, replicate
from sim.advice.whatif.systems import today
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.model.fields import BadInput
from tests.zoo.causes import CAUSES, LAWS, build
from tests.zoo.eventlog import event_log
from tests.zoo.simulator import play
from tests.zoo.worlds import RECORDED, World, stream

PLACE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "noticed.md"
SEED, HISTORIES, REPLICATIONS = 20_261, 30, 100
#: Sizes in turn, and how often each law is drawn where a cause is what is looked at, as in the zoo.
SIZES, OFTEN = ("small", "small", "medium"), (0.15, 0.3, 0.3, 0.15, 0.1)
#: What the model knows: these histories are right ones.
KNOWN = (
    "",
    "slow_hosts",
    "slow_executors",
    "skew_five",
    "skew_sizes",
    "skew_records",
    "cold",
    "closed_loop",
    "hidden_recurring",
    "small_stages",
    "short_noise",
    "no_bytes",
)
#: What it plays as luck, which a copy draws anew: the residual is said, and is no reason against the model.
LIKE_LUCK = ("locality", "gc")
#: What shows only where copies were made.
COPIED = ("shared_luck",)
#: Reasons named in a row of the table.
_NAMED = 4
HEAD = ("beside luck", "the model knows it", "histories", "fair", "poor", "what was not good, and how often")
ABOUT = """# What the check of a model notices

A history is played again under the setting it was recorded with before anything is promised
(`sim/advice/whatif/check.py`), and luck is held against what it should not depend on
(`sim/advice/whatif/check.py`). This table says how often that ends below *good*: where the model knows
all there is, a false alarm; where it does not, a cause that was noticed; *as luck*: what a copy draws anew,
which is said and no reason against the model. Where the check is fair intervals are wider, where it is poor
nothing is promised. What changes durations by 5 % at most ends fair at worst.

Histories are generated (`tests/zoo`): 30 jobs each in two of three, 120 in the third, recorded with and
without copies in equal numbers ({copied}: with copies only, since it shows nowhere else), each checked with
{replications} replications. A history has one cause beside luck; the law of luck is drawn. Thirty histories
measure a share of 10 % to ± 11 points and one of 50 % to ± 18. Version {version}; written by
`python -m tests.benchmarks.noticed --record`, which goes on where it was stopped.

"""


@dataclass(frozen=True)
class Seen:
    """A history checked: its verdict (refused: there is no model), and what was not good."""

    verdict: str
    reasons: tuple[str, ...]


def world_of(cause: str, number: int) -> World:
    """Return a world with a cause beside luck, or with luck alone."""
    random = stream(SEED, number, f"noticed {cause}")
    names = list(LAWS)
    law = str(random.choice(names, p=OFTEN)) if cause else names[number % len(names)]
    setting = RECORDED[2 + number % 2 if cause in COPIED else number % len(RECORDED)]
    return build(
        law,
        (cause,) * bool(cause),
        random,
        number=number,
        seed=SEED,
        size=SIZES[number % len(SIZES)],
        setting=setting,
    )


def look(world: World) -> Seen:
    """Check the model of the history of a world."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "zoo"
        path.write_text(event_log(world, play(world, world.setting, 0)))
        history = read_history(path)
    try:
        question = Replay(fit(history), doubted=False)
    except BadInput:
        return Seen("refused", ())
    (plays,) = replicate(question, [read_policy(today(history))], range(REPLICATIONS), threads=1)
    found = check(question, plays)
    return Seen(found.verdict, tuple(item.name for item in found.items if item.grade != GOOD))


def row(cause: str, seen: Sequence[Seen]) -> str:
    """Return a row of the table; shares are of the histories that have a model."""
    there = [one for one in seen if one.verdict != "refused"]
    often = Counter(reason for one in there for reason in one.reasons).most_common(_NAMED)
    refused = f" ({len(seen) - len(there)} refused)" if len(there) < len(seen) else ""

    def share(verdict: str) -> str:
        count = sum(one.verdict == verdict for one in there)
        return f"{count} ({100 * count / max(len(there), 1):.0f} %)"

    cells = (
        CAUSES[cause].title if cause else "nothing",
        "as luck" if cause in LIKE_LUCK else "yes" if cause in KNOWN else "no",
        f"{len(there)}{refused}",
        share("fair"),
        share("poor"),
        "; ".join(f"{reason} {count}" for reason, count in often) or "–",
    )
    return f"| {' | '.join(cells)} |"


def ways() -> list[str]:
    """Return the causes: those that the model does not know first, then luck alone, then the others."""
    return sorted(("", *CAUSES), key=lambda cause: (cause in KNOWN, cause != "" and cause in KNOWN, cause))


def write(rows: Iterable[str]) -> None:
    """Write the document, right models last."""
    head = ABOUT.format(
        copied=", ".join(CAUSES[cause].title for cause in COPIED),
        replications=REPLICATIONS,
        version=sim.__version__,
    )
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD), *rows]
    PLACE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def recorded() -> list[str]:
    """Return the rows that are recorded."""
    if not PLACE.exists():
        return []
    lines = PLACE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| ")][1:]


def main() -> None:
    """Check histories way by way."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.noticed", description=__doc__)
    parser.add_argument("--histories", type=int, default=HISTORIES, help="of each way (luck alone: twice)")
    parser.add_argument("--record", action="store_true", help="write docs/explanation/noticed.md")
    chosen = parser.parse_args()
    known = recorded() if chosen.record else []
    for cause in ways():
        title = CAUSES[cause].title if cause else "nothing"
        if any(line.startswith(f"| {title} |") for line in known):
            continue
        count = chosen.histories * (1 if cause else 2)
        line = row(cause, [look(world_of(cause, number)) for number in range(count)])
        print(line, flush=True)
        if chosen.record:
            known.append(line)
            write(known)


if __name__ == "__main__":
    main()
