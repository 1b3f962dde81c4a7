"""The answer so far: the check first, then option by option, played in pieces (`pages.logs.playing`)."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any

from pages.logs.playing import SharedPlayer
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import records
from pages.shared.app.uploads import digest
from pages.whatif.question import Request
from sim.code_digest import ROOT, essence
from sim.player import Player
from sim.slots.policy import SlotPolicy
from sim.telling.words import counted
from sim.whatif.check import POOR
from sim.whatif.film import Film, film
from sim.whatif.steps import Step, steps


def follow(asked: Request, status: Placeholders) -> Iterator[Step]:
    """Yield what is known: once the model is checked, whenever an option is, and when all is."""

    def known(player: Player) -> Iterator[Step]:
        return steps(asked.inquiry, asked.aim, player)

    for step in player_of(asked, status).follow(known):
        yield step
    poor = step.check.verdict == POOR
    told = (
        ":material/close: The settings are not compared." if poor else f":material/check: {rests_on(asked)}"
    )
    status.caption("line", told, width="stretch")


def player_of(asked: Request, status: Placeholders) -> SharedPlayer:
    """Return who plays what is asked; of a sample some was played before the server started."""

    def beforehand(key: Hashable) -> Any:
        data = records().read(name_of(asked, key)) if asked.log.kind == "sample" else None
        return None if data is None else pickle.loads(data)

    return SharedPlayer(asked.key, status, beforehand=beforehand)


def filmed(asked: Request, policy: SlotPolicy | None, status: Placeholders) -> Film:
    """Return what is to be seen of the worst stage, as recorded and under a setting if there is one."""
    player, tasks = player_of(asked, status), asked.inquiry.tasks
    player.begin("Looking for the worst stage", tasks)
    found: Film = player.made(("film", policy), lambda: player(film, asked.question, policy, tasks=tasks))
    return found


def rests_on(asked: Request) -> str:
    """Say what the numbers rest on."""
    count = asked.inquiry.replications
    fewer = (
        f" (not {asked.wanted:,}: this history has {asked.inquiry.tasks:,} tasks)"
        if count < asked.wanted
        else ""
    )
    return (
        f"{counted(count, 'replication')}{fewer}, and {count:,} others to choose the setting, "
        f"seed {asked.question.seed}, paired 95 % intervals."
    )


def name_of(asked: Request, key: Hashable) -> str:
    """Return how an answer is called among those that were computed beforehand: by all that it depends on."""
    made = repr((key, _made_by(), *map(digest, asked.log.files())))
    return f"whatif-{hashlib.sha256(made.encode()).hexdigest()[:20]}"


@cache
def _made_by() -> str:
    """Return what changes with the sources that read a history and play it; the records know the others."""
    files = sorted(one for name in ("traces", "whatif") for one in (ROOT / "sim" / name).rglob("*.py"))
    return hashlib.sha256("".join(essence(one.read_text("utf-8")) for one in files).encode()).hexdigest()
