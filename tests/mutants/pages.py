"""Bugs in numbers, labels and titles on the screen."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TABLES = "tests/pages/test_table_numbers.py"
ANSWERS = "tests/pages/test_answers.py"
CARDS = "tests/pages/test_card_numbers.py"
CHARTS = "tests/pages/test_chart_numbers.py"
CODING = "tests/pages/test_coding_numbers.py"
DECENTRALISED = "tests/pages/test_decentralised_numbers.py"
CLONING = "tests/pages/test_cloning.py -k"

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
        "card-change-has-the-interval-of-the-difference",
        "pages/shared/live/cards.py",
        "return changed(one.share), *judged(settled * one.sign)",
        "return changed(type(one.share)(one.relative, one.difference.low / one.reference, "
        "one.difference.high / one.reference)), *judged(settled * one.sign)",
        CARDS,
        plain=True,
    ),
    Mutant(
        "card-colour-follows-the-interval-of-the-difference",
        "pages/shared/live/cards.py",
        "return changed(one.share), *judged(settled * one.sign)",
        "return changed(one.share), *judged(settled * one.difference.sign)",
        CARDS,
        plain=True,
    ),
    Mutant(
        "a-lopsided-interval-is-told-by-its-half-width",
        "pages/shared/words/numbers.py",
        "return abs(high + low - 2 * value) > LOPSIDED * (high - low) or even != share.sign",
        "return False",
        "tests/pages/test_words.py",
        plain=True,
    ),
    Mutant(
        "answer-tells-the-mean-whatever-is-asked",
        "pages/compare/words/factors.py",
        'turn, copies = (effect(comparison, factor.pairs, "flowtime", statistic) for factor in found)',
        'turn, copies = (effect(comparison, factor.pairs, "flowtime", "mean") for factor in found)',
        ANSWERS,
        plain=True,
    ),
    Mutant(
        "answer-holds-the-wrong-policies-together",
        "pages/compare/words/factors.py",
        "((copied, base), (both, shared))",
        "((copied, base), (both, copied))",
        ANSWERS,
        plain=True,
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
        "headline(result.estimate('messages_per_task'))} messages per task",
        "headline(result.estimate('refusals_per_decision'))} messages per task",
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
    Mutant(
        "the-race-runs-three-percent-late",
        "pages/start/charts.py",
        "return go.Bar(x=minutes,",
        "return go.Bar(x=1.03 * minutes,",
        "tests/pages/test_start_numbers.py",
        plain=True,
    ),
    Mutant(
        "the-ghosts-are-those-of-the-copies",
        "pages/start/charts.py",
        "_bars(rank, single.finish,",
        "_bars(rank, job.finish,",
        "tests/pages/test_start_numbers.py",
        plain=True,
    ),
    Mutant(
        "columns-of-water-are-too-high",
        "pages/allocation/charts.py",
        "else share.slots[order] / tasks",
        "else 1.03 * share.slots[order] / tasks",
        "tests/pages/test_allocation_numbers.py",
        plain=True,
    ),
    Mutant(
        "the-water-level-is-drawn-too-high",
        "pages/allocation/charts.py",
        "return None if regime.constrained else regime.level",
        "return None if regime.constrained else 1.03 * regime.level",
        "tests/pages/test_allocation_numbers.py",
        plain=True,
    ),
    Mutant(
        "the-plan-for-five-percent-more-machines",
        "pages/detection/question/smart_cloning.py",
        "problem = (jobs.tasks, SCALES, jobs.alpha, jobs.machines, LIMIT, jobs.gamma)",
        "problem = (jobs.tasks, SCALES, jobs.alpha, int(1.05 * jobs.machines), LIMIT, jobs.gamma)",
        "tests/pages/test_detection_numbers.py",
        plain=True,
    ),
    Mutant(
        "mended-rounds-under-the-name-of-the-printed",
        "pages/detection/charts.py",
        'as printed", found.printed,',
        'as printed", found.mended,',
        "tests/pages/test_detection_numbers.py",
        plain=True,
    ),
    Mutant(
        "machines-asked-for-three-percent-off",
        "pages/detection/question/smart_cloning.py",
        "return np.asarray(path.copies @ np.array(self.jobs.tasks))",
        "return np.asarray(1.03 * path.copies @ np.array(self.jobs.tasks))",
        "tests/pages/test_detection_numbers.py",
        plain=True,
    ),
    Mutant(
        "sizes-are-compared-by-the-mean-whatever-is-asked",
        "pages/cloning/charts.py",
        "comparison.baseline, place, statistic)\n",
        'comparison.baseline, place, "mean")\n',
        f"{CLONING} statistic",
    ),
    Mutant(
        "a-cloned-job-is-told-as-cloned-tasks",
        "pages/cloning/charts.py",
        'if every task is cloned and "\n        f"{percent(float(asked.by_job(copies)))}',
        'if every task is cloned and "\n        f"{percent(float(asked.by_task(copies)))}',
        f"{CLONING} words_beside",
    ),
    Mutant(
        "a-large-job-needs-as-many-copies-as-a-small-one",
        "pages/cloning/charts.py",
        'tasks {asked.per_task_large} "',
        'tasks {asked.per_task} "',
        f"{CLONING} words_beside",
    ),
    Mutant(
        "the-accepted-outliers-are-told-for-those-that-are-left",
        "pages/cloning/words/remarks.py",
        'f"leave {percent(float(asked.by_task(asked.per_task)))}',
        'f"leave {percent(asked.epsilon)}',
        f"{CLONING} words_beside",
    ),
    Mutant(
        "jobs-beyond-one-slot-a-task-are-told-for-those-beyond-the-threshold",
        "pages/compare/charts/threshold.py",
        "beyond = percent(share_beyond(held, at.theta))",
        "beyond = percent(share_beyond(held, 1.0))",
        "tests/pages/test_threshold.py",
    ),
)
