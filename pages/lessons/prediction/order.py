"""A prediction that is an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pages.lessons.prediction.option import MOST_OPTIONS, Count, Option, check_options, keys, labels
from sim.model.fields import BadInput
from theory.quoting import quoted


@dataclass(frozen=True, slots=True)
class Order:
    """Some items to be put in order.

    Parameters
    ----------
    key : str
        Its name among the predictions of all lessons.
    label : str
        What is asked, with what comes first.
    items : tuple of Option
    """

    key: str
    label: str
    items: tuple[Option, ...]

    def __post_init__(self) -> None:
        check_options(self.items)

    def checked(self, answer: object) -> tuple[str, ...]:
        """Return the answer if it has each item once; raise `BadInput` naming the items.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> turns.checked(["fair", "srpt"])
        ('fair', 'srpt')
        >>> turns.checked(["fair", "fair"])
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: turns: ['fair', 'fair'] is not accepted; give each of srpt, fair once
        """
        own = {item.key: item.key for item in self.items}  # kept once, however many have sent theirs
        if isinstance(answer, (list, tuple)) and len(answer) == len(own):
            items = tuple(own[key] for key in answer if isinstance(key, str) and key in own)
            if len(set(items)) == len(own):
                return items
        raise BadInput(f"{self.key}: {quoted(answer)} is not accepted; give each of {keys(self.items)} once")

    def read(self, text: str) -> tuple[str, ...]:
        """Return the answer that a link's text means: keys with commas between them."""
        return self.checked(text.split(",", MOST_OPTIONS))

    def write(self, answer: Any) -> str:
        """Return the text of an answer in a link."""
        return ",".join(self.checked(answer))

    def shown(self, answer: Any) -> str:
        """Return an answer in words.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> turns.shown(("fair", "srpt"))
        'Fair shares → SRPT'
        """
        names = labels(self.items)
        return " → ".join(names[key] for key in self.checked(answer))

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return each given order with its number of votes, the most frequent first.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> [(count.label, count.votes) for count in turns.counts([("fair", "srpt")])]
        [('Fair shares → SRPT', 1)]
        """
        votes = Counter(map(self.checked, answers))
        ranked = sorted(votes.items(), key=lambda pair: (-pair[1], self.write(pair[0])))
        return tuple(Count(self.write(order), self.shown(order), many) for order, many in ranked)

    def places(self, answers: Iterable[Any]) -> dict[str, tuple[int, ...]]:
        """Return item -> how many put it at the first, the second, ... place.

        Examples
        --------
        >>> turns = Order("turns", "Who is fastest?", (Option("srpt", "SRPT"), Option("fair", "Fair shares")))
        >>> turns.places([("fair", "srpt"), ("srpt", "fair"), ("fair", "srpt")])
        {'srpt': (1, 2), 'fair': (2, 1)}
        """
        orders = [self.checked(answer) for answer in answers]
        return {
            item.key: tuple(
                sum(order[place] == item.key for order in orders) for place in range(len(self.items))
            )
            for item in self.items
        }

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that an answer is among."""
        return self.write(answer)
