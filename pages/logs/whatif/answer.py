"""The answer so far: the check first, then option by option, played in pieces by `SharedPlayer`."""

from __future__ import annotations

from collections.abc import Iterator

from pages.logs.whatif.question import Request
from pages.shared.app.placeholders import Placeholders
from pages.shared.live.playing import SharedPlayer
from sim.advice.whatif.check import POOR
from sim.advice.whatif.film import Film, film
from sim.advice.whatif.steps import Step, steps
from sim.engines.slots.policy import SlotPolicy
from sim.running.parallel import Player
from sim.telling.words import counted


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
    return SharedPlayer(asked.key, status, sample=asked.log.files() if asked.log.kind == "sample" else ())


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
