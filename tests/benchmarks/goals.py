"""Output of the engines' benchmarks: a row, and whether an engine has become slower.

Rates are shares of the yardstick of `tests.benchmarks.engine`, since machines differ. Beside what is measured
stand the rate that was measured last and the one that is to be reached.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

#: Share of the last rate from which a row has become slower: rates differ by a tenth on a quiet machine.
TOLERANCE = 0.8


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate as a share of the yardstick: as measured now, as measured last, and as it is to be.

    Examples
    --------
    >>> Rate("srpt+none", 0.1, 0.12, 0.2).line
    'srpt+none: 0.1000 of the yardstick; last 0.1200, goal 0.2000 (0.50 of it)'
    >>> slower([Rate("srpt+none", 0.09, 0.12, 0.2)], tolerance=0.8)
    ['srpt+none: 0.0900 of the yardstick is 0.75 of 0.1200, below 0.8']
    """

    what: str
    now: float
    last: float | None = None
    goal: float | None = None

    @property
    def line(self) -> str:
        """What is printed of it."""
        before = f"; last {self.last:.4f}" if self.last else ""
        aim = f", goal {self.goal:.4f} ({self.now / self.goal:.2f} of it)" if self.goal else ""
        return f"{self.what}: {self.now:.4f} of the yardstick{before}{aim}"


def slower(rates: list[Rate], tolerance: float) -> list[str]:
    """Return a line for each rate below this share of the last one."""
    return [
        f"{rate.what}: {rate.now:.4f} of the yardstick is {rate.now / rate.last:.2f} of {rate.last:.4f}, "
        f"below {tolerance:g}"
        for rate in rates
        if rate.last and rate.now < tolerance * rate.last
    ]


def tolerated(arguments: list[str] | None) -> float:
    """Read the line with which a benchmark was started."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERANCE,
        help="end with 1 if a rate falls below this share of the last one (%(default)s; 0: never)",
    )
    share: float = parser.parse_args(arguments).tolerance
    return share


def conclude(rates: list[Rate], share: float) -> int:
    """Print which rates have fallen; return the exit status."""
    fallen = slower(rates, share)
    for line in fallen:
        print(line)
    return 1 if fallen else 0
