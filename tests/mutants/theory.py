"""Bugs in the formulas of the papers."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "erlang-c-from-the-wrong-tail",
        "erlang_c.log_odds",
        "np.log1p(-below) + _log_scale(c, below)",
        "np.log1p(-below) - _log_scale(c, below)",
        "tests/theory/test_queueing.py",
    ),
    Mutant(
        "wait-of-general-service-without-the-one",
        "queueing._longer",
        "(np.where(known, scv, 1.0) + 1) / 2 * wait",
        "np.where(known, scv, 1.0) * wait",
        "tests/theory/test_queueing.py",
    ),
    Mutant(
        "order-statistic-one-place-off",
        "order_statistic_moment.spare",
        "spare = n - k + 1",
        "spare = n - k + 2",
        "tests/theory/test_order_statistics.py",
    ),
    Mutant(
        "hopper-serves-large-jobs-first",
        "allocation.smallest_first",
        'return np.argsort(size, kind="stable")',
        'return np.argsort(-size, kind="stable")',
        "tests/theory/test_allocation.py",
    ),
    Mutant(
        "fair-floor-of-epsilon-instead-of-the-rest",
        "fairness._guarantee",
        "return (1 - epsilon) * S / jobs.size",
        "return epsilon * S / jobs.size",
        "tests/theory/test_fairness.py",
    ),
    Mutant(
        "straggler-detected-too-often",
        "detection._tail",
        "((1 - s) / np.maximum(a, 1 - s)) ** alpha",
        "((1 - s) / np.maximum(a, 1 - s)) ** (alpha - 1)",
        "tests/theory/test_detection.py",
    ),
    Mutant(
        "detection-optimum-takes-the-worst-number-of-copies",
        "detection_optimum.best",
        "best = int(np.argmin(resource))",
        "best = int(np.argmax(resource))",
        "tests/theory/test_detection.py",
    ),
    Mutant(
        "cost-of-coding-without-the-redundant-tasks",
        "coding.coded_cost",
        "np.where(finite, n + times / alpha, np.inf)",
        "np.where(finite, k + times / alpha, np.inf)",
        "tests/theory/test_coding.py",
    ),
    Mutant(
        "offered-load-counts-one-task-a-job",
        "cutoff.offered_load",
        "return plain(rate * tasks * mean / machines)",
        "return plain(rate * mean / machines + 0 * tasks)",
        "tests/theory/test_cutoff.py",
    ),
    Mutant(
        "expansion-rounds-down",
        "coding.expanded_tasks",
        "np.vectorize(guarded_ceil, otypes=[float])(product)",
        "np.floor(product)",
        "tests/theory/test_coding.py",
    ),
    Mutant(
        "limit-of-waiting-larger-by-a-hundredth",
        "erlang_c_limit.log_limit",
        "np.log(2 * np.pi * c) / 2",
        "np.log(2 * np.pi * c) / 2 + 0.01",
        "tests/theory/test_references.py",
    ),
    Mutant(
        "rate-of-mixed-copies-a-little-too-flat",
        "_mixed_rate.rate",
        "(k - c) / (c * (c + 1))",
        "(k - c) / (c * (c + 1.01))",
        "tests/theory/test_references.py",
    ),
    Mutant(
        "resource-of-ese-as-if-looked-at-earlier",
        "ese.ese_resource",
        "plain(1 + (early - saving) / (alpha + 1))",
        "plain(1 + (early - saving) / (alpha + 1.01))",
        "tests/theory/test_references.py",
    ),
    Mutant(
        "a-task-with-a-heavy-tail-grows-old",
        "remaining_time.remaining_mean",
        "left = np.maximum(scale + shape * age, 0.0)",
        "left = np.maximum(scale + 0.99 * shape * age, 0.0)",
        "tests/theory/test_remaining_time.py",
    ),
    Mutant(
        "lognormal-mean-counts-what-is-over",
        "remaining_time.lognormal_remaining_mean",
        "whole = kept[1] - kept[0] +",
        "whole = kept[1] - 0.98 * kept[0] +",
        "tests/theory/test_remaining_time.py",
    ),
    Mutant(
        "copy-runs-while-it-starts",
        "remaining_time.copied_mean",
        "(start + 1) / age)) / (alpha - 1)",
        "(0.98 * start + 1) / age)) / (alpha - 1)",
        "tests/theory/test_remaining_time.py",
    ),
    Mutant(
        "copy-pays-if-it-ends-sooner",
        "copy_age.saving",
        "- 2 * float(copied_mean(age, alpha, start))",
        "- float(copied_mean(age, alpha, start))",
        "tests/theory/test_remaining_time.py",
    ),
    Mutant(
        "lost-digits-of-a-wide-lognormal-law",
        "remaining_time.lognormal_remaining_mean",
        "np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))",
        "ndtr(-low) - ndtr(-high)",
        "tests/theory/test_remaining_time.py",
    ),
)
