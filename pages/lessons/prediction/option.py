"""Options to choose from or to put in order, and counts of answers."""

from __future__ import annotations

from dataclasses import dataclass

from sim.model.fields import BadInput
from theory.quoting import quoted

#: Options, or items to be put in order, at most: what a phone shows at once.
MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose, or to be put in order.

    Parameters
    ----------
    key : str
        Its name in an answer; letters, digits and hyphens.
    label : str
        What is shown.
    """

    key: str
    label: str

    def __post_init__(self) -> None:
        if not self.key.replace("-", "").isalnum():
            raise BadInput(f"key: {quoted(self.key)} is not accepted; give letters, digits and hyphens")


@dataclass(frozen=True, slots=True)
class Count:
    """How many gave one answer, or one of a few answers that are shown as one.

    Parameters
    ----------
    key : str
        The same for the same prediction, however many have answered.
    label : str
        What is shown.
    votes : int
    """

    key: str
    label: str
    votes: int


def check_options(options: tuple[Option, ...]) -> None:
    """Raise `BadInput` if these are too few, too many, or not told apart."""
    if not 2 <= len({option.key for option in options}) == len(options) <= MOST_OPTIONS:
        accepted = f"from 2 to {MOST_OPTIONS} options with keys of their own"
        raise BadInput(f"options: {quoted(keys(options))} is not accepted; give {accepted}")


def keys(options: tuple[Option, ...]) -> str:
    """Return the keys of options, as an error names them."""
    return ", ".join(option.key for option in options)


def labels(options: tuple[Option, ...]) -> dict[str, str]:
    """Return key -> label of options."""
    return {option.key: option.label for option in options}
