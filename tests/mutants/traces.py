"""Bugs in how a log is read and diagnosed, and in what the Diagnose page says of it."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

HEAVY = "tests/sim/traces/test_heaviness.py"
TAIL = "tests/sim/traces/test_tail.py"
SPARK = "tests/sim/traces/test_spark.py"
PAGE = "tests/pages/test_diagnose_numbers.py"
FOLDER = "tests/sim/traces/test_folder.py"
DIAGNOSIS = "sim/traces/diagnosis"

MUTANTS = (
    Mutant(
        "nothing-is-killed-in-simulated-histories",
        f"{DIAGNOSIS}/heaviness.py",
        "if bounds.size:",
        "if bounds.size > 10**9:",
        HEAVY,
    ),
    Mutant(
        "bounds-are-whole-durations",
        f"{DIAGNOSIS}/heaviness.py",
        "np.sum(log, axis=-1, where=complete)",
        "np.sum(log, axis=-1)",
        HEAVY,
    ),
    Mutant("x-min-may-be-the-median", f"{DIAGNOSIS}/tail.py", "LEAST = 1.2", "LEAST = 1.0", TAIL),
    Mutant(
        "killed-copies-end-when-they-are-killed",
        f"{DIAGNOSIS}/tail.py",
        "deaths = np.where(complete, weight, 0.0)",
        "deaths = weight.copy()",
        TAIL,
    ),
    Mutant(
        "killed-copies-are-complete",
        "sim/traces/records.py",
        "self.complete[row] = fate == FINISHED if complete is None else complete",
        "self.complete[row] = True if complete is None else complete",
        SPARK,
    ),
    Mutant(
        "parts-of-a-folder-may-lead-out-of-it",
        "sim/traces/folder.py",
        "within = all(part.resolve(strict=True).is_relative_to(root) for part in parts)",
        "within = True",
        FOLDER,
    ),
    Mutant(
        "the-card-counts-copies-as-won",
        "pages/diagnose/words/cards.py",
        'f"{one.won:,} won;',
        'f"{one.copies:,} won;',
        PAGE,
    ),
    Mutant(
        "lost-time-is-a-share-of-what-is-left",
        "pages/diagnose/words/tables.py",
        '100 * table["lost"] / table["recorded"]',
        '100 * table["lost"] / table["without"]',
        PAGE,
    ),
    Mutant(
        "bars-begin-at-the-first-end",
        "pages/diagnose/charts/gantt.py",
        'first = float(shown["launch"].min())',
        'first = float(shown["end"].min())',
        PAGE,
    ),
)
