"""Bugs in the results of a run, and in how the shell reports them."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

#: Runs whose jobs come and go, against those that hold them.
LONG = "tests/sim/slots/test_long.py -k 'whatever or instant or blocks'"
READ = "tests/sim/test_result.py"
SHELL = "tests/sim/test_report.py"
ANIMATION = "tests/sim/test_animation.py"

MUTANTS = (
    Mutant("p80-is-read-at-85", "result.SHARES", '"p80": 0.80', '"p80": 0.85', READ),
    Mutant(
        "shares-of-time-are-shares-of-copies",
        "result._shares",
        "jobs.extra_time / jobs.time",
        "jobs.extra / max(jobs.copies, 1)",
        READ,
    ),
    Mutant(
        "slowdown-is-flowtime",
        "result.counted.columns",
        '"slowdown": flowtime / ideal[chosen],',
        '"slowdown": flowtime,',
        READ,
    ),
    Mutant(
        "size-classes-lose-their-upper-end",
        "counted_jobs.class_of",
        "[most for _, most in CLASSES], tasks)",
        "[most for _, most in CLASSES], tasks, side='right')",
        READ,
    ),
    Mutant(
        "censored-jobs-are-counted-as-finished",
        "statistics.mean",
        "return None if values.size == 0 or censored.any() else float(values.mean(dtype=float))",
        "return None if values.size == 0 else float(values.mean(dtype=float))",
        "tests/sim/test_statistics.py",
    ),
    Mutant(
        "intervals-of-the-normal-law",
        "statistics.half_widths",
        "stdtrit(count - 1, (1 + LEVEL) / 2)",
        "stdtrit(1e9, (1 + LEVEL) / 2)",
        "tests/sim/test_statistics.py",
    ),
    Mutant(
        "differences-leave-out-a-replication",
        "statistics.difference",
        "a - b for a, b in pairs], reliable=reliable)",
        "a - b for a, b in list(pairs)[:2]], reliable=reliable)",
        READ,
    ),
    Mutant(
        "infinite-variance-has-an-interval",
        "moments_needed.own",
        'own = 2.0 if statistic == "mean" else 0.0',
        'own = 1.0 if statistic == "mean" else 0.0',
        "tests/sim/test_interval_reliability.py",
        plain=True,
    ),
    Mutant(
        "recorded-means-are-healthy-times",
        "workload._recorded_sizes",
        'if scenario.recorded_sizes == "means" else',
        'if scenario.recorded_sizes == "healthy" else',
        "tests/sim/test_recorded.py",
    ),
    Mutant(
        "shell-table-p95-is-p90",
        "_row.flowtimes",
        'for statistic in ("mean", "p50", "p95")]',
        'for statistic in ("mean", "p50", "p90")]',
        SHELL,
    ),
    Mutant(
        "shell-table-busy-is-time-of-extra-copies",
        "_row.shares",
        'for ratio in ("speculative_copies_share", "utilisation")]',
        'for ratio in ("speculative_copies_share", "speculative_time_share")]',
        SHELL,
    ),
    Mutant(
        "change-takes-the-reference-as-known",
        "log_ratio.terms",
        "+ y / y.mean() - x / x.mean()).tolist()",
        "+ (y - x) / x.mean()).tolist()",
        "tests/sim/test_relative.py",
        plain=True,
    ),
    Mutant(
        "json-change-is-the-difference",
        "report.differences_as_dict",
        '{"change": comparison.share(policy, measure, statistic).as_dict()}',
        '{"change": comparison.difference(policy, measure, statistic).as_dict()}',
        SHELL,
    ),
    Mutant(
        "shell-table-ratio-of-the-median",
        "sim.running.report._row",
        'more.append(printed(comparison.ratio(policy, "flowtime", "mean")))',
        'more.append(printed(comparison.ratio(policy, "flowtime", "p50")))',
        SHELL,
    ),
    Mutant(
        "an-animation-ends-copies-that-run-on",
        "animation.assembled",
        "ends = np.where(copies.fate == RUNNING, instants.size, ends)",
        "ends = np.where(copies.fate == RUNNING, ends, ends)",
        ANIMATION,
    ),
    Mutant(
        "an-animation-takes-a-job-for-done-with-its-first-task",
        "animation._done",
        "np.bincount(finished, minlength=tasks.size) >= tasks",
        "np.bincount(finished, minlength=tasks.size) > 0",
        ANIMATION,
    ),
    Mutant(
        "an-animation-expects-the-mean-size-of-every-task",
        "animation.expected",
        "sizes = workload.task_size[first[copies.job] + copies.task]",
        "sizes = workload.task_size[first[copies.job]]",
        ANIMATION,
    ),
    Mutant(
        "an-animation-says-that-all-copies-are-extra",
        "show.in_words",
        "(one.copies[:, 2] > 0).sum()",
        "(one.copies[:, 2] >= 0).sum()",
        "tests/pages/test_animation.py",
    ),
    Mutant(
        "a-long-run-forgets-jobs-that-are-not-done",
        "ended.done",
        "np.isfinite(times).all(axis=1)",
        "np.isfinite(times).any(axis=1)",
        LONG,
        plain=True,
    ),
    Mutant(
        "a-long-run-comes-to-arrivals-that-are-not-known",
        "LongRun._admit",
        "first + int(np.searchsorted(workload.arrival, last))",
        "first + workload.n",
        LONG,
        plain=True,
    ),
    Mutant(
        "blocks-of-jobs-begin-at-the-same-time",
        "Draws.arrivals",
        "gaps[0] += self._passed",
        "gaps[0] += 0.0",
        LONG,
        plain=True,
    ),
    Mutant(
        "a-long-run-counts-a-job-of-the-warm-up",
        "take.counts",
        "counts = numbers >= self.first",
        "counts = numbers > self.first",
        LONG,
        plain=True,
    ),
)
