"""Bugs in how a log is read and diagnosed, and in what the Diagnose page shows of it."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

HEAVY = "tests/sim/logs/test_heaviness.py"
TAIL = "tests/sim/logs/test_tail.py"
SPARK = "tests/sim/logs/test_spark.py"
PAGE = "tests/pages/test_diagnose_numbers.py"
FOLDER = "tests/sim/logs/test_folder.py"
DIAGNOSIS = "sim/logs/diagnosis"
WORDS = "tests/pages/test_diagnose_words.py"
REPLAY = "tests/sim/logs/test_diagnosis.py -k"

FINDINGS = "tests/sim/logs/test_findings.py -k"
ACCOUNT = "tests/sim/logs/test_account.py -k"

MUTANTS = (
    Mutant(
        "a-straggler-is-a-peer-of-itself",
        "account._median_of_others",
        "(place >= skipped) for place in",
        "(place >= values.size) for place in",
        f"{ACCOUNT} 'raise or task_by_task'",
    ),
    Mutant(
        "a-task-that-never-launched-does-not-wait",
        "account._happenings",
        "np.where(told, stages.never, 0)",
        "0 * stages.never",
        f"{ACCOUNT} never",
    ),
    Mutant(
        "jobs-left-out-hold-no-slots-in-the-account",
        "account.account",
        "_Slots(whole or history)",
        "_Slots(history)",
        f"{ACCOUNT} hold",
    ),
    Mutant(
        "local-dates-of-ray-are-compared-with-utc",
        "formats.ray._times",
        "if _is_local(task):",
        "if False:",
        "tests/sim/logs/test_recorded.py -k ray",
    ),
    Mutant(
        "a-thread-of-dask-computes-two-tasks-at-once",
        "formats.dask._SHIFT",
        "0.05",
        "0.0",
        "tests/sim/logs/test_recorded.py -k stream",
    ),
    Mutant(
        "dask-is-promised-second-copies",
        "formats.dask.KNOWS",
        "copies=NO",
        "copies=YES",
        "tests/sim/logs/test_knows.py",
    ),
    Mutant(
        "a-second-copy-begins-the-task-anew",
        "account._runs",
        "begins[1:] |= launch[1:] >= _so_far(end, number)[:-1]",
        "begins[1:] = True",
        f"{ACCOUNT} second",
    ),
    Mutant(
        "nothing-is-killed-in-simulated-histories",
        "luck._exponential_histories",
        "if bounds.size:",
        "if bounds.size > 10**9:",
        HEAVY,
    ),
    Mutant(
        "bounds-are-whole-durations",
        "luck.heaviness",
        "np.sum(log, axis=-1, where=complete)",
        "np.sum(log, axis=-1)",
        HEAVY,
    ),
    Mutant("x-min-may-be-the-median", "luck.LEAST", "LEAST = 1.2", "LEAST = 1.0", TAIL),
    Mutant(
        "killed-copies-end-when-they-are-killed",
        "_best.deaths",
        "deaths = np.where(complete, weight, 0.0)",
        "deaths = weight.copy()",
        TAIL,
    ),
    Mutant(
        "killed-copies-are-complete",
        "Records.finish",
        "self.complete[row] = fate == FINISHED if complete is None else complete",
        "self.complete[row] = True if complete is None else complete",
        SPARK,
    ),
    Mutant(
        "parts-of-a-folder-may-lead-out-of-it",
        "source._inside",
        "within = path != root and all(part.resolve(strict=True).is_relative_to(root) for part in parts)",
        "within = path != root",
        FOLDER,
    ),
    Mutant(
        "a-card-has-the-low-end-of-a-cause",
        "diagnose.words._causes",
        "spell(one.seconds)",
        "spell(one.low)",
        PAGE,
    ),
    Mutant(
        "tasks-are-made-longer-than-they-were",
        "Replay.lost",
        "ends = [self._recorded, self._times(np.minimum(durations, recorded))]",
        "ends = [self._recorded, self._times(durations)]",
        f"{FINDINGS} short_task",
    ),
    Mutant(
        "what-tasks-write-is-no-work",
        "hierarchy.work_counted",
        "(wrote - read) * differ",
        "0 * wrote",
        f"{FINDINGS} read_or_write",
    ),
    Mutant(
        "a-task-that-reads-nothing-is-of-unknown-size",
        "hierarchy.count_logs",
        'usual = np.where(usual > 0, usual, some.groupby(stage).transform("median").fillna(0).to_numpy())',
        "pass",
        f"{FINDINGS} no_bytes",
    ),
    Mutant(
        "stages-wait-for-none-where-the-log-names-none",
        "history.with_order",
        "if not any(parents):",
        "if True:",
        f"{FINDINGS} suggest",
    ),
    Mutant(
        "a-stage-begins-when-its-first-task-is-launched",
        "history.with_order",
        'table["submit"].fillna(table["begin"])',
        'table["begin"]',
        f"{FINDINGS} waits_for_no_stage",
    ),
    Mutant(
        "luck-is-told-where-nothing-counts-work",
        "findings._luck",
        "uncounted = not counts_work(seen.ratios)",
        "uncounted = False",
        f"{FINDINGS} no_log_counts",
    ),
    Mutant(
        "a-task-of-ray-is-submitted-when-it-is-created",
        "ray._Tasks.task",
        "changes.get(_READY, launch)",
        "created",
        "tests/sim/logs/test_formats.py -k has_what_it_reads",
    ),
    Mutant(
        "submissions-are-fixed-in-a-closed-loop",
        "replay._followers",
        "loops.after >= 0",
        "loops.after >= 10**9",
        f"{FINDINGS} waits_for",
    ),
    Mutant(
        "what-a-copy-meets-again-is-promised-to-it",
        "_Replayed.effects",
        "again = self.measured(number, MET_AGAIN)",
        "again = self.measured(number, ())",
        f"{FINDINGS} meets_again",
    ),
    Mutant(
        "lost-time-is-a-share-of-what-is-left",
        "words.jobs",
        '100 * table["lost"] / table["recorded"]',
        '100 * table["lost"] / table["without"]',
        PAGE,
    ),
    Mutant(
        "bars-begin-at-the-first-end",
        "gantt_chart.first",
        'first = float(shown["launch"].min())',
        'first = float(shown["end"].min())',
        PAGE,
    ),
    Mutant(
        "a-host-is-slow-if-its-high-end-is",
        "findings.slowest",
        '(table["low"] > 1)',
        '(table["high"] > 1)',
        WORDS,
    ),
    Mutant(
        "a-host-is-drawn-as-slow-if-its-high-end-is",
        "draw_hosts.slow",
        "slow = (factor > SLOW) & (low > 1)",
        "slow = (factor > SLOW) & (high > 1)",
        WORDS,
    ),
    Mutant(
        "the-ends-of-a-host-are-told-the-wrong-way-round",
        "alt_hosts.slowest",
        '(95 %: {number(low)} to {number(high)})"\n        for',
        '(95 %: {number(high)} to {number(low)})"\n        for',
        WORDS,
    ),
    Mutant(
        "the-time-without-stragglers-is-told-for-the-recorded-time",
        "charts.alt_lost",
        '["job", "name", "recorded", "lost"]',
        '["job", "name", "without", "lost"]',
        WORDS,
    ),
    Mutant(
        "the-most-busy-slots-are-told-for-the-mean",
        "charts.alt_slots",
        "number(float(busy.mean()))",
        "number(float(busy.max()))",
        WORDS,
    ),
    Mutant(
        "the-index-with-killed-copies-is-told-for-that-without",
        "about_tail.killed",
        "{number(tail.naive)}",
        "{number(tail.index)}",
        WORDS,
    ),
    Mutant(
        "a-cost-is-told-as-the-low-end-of-itself",
        "words.within",
        "({level}{write(low)} to",
        "({level}{write(value)} to",
        WORDS,
    ),
    Mutant(
        "copies-that-lost-are-told-as-won",
        "charts.alt_pairs",
        "int(one.pairs['copy_won'].sum())",
        "int((~one.pairs['copy_won']).sum())",
        WORDS,
    ),
    Mutant(
        "a-stage-starts-when-its-parents-end",
        "replay._replay",
        "(now + plan.gap[child], start, child)",
        "(now, start, child)",
        f"{REPLAY} as_long_after",
    ),
    Mutant(
        "a-stage-lost-what-its-parents-lost",
        "_compared.own",
        "(ends[0][1] - ends[0][0]) - (ends[1][1] - ends[1][0])",
        "ends[0][1] - ends[1][1]",
        f"{REPLAY} its_own",
    ),
)
