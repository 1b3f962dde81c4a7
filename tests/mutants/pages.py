"""Bugs in numbers, labels and titles on the screen."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TABLES = "tests/pages/test_table_numbers.py"
CARDS = "tests/pages/test_card_numbers.py"
CHARTS = "tests/pages/test_chart_numbers.py"
CODING = "tests/pages/test_coding_numbers.py"
DECENTRALISED = "tests/pages/test_decentralised_numbers.py"

MUTANTS = (
    Mutant(
        "median-column-is-the-80th-percentile",
        "pages/shared/words/tables.py",
        'Column("flowtime, median", "flowtime", "p50"',
        'Column("flowtime, median", "flowtime", "p80"',
        TABLES,
    ),
    Mutant(
        "slowdown-column-is-the-flowtime",
        "pages/shared/words/tables.py",
        'Column("slowdown, mean", "slowdown", "mean")',
        'Column("slowdown, mean", "flowtime", "mean")',
        TABLES,
    ),
    Mutant(
        "time-of-extra-copies-is-their-number",
        "pages/shared/words/tables.py",
        'Column("slot-time of extra copies", "speculative_time_share"',
        'Column("slot-time of extra copies", "speculative_copies_share"',
        TABLES,
    ),
    Mutant(
        "downloaded-slowdowns-are-in-seconds",
        "pages/shared/words/tables.py",
        '"slowdown": "1"',
        '"slowdown": time',
        TABLES,
    ),
    Mutant(
        "card-p95-is-the-median",
        "pages/shared/live/cards.py",
        "result.estimate('flowtime', 'p95')",
        "result.estimate('flowtime', 'p50')",
        CARDS,
    ),
    Mutant(
        "card-resource-is-the-80th-percentile",
        "pages/shared/live/cards.py",
        'own = comparison.policies[name].estimate("resource", "mean")',
        'own = comparison.policies[name].estimate("resource", "p80")',
        CARDS,
    ),
    Mutant(
        "waiting-tasks-are-jobs",
        "pages/compare/charts/usage.py",
        '"y": result.series[:, 2],',
        '"y": result.series[:, 3],',
        CHARTS,
    ),
    Mutant(
        "chart-titled-with-another-measure",
        "pages/shared/charts/distribution.py",
        'Measure("slot-time of all copies of a job"',
        'Measure("flowtime, arrival to finish"',
        CHARTS,
    ),
    Mutant(
        "resource-chart-shows-flowtimes",
        "pages/shared/live/drawing.py",
        'distribution(comparison, dark, measure="resource", tail=tail)',
        'distribution(comparison, dark, measure="flowtime", tail=tail)',
        CHARTS,
    ),
    Mutant(
        "messages-per-task-on-the-card-are-refusals",
        "pages/decentralised/words/cards.py",
        "measured(result.estimate('messages_per_task'))} messages per task",
        "measured(result.estimate('refusals_per_decision'))} messages per task",
        DECENTRALISED,
    ),
    Mutant(
        "price-axis-shows-queue-lengths",
        "pages/decentralised/charts/curves.py",
        'messages = points[value].policies[name].estimate("messages_per_task")',
        'messages = points[value].policies[name].estimate("queue_length")',
        DECENTRALISED,
    ),
    Mutant(
        "cost-of-coding-is-its-time",
        "pages/coding/charts/cost.py",
        "[point.load.value or 0.0 for point in shown],",
        "[point.estimate.value or 0.0 for point in shown],",
        CODING,
    ),
    Mutant(
        "coding-half-of-the-jobs-is-the-mean",
        "pages/coding/question.py",
        '"slowdown", "p50", "median slowdown"',
        '"slowdown", "mean", "median slowdown"',
        CODING,
    ),
)
