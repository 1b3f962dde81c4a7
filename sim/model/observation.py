"""What a rule may see of a running copy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.model.fields import BadInput
from theory.shown import quoted


@dataclass(frozen=True, slots=True)
class Observation:
    """When the remaining time of a running copy becomes known to the rules.

    `kind` is 'age' (at age `at` x mean duration of its job), 'fraction' (when that share of its
    work is done) or 'never' (a rule knows elapsed times only).
    """

    kind: str
    at: float

    ACCEPTED = "age:a with a >= 0, fraction:s with 0 <= s < 1, or never"

    @classmethod
    def read(cls, text: str) -> Observation:
        """Parse ``age:0.5``, ``fraction:0.2`` or ``never``.

        Examples
        --------
        >>> Observation.read("fraction:0.20").text
        'fraction:0.2'
        """
        kind, _, number = str(text).strip().partition(":")
        if kind == "never" and not number:
            return cls("never", math.inf)
        try:
            at = float(number)
        except ValueError:
            at = math.nan
        if (kind == "age" and 0 <= at < math.inf) or (kind == "fraction" and 0 <= at < 1):
            return cls(kind, at + 0.0)
        raise BadInput(f"observe: {quoted(text)} is not accepted; give {cls.ACCEPTED}")

    @classmethod
    def canonical(cls, text: str) -> str:
        """Return the canonical spelling of a text, or refuse it."""
        return cls.read(text).text

    @property
    def text(self) -> str:
        """The canonical spelling."""
        return "never" if self.kind == "never" else f"{self.kind}:{self.at!r}"
