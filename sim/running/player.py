"""Who plays the pieces of an answer: this process, or one at which the visitors of a server take turns.

An answer is worked out in order by one function of `sim`, which hands each part that takes long to a player.
So the same function answers in a shell and on a page, and the pieces make what the whole makes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

Made = TypeVar("Made")

#: Tasks that a piece plays, about, where others wait for it: a second on a slow machine.
TASKS = 300_000


class Player:
    """Plays pieces here, one after the other, each as large as it comes.

    Parameters
    ----------
    threads : int, optional
        Replications played at a time; as many as there are cores if it is not given.
    progress : callable, optional
        Told how many tasks more have been played.
    """

    #: Tasks that a piece has at most, where it can be divided.
    tasks: float = math.inf

    def __init__(
        self, threads: int | None = None, progress: Callable[[int], object] = lambda tasks: None
    ) -> None:
        self._options: dict[str, Any] = {"progress": progress}
        if threads is not None:
            self._options["threads"] = threads

    def begin(self, doing: str, tasks: float = 0.0, share: float = 0.0) -> None:
        """Note what the next pieces do, in words.

        Parameters
        ----------
        doing : str
        tasks : float, optional
            That they play, about.
        share : float, optional
            Which part of all is done before them.
        """

    def __call__(
        self, function: Callable[..., Any], *arguments: Any, tasks: float = 0.0, key: Hashable = None
    ) -> Any:
        """Return what a function answers.

        Parameters
        ----------
        function : callable
            Of a module, since another process may call it; it takes `threads` and `progress` as
            `sim.advice.whatif.runs.replicate` does.
        *arguments
        tasks : float, optional
            That it plays, or could be played in the time that it takes.
        key : hashable, optional
            What tells it from every other piece; its place among those that are made into one (`made`), if it
            is not given.
        """
        return function(*arguments, **self._options)

    def made(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is made of pieces; a player that keeps such things keeps it by the key."""
        return make()

    def parts(self, first: int, last: int, tasks: int) -> Iterator[range]:
        """Divide replications of so many tasks each into pieces.

        Examples
        --------
        >>> player = Player()
        >>> list(player.parts(0, 100, 40_000))
        [range(0, 100)]
        >>> player.tasks = TASKS
        >>> list(player.parts(90, 100, 40_000))
        [range(90, 97), range(97, 100)]
        """
        size = max(1, int(min(self.tasks / max(tasks, 1), last - first)))
        return (range(begin, min(begin + size, last)) for begin in range(first, last, size))


#: Plays pieces here.
HERE = Player()
