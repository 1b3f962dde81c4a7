"""The sandbox as an element of a page: a small cluster that runs in the browser, and how it is set.

The server sends the setting; `pages/frame/parts/sandbox.js` runs and draws the cluster, and no move asks the
server again. The same setting as a scenario of the slot engine is what tests hold the browser's engine to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pages.animation.show import attribute, look

if TYPE_CHECKING:
    from sim.running.experiment import Experiment

SLOTS, TASKS = 16, 5
#: A copy is a straggler once it has run for so many mean durations; the largest duration, in healthy ones.
LATE, LARGEST = 2.0, 40.0
#: What tails are called -> tail index β of the straggle factors.
TAILS: Mapping[str, float] = {"mild": 4.0, "wild": 2.5, "very wild": 1.5}
#: Each choice of copies and of the order -> what the slot engine calls it.
COPIES = {"off": "none", "on": "clone:copies=2", "late": "sda:copies=2,sigma=1e-09"}
ORDERS = {"first": "fifo", "smallest": "srpt"}


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A small cluster and what may be moved in it.

    Attributes
    ----------
    load : float
        Share of the slots that is busy without copies.
    tail : str or float
        One of `TAILS`, or a tail index itself.
    copies, order : str
        Of `COPIES` and `ORDERS`.
    slots, tasks : int
        Of the cluster, and of each job, or of the mean job if these vary.
    varied : bool
        Whether jobs have 1 to 2 × `tasks` − 1 tasks, each number as often.
    shown : tuple of str
        Controls: 'copies', 'order', 'load', 'tail'.
    told : bool
        Whether the answer and its number are shown.
    seed : int
        Of all jobs and all luck.
    """

    load: float = 0.4
    tail: str | float = "wild"
    copies: str = "off"
    order: str = "first"
    slots: int = SLOTS
    tasks: int = TASKS
    varied: bool = False
    shown: tuple[str, ...] = ("copies", "load", "tail")
    told: bool = True
    seed: int = 4

    @property
    def tail_index(self) -> float:
        """Tail index β of the straggle factors."""
        return TAILS[self.tail] if isinstance(self.tail, str) else self.tail

    @property
    def setting(self) -> dict[str, Any]:
        """What the browser's engine is given."""
        return {
            "slots": self.slots,
            "tasks": self.tasks,
            "varied": self.varied,
            "load": self.load,
            "tail": self.tail_index,
            "largest": LARGEST,
            "late": LATE,
            "copies": self.copies,
            "order": self.order,
            "seed": self.seed,
        }

    @property
    def before(self) -> Sandbox:
        """The same cluster before a prediction: nothing is told, and nothing but the copies is moved."""
        return replace(self, told=False, shown=tuple(one for one in self.shown if one == "copies"))

    @property
    def experiment(self) -> Experiment:
        """The same cluster in the slot engine."""
        from sim.engines.slots.scenario import SlotScenario
        from sim.running.experiment import Experiment  # a page with a sandbox need not load the engines

        scenario = SlotScenario(
            slots=self.slots,
            load=self.load,
            tasks="uniform" if self.varied else "constant",
            tasks_min=1,
            tasks_max=2 * self.tasks - 1 if self.varied else self.tasks,
            straggle="bounded-pareto",
            straggle_tail=self.tail_index,
            straggle_max=LARGEST,
            observe=f"age:{LATE:g}",
            time_unit="min",
        )
        return Experiment.of_texts(scenario, [f"{ORDERS[self.order]}+{COPIES[self.copies]}"])

    def element(self, dark: bool, links: Mapping[str, Any] | None = None) -> str:
        """Return the HTML of the sandbox; without its script it says what would be seen.

        The address of the page says how it is set if `links` has the values that need not be said.
        """
        given = {
            "setting": self.setting,
            "tails": TAILS,
            "shown": self.shown,
            "told": self.told,
            "links": links,
        }
        return (
            f'<section class="sandbox" aria-label="Sandbox" data-sandbox="{attribute(given)}" '
            f'data-look="{attribute(look(dark))}">'
            f'<p class="sandbox-told">A cluster of {self.slots} slots runs jobs of several tasks. Now and '
            "then a task takes far longer than the others, and its job waits for it.</p></section>"
        )
