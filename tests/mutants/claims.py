"""Bugs in the claims of the papers and their records."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

CLAIMS = "tests/sim/papers"

MUTANTS = (
    Mutant(
        "fall-from-two-probes-instead-of-four",
        "Runs.fall",
        "def fall(self, policy: str = HOPPER,",
        'def fall(self, policy: str = "hopper:probes=2",',
        CLAIMS,
    ),
    Mutant(
        "a-claim-of-fig-5-is-judged-under-another-reading",
        "hopper.judged",
        "return as_measured(of_reading(quick, HEADLINE),",
        'return as_measured(of_reading(quick, READINGS["one extra copy of any running task"]),',
        CLAIMS,
    ),
    Mutant(
        "the-best-utilisation-for-the-worst",
        "runs.largest",
        "return max(estimates, key=lambda one: -math.inf if one.value is None else one.value)",
        "return min(estimates, key=lambda one: -math.inf if one.value is None else one.value)",
        CLAIMS,
    ),
    Mutant(
        "a-recorded-interval-is-edited",
        "sim/papers/results.json",
        '"low": 0.9347462630961703',
        '"low": 0.8947462630961703',
        CLAIMS,
    ),
    Mutant(
        "a-verdict-does-not-need-the-whole-interval",
        "Region.holds",
        "self.low <= low and high <= self.high",
        "self.low <= high and low <= self.high",
        CLAIMS,
    ),
    Mutant(
        "jobs-that-did-not-end-have-no-age",
        "RunRecord.age",
        "return np.minimum(self.finish, self.end) - self.arrival",
        "return self.finish - self.arrival",
        CLAIMS,
    ),
    Mutant(
        "a-task-takes-one-unit-whatever-it-asks-for",
        "units.slowdowns",
        "held[node] += units[j]",
        "held[node] += 1",
        "tests/sim/gang/test_units.py",
    ),
    Mutant(
        "the-load-of-the-most-loaded-nodes",
        "priced.load_of_assigned",
        "for level in range(c.capacity + 1):",
        "for level in range(c.capacity, -1, -1):",
        "tests/sim/gang/test_priced.py",
    ),
    Mutant(
        "rates-are-noted-as-other-tasks",
        "priced.worth",
        "min(expanded(blind, job.tasks), places) != started",
        "blind != rate",
        "tests/sim/gang/test_priced.py",
    ),
)
