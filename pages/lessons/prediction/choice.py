"""A prediction that is one of some options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pages.lessons.prediction.option import Count, Option, check_options, keys, labels
from sim.model.fields import BadInput
from theory.quoting import quoted


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some options.

    Parameters
    ----------
    key : str
        Its name among the predictions of all lessons.
    label : str
        What is asked.
    options : tuple of Option
    """

    key: str
    label: str
    options: tuple[Option, ...]

    def __post_init__(self) -> None:
        check_options(self.options)

    def checked(self, answer: object) -> str:
        """Return the answer if it is one; raise `BadInput` naming the options.

        Examples
        --------
        >>> free = Choice("free", "Does it cost anything?", (Option("yes", "Yes"), Option("no", "No")))
        >>> free.checked("maybe")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: free: 'maybe' is not accepted; give one of yes, no
        """
        for option in self.options:
            if isinstance(answer, str) and answer == option.key:
                return option.key
        raise BadInput(f"{self.key}: {quoted(answer)} is not accepted; give one of {keys(self.options)}")

    def read(self, text: str) -> str:
        """Return the answer that a link's text means."""
        return self.checked(text)

    def write(self, answer: Any) -> str:
        """Return the text of an answer in a link."""
        return self.checked(answer)

    def shown(self, answer: Any) -> str:
        """Return an answer in words."""
        return labels(self.options)[self.checked(answer)]

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return how many gave each answer, in the order of the options.

        Examples
        --------
        >>> free = Choice("free", "Does it cost anything?", (Option("yes", "Yes"), Option("no", "No")))
        >>> [(count.label, count.votes) for count in free.counts(["no", "no"])]
        [('Yes', 0), ('No', 2)]
        """
        votes = Counter(map(self.checked, answers))
        return tuple(Count(option.key, option.label, votes[option.key]) for option in self.options)

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that an answer is among."""
        return self.checked(answer)
