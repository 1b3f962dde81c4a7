"""Bugs in the rules of real systems, and in what is learned from a history, checked and recommended."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

RULES = "sim/slots/speculation"
LINES = "tests/sim/slots/test_systems.py"
ADVICE = "tests/sim/whatif/test_advice.py"
MODEL = "tests/sim/whatif/test_model.py"
ANSWER = "tests/sim/whatif/test_answer.py"
REACH = "tests/sim/whatif/test_reach.py"
PLAYED = "tests/sim/whatif/test_played.py"


def timeline(rule: str) -> str:
    """Select the timelines of a rule."""
    return f"{LINES} -k '{rule}'"


MUTANTS = (
    Mutant(
        "spark-rounds-its-quantile-up",
        f"{RULES}/spark.py",
        "if finished >= max(math.floor(values.quantile * tasks), 1):",
        "if finished >= max(math.ceil(values.quantile * tasks), 1):",
        timeline("spark"),
        plain=True,
    ),
    Mutant(
        "spark-takes-the-lower-median",
        f"{RULES}/spark.py",
        "math.floor((done(world, s) + 1) / 2) + 1",
        "math.floor(done(world, s) / 2) + 1",
        timeline("spark"),
        plain=True,
    ),
    Mutant(
        "spark-forgets-its-least-runtime",
        f"{RULES}/spark.py",
        "max(values.multiplier * slowest_fast(world, s), values.min_runtime)",
        "values.multiplier * slowest_fast(world, s)",
        timeline("spark"),
        plain=True,
    ),
    Mutant(
        "hadoop-does-not-pause-after-a-copy",
        f"{RULES}/longest_end.py",
        "c.now + values.pause",
        "c.now + values.wait",
        timeline("mr or hadoop"),
        plain=True,
    ),
    Mutant(
        "hadoop-caps-by-the-smaller-bound",
        f"{RULES}/longest_end.py",
        "< max(values.least_copies, most)",
        "< min(values.least_copies, most)",
        timeline("mr or hadoop"),
        plain=True,
    ),
    Mutant(
        "tez-waits-for-its-originals",
        f"{RULES}/tez.py",
        "gate=0.0",
        "gate=1.0",
        timeline("tez"),
        plain=True,
    ),
    Mutant(
        "flink-rounds-its-ratio-down",
        f"{RULES}/flink.py",
        "math.floor(set_size(world, s) * values.ratio + 0.5)",
        "math.floor(set_size(world, s) * values.ratio)",
        timeline("flink"),
        plain=True,
    ),
    Mutant(
        "flink-blocks-no-machine",
        f"{RULES}/flink.py",
        "c.now + values.block",
        "c.now",
        timeline("flink"),
        plain=True,
    ),
    Mutant(
        "hedge-sends-one-attempt-too-many",
        f"{RULES}/hedge.py",
        "if attempts >= values.copies:",
        "if attempts > values.copies:",
        timeline("hedge"),
        plain=True,
    ),
    Mutant(
        "killed-copies-tell-their-whole-luck",
        "sim/whatif/law.py",
        "x, survival = kaplan_meier(values, complete)",
        "x, survival = kaplan_meier(values, np.ones_like(complete))",
        MODEL,
    ),
    Mutant(
        "bytes-read-are-no-work",
        "sim/traces/diagnosis/hierarchy.py",
        "return np.asarray((slopes * self.columns.x).sum(axis=1))",
        "return np.zeros(self.columns.kind.size)",
        MODEL,
    ),
    Mutant(
        "what-the-model-leaves-open-is-left-out",
        "sim/whatif/doubt.py",
        "values.mean() + drawn * (means - values.mean())",
        "values.mean() + 0.0 * drawn * (means - values.mean())",
        ADVICE,
    ),
    Mutant(
        "settings-are-judged-where-they-were-searched",
        "sim/whatif/answer.py",
        "if not surely_pays(options[best].change, objective, budget):",
        "if False:",
        ADVICE,
    ),
    Mutant(
        "any-slot-time-is-within-the-budget",
        "sim/whatif/answer.py",
        'tried(text, "slot_time") <= budget]',
        'tried(text, "slot_time") <= 1.0]',
        ADVICE,
    ),
    Mutant(
        "a-poor-mean-is-fair",
        "sim/whatif/check.py",
        "GOOD if 0.9 <= ratio <= 1.1 else POOR if poor else FAIR",
        "GOOD if 0.9 <= ratio <= 1.1 else FAIR",
        ADVICE,
    ),
    Mutant(
        "a-higher-rate-stretches-the-gaps",
        "sim/whatif/runs.py",
        'submit = model.jobs["submit"].to_numpy(float) / self.rate\n        arrival',
        'submit = model.jobs["submit"].to_numpy(float) * self.rate\n        arrival',
        ADVICE,
    ),
    Mutant(
        "a-setting-pays-whatever-it-costs",
        "sim/whatif/change.py",
        'change["slot_time"].value <= budget',
        'change["slot_time"].value <= budget + 1.0',
        REACH,
    ),
    Mutant(
        "a-model-without-doubt-is-the-fitted-one-whatever-it-holds",
        "sim/whatif/model.py",
        "return Drawn(self.law, self.work, self.power, host, self.cluster.executors)",
        "return self.evidence.model",
        f"{ANSWER} -k 'what_a_model_holds'",
    ),
    Mutant(
        "seconds-are-pasted-as-milliseconds",
        "sim/whatif/systems.py",
        "{round(1000 * value)}",
        "{round(value)}",
        "tests/sim/whatif/test_systems.py",
    ),
    Mutant(
        "names-of-a-log-are-markup",
        "sim/whatif/html.py",
        "inside = table.map(visible).to_html(index=False, escape=True,",
        "inside = table.map(visible).to_html(index=False, escape=False,",
        "tests/sim/whatif/test_html.py",
    ),
    Mutant(
        "threads-mix-their-messages",
        "sim/processes/child.py",
        "threading.Lock(), False",
        "contextlib.nullcontext(), False",
        "tests/sim/processes/test_child.py",
    ),
    Mutant(
        "second-copies-that-won-count-as-killed-time",
        "sim/whatif/runs.py",
        "ran[killed].sum()",
        "ran[extra].sum()",
        PLAYED,
    ),
    Mutant(
        "all-second-copies-count-as-killed-time",
        "sim/whatif/runs.py",
        "ran[killed].sum()",
        "ran[killed | extra].sum()",
        PLAYED,
    ),
    Mutant(
        "copies-of-jobs-that-are-left-out-count",
        "sim/whatif/runs.py",
        "    log = log[counted]\n",
        "",
        PLAYED,
    ),
    Mutant(
        "second-copies-that-were-killed-count-as-won",
        "sim/whatif/runs.py",
        "(extra & ~killed).sum()",
        "(extra & killed).sum()",
        PLAYED,
    ),
    Mutant(
        "jobs-that-are-left-out-begin-the-makespan",
        "sim/whatif/runs.py",
        "submit[kept].min()",
        "submit.min()",
        PLAYED,
    ),
    Mutant(
        "job-times-are-held-to-eight-replications-of-ten",
        "sim/whatif/check.py",
        "low, high = np.quantile(times, (0.05, 0.95), axis=0)",
        "low, high = np.quantile(times, (0.1, 0.9), axis=0)",
        PLAYED,
    ),
    Mutant(
        "ratios-are-held-to-eight-replications-of-ten",
        "sim/whatif/check.py",
        "low, high = np.quantile(simulated, (0.05, 0.95))",
        "low, high = np.quantile(simulated, (0.1, 0.9))",
        PLAYED,
    ),
    Mutant(
        "quantiles-are-held-to-eight-replications-of-ten",
        "sim/whatif/check.py",
        "np.quantile(values, (0.05, 0.95))\n    ratio",
        "np.quantile(values, (0.1, 0.9))\n    ratio",
        PLAYED,
    ),
    Mutant(
        "bands-of-eight-replications-of-ten-are-widened",
        "sim/whatif/check.py",
        "np.quantile(values, (0.05, 0.5, 0.95))",
        "np.quantile(values, (0.1, 0.5, 0.9))",
        PLAYED,
    ),
    Mutant(
        "originals-that-finished-count-as-copies-that-won",
        "sim/whatif/check.py",
        'extra & copies["fate"].eq("finished")',
        'copies["fate"].eq("finished")',
        PLAYED,
    ),
    Mutant(
        "recorded-second-copies-that-won-count-as-killed-time",
        "sim/whatif/check.py",
        '(copies["end"] - copies["launch"])[killed]',
        '(copies["end"] - copies["launch"])[extra]',
        PLAYED,
    ),
    Mutant(
        "recorded-copies-of-jobs-that-are-left-out-count",
        "sim/whatif/check.py",
        "    copies = copies[np.isin(",
        "    _ = copies[np.isin(",
        PLAYED,
    ),
    Mutant(
        "the-band-that-is-drawn-holds-eight-replications-of-ten",
        "sim/whatif/pictures.py",
        "(0.05, 0.5, 0.95)",
        "(0.1, 0.5, 0.9)",
        PLAYED,
    ),
    Mutant(
        "nine-jobs-of-ten-are-taken-for-nineteen-of-twenty",
        "sim/whatif/check.py",
        '(("p50", 0.5), ("p95", 0.95))',
        '(("p50", 0.5), ("p95", 0.9))',
        PLAYED,
    ),
)
