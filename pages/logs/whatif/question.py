"""The question: the history under a fitted model, and the settings that are compared on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pages.logs.question import Log, read
from pages.shared.app.turns import Placeholders
from pages.shared.live.playing import SharedPlayer
from sim.advice.whatif.animation import Film, film
from sim.advice.whatif.check import POOR
from sim.advice.whatif.library import Reading, read_and_fit
from sim.advice.whatif.pieces import Constraints, SearchPlan
from sim.advice.whatif.price import Price
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import Step, steps
from sim.advice.whatif.systems import System, papers, system_of
from sim.engines.slots.scenario import SlotPolicy
from sim.logs.leaving_out import KEPT
from sim.running.parallel import Player
from sim.telling.words import counted


@dataclass(frozen=True, eq=False)
class Request:
    """A question, and the limits of the advice.

    Parameters
    ----------
    log : Log
    reading : Reading
        Which has a model.
    inquiry : SearchPlan
    wanted : int
        Replications that were asked for; the inquiry has fewer where they would be too many.
    aim : Constraints
        The budget of slot-time, the objective and the price.
    named : str
        The system that was chosen; empty for the one that wrote the log.
    papers : bool
        Whether rules of papers are compared, too.
    leave_out, left_out : str, optional
        What the jobs are named that are left out, and what becomes of them.
    """

    log: Log
    reading: Reading
    inquiry: SearchPlan
    wanted: int
    aim: Constraints
    named: str
    papers: bool
    leave_out: str = ""
    left_out: str = KEPT

    @property
    def question(self) -> Replay:
        """What is played."""
        return self.inquiry.question

    @property
    def system(self) -> System | None:
        """The system whose settings are compared."""
        return self.inquiry.system

    @property
    def key(self) -> tuple[object, ...]:
        """What the runs depend on."""
        one = self.question
        return (*self.log.key, self.leave_out, self.left_out, one.rate, one.slots, one.seed)


def read_and_model(log: Log, earlier: Sequence[Log], leave_out: str, left_out: str) -> Reading:
    """Read a log and fit the model, which learns from earlier ones, too; raises `BadInput`."""
    fit = partial(read_and_fit, leave_out=leave_out, left_out=left_out) if leave_out else read_and_fit
    found: Reading = read(fit, *earlier, log)
    return found


def ask(log: Log, reading: Reading, values: Mapping[str, Any]) -> Request:
    """Return what the controls ask; raises `BadInput` where that cannot be played."""
    assert reading.model is not None
    named = "" if values["system"] == "auto" else values["system"]
    system = system_of(reading.history, named)
    leave_out = values["leave_out"]
    left_out = values["left_out"] if leave_out else KEPT
    named_here = leave_out if left_out == KEPT else ""  # those that are gone are not in the model
    question = Replay(reading.model, values["rate"], values["slots"], named_here, values["seed"])
    _ = question.kept, question.cluster
    more = papers(reading.history) if values["papers"] else ()
    inquiry = SearchPlan.of(question, system, values["replications"], more)
    aim = Constraints(values["budget"] / 100, values["objective"], Price.of(values["price_kind"], values))
    return Request(
        log, reading, inquiry, values["replications"], aim, named, values["papers"], leave_out, left_out
    )


# The answer so far: the check first, then option by option, played in pieces by `SharedPlayer`.


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
