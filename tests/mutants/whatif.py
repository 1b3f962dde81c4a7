"""Bugs in the rules of real systems, and in what is learned from a history, checked and recommended."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

RULES = "sim/slots/speculation"
LINES = "tests/sim/slots/test_systems.py"
ADVICE = "tests/sim/whatif/test_advice.py"
MODEL = "tests/sim/whatif/test_model.py"
ANSWER = "tests/sim/whatif/test_answer.py"
REACH = "tests/sim/whatif/test_reach.py"


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
        "max(values.multiplier * median(world, s), values.min_runtime)",
        "values.multiplier * median(world, s)",
        timeline("spark"),
        plain=True,
    ),
    Mutant(
        "old-spark-takes-the-upper-median",
        f"{RULES}/spark.py",
        "return 0.5 * (lower + upper)",
        "return upper",
        timeline("middle"),
        plain=True,
    ),
    Mutant(
        "spark-compares-with-the-slots-of-a-machine",
        f"{RULES}/spark.py",
        "tasks <= c.executor_slots",
        "tasks <= c.machine_slots",
        timeline("executor"),
        plain=True,
    ),
    Mutant(
        "copies-that-lost-are-dead-at-once",
        "sim/slots/ending.py",
        "lingers = c.linger if fate == KILLED else 0.0",
        "lingers = 0.0",
        timeline("lost or died"),
        plain=True,
    ),
    Mutant(
        "nobody-is-offered-the-slot-of-a-copy-that-has-died",
        "sim/slots/stages.py",
        "            offer_waiting(world)",
        "            pass",
        timeline("died"),
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
        "room = max(values.least_copies, most)",
        "room = min(values.least_copies, most)",
        timeline("mr or hadoop"),
        plain=True,
    ),
    Mutant(
        "hadoop-counts-copied-tasks-that-are-too-late",
        f"{RULES}/longest_end.py",
        "segment(world, t) == base and world.slots[t].finish > late:",
        "segment(world, t) == base:",
        timeline("too_late"),
        plain=True,
    ),
    Mutant(
        "maps-and-reduces-have-clocks-of-their-own",
        f"{RULES}/longest_end.py",
        "if values.gate == 0.0:\n        return segment",
        "if True:\n        return segment",
        timeline("share_a_clock"),
        plain=True,
    ),
    Mutant(
        "hadoop-knows-before-the-first-report",
        f"{RULES}/longest_end.py",
        "max(known_from(world, s), slot.start + values.report)",
        "known_from(world, s)",
        timeline("report"),
        plain=True,
    ),
    Mutant(
        "hedges-without-a-delay-wait-for-times",
        f"{RULES}/hedge.py",
        "if values.delay >= 0.0:",
        "if values.delay > 0.0:",
        timeline("without_a_delay"),
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
        "flink-lets-originals-start-on-blocked-machines",
        "sim/slots/engine.py",
        "spot = next_open(world) if c.barring else c.free - 1",
        "spot = c.free - 1",
        timeline("blocked"),
        plain=True,
    ),
    Mutant(
        "nothing-happens-when-a-machine-is-open-again",
        "sim/slots/engine.py",
        "c.unbar_at = next_opening(world)",
        "c.unbar_at = math.inf",
        timeline("blocked"),
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
        "return slopes * self.columns.x",
        "return 0.0 * slopes * self.columns.x",
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
)
