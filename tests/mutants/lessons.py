"""Bugs in lessons, in their animations, and in how a class sees its answers."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

NUMBERS = "tests/pages/lessons/test_numbers.py"
ANIMATION, WATCHED = "tests/sim/test_animation.py", "tests/pages/lessons/test_watched.py"
TYPED = "tests/pages/test_learn.py -k exercises"

MUTANTS = (
    Mutant(
        "a-lesson-has-a-job-3-percent-too-long",
        "pages/lessons/slowest.py",
        "job, one = float(maximum_moment(TASKS, tail)),",
        "job, one = 1.03 * float(maximum_moment(TASKS, tail)),",
        NUMBERS,
    ),
    Mutant(
        "a-lesson-has-a-second-copy-3-percent-too-dear",
        "pages/lessons/second_copy.py",
        "return 1 / blow_up(COPIES, tail)",
        "return 1.03 / blow_up(COPIES, tail)",
        NUMBERS,
    ),
    Mutant(
        "a-lesson-has-a-threshold-3-percent-too-dear",
        "pages/lessons/wait_and_see.py",
        "return np.asarray(detection_resource(",
        "return 1.03 * np.asarray(detection_resource(",
        NUMBERS,
    ),
    Mutant(
        "a-lesson-has-a-coded-job-3-percent-too-long",
        "pages/lessons/coded_or_copied.py",
        "return np.asarray(order_statistic_moment(",
        "return 1.03 * np.asarray(order_statistic_moment(",
        NUMBERS,
    ),
    Mutant(
        "an-exercise-is-right-within-3-percent",
        "pages/learn/words.py",
        "CLOSE = 0.01",
        "CLOSE = 0.03",
        TYPED,
    ),
    Mutant(
        "a-decimal-comma-is-left-out",
        "pages/lessons/typed.py",
        'number.replace(",", ".")',
        'number.replace(",", "")',
        TYPED,
    ),
    Mutant(
        "an-animation-marks-stragglers-3-percent-too-late",
        "sim/animation.py",
        "late = copies.start + LATE * durations",
        "late = copies.start + 1.03 * LATE * durations",
        ANIMATION,
    ),
    Mutant(
        "an-animation-draws-tasks-that-a-coded-job-does-not-need-as-originals",
        "sim/animation.py",
        'copies["copy"], 1)',
        'copies["copy"], 0)',
        WATCHED,
    ),
    Mutant(
        "a-coded-job-is-done-before-its-animation-says-so",
        "sim/animation.py",
        "minlength=tasks.size) >= tasks",
        "minlength=tasks.size) > tasks",
        WATCHED,
    ),
    Mutant(
        "the-right-answer-is-drawn-3-percent-too-far",
        "pages/room/charts.py",
        "at = min(max(float(value), asked.low), end)",
        "at = min(max(1.03 * float(value), asked.low), end)",
        "tests/pages/test_room_charts.py",
    ),
    Mutant(
        "students-pages-are-drawn-all-at-once",
        "pages/room/layout/student.py",
        "    with DRAWN:\n",
        "    if DRAWN:\n",
        "tests/pages/test_room.py -k one_at",
    ),
    Mutant(
        "a-typical-job-is-the-mean-one",
        "pages/lessons/nobody_knows.py",
        '"flowtime", "p50")',
        '"flowtime", "mean")',
        f"{NUMBERS} -k fewest",
    ),
    Mutant(
        "a-cluster-is-full-where-cloning-stops-to-pay",
        "pages/lessons/clone_everything.py",
        'f"From **{percent(limit)}** on',
        'f"From **{percent(cutoff)}** on',
        f"{NUMBERS} -k cloning_pays",
    ),
    Mutant(
        "all-slots-are-busy-where-cloning-stops-to-pay",
        "pages/lessons/clone_everything.py",
        'f"At a load of {percent(limit)} all',
        'f"At a load of {percent(cutoff)} all',
        f"{NUMBERS} -k cloning_pays",
    ),
    Mutant(
        "the-wrong-limit-is-that-where-cloning-stops-to-pay",
        "pages/lessons/clone_everything.py",
        "            percent(limit),\n",
        "            percent(cutoff),\n",
        f"{NUMBERS} -k cloning_pays",
    ),
    Mutant(
        "the-line-up-to-which-cloning-pays-is-drawn-at-the-limit",
        "pages/lessons/clone_everything.py",
        "upright(100 * cutoff, answer",
        "upright(100 * float(cloning_load_limit(tail)), answer",
        f"{NUMBERS} -k cloning_pays",
    ),
    Mutant(
        "bars-are-in-the-right-order-whatever-was-predicted",
        "pages/lessons/whose_turn.py",
        "rows = predicted or order",
        "rows = order",
        f"{NUMBERS} -k bars_stand",
    ),
    Mutant(
        "a-rule-has-the-place-at-which-it-was-predicted",
        "pages/lessons/whose_turn.py",
        'f"place {found + 1}"',
        'f"place {place + 1}"',
        f"{NUMBERS} -k bars_stand",
    ),
    Mutant(
        "the-slots-of-the-second-job-are-told-for-those-of-the-first",
        "pages/lessons/whose_turn.py",
        "srpt_allocation(JOBS, SLOTS)[0]",
        "srpt_allocation(JOBS, SLOTS)[1]",
        f"{NUMBERS} -k lessons_five",
    ),
    Mutant(
        "half-of-the-tasks-end-within-the-mean",
        "pages/lessons/slowest.py",
        "order_statistic_quantile(0.5, 1, 1, tail)",
        "minimum_moment(1, tail)",
        f"{NUMBERS} -k words_of",
    ),
    Mutant(
        "what-is-left-is-told-for-what-is-saved",
        "pages/lessons/second_copy.py",
        'f"{percent(1 - cost)} less',
        'f"{percent(cost)} less',
        f"{NUMBERS} -k words_of",
    ),
    Mutant(
        "what-is-saved-is-told-for-what-is-copied",
        "pages/lessons/wait_and_see.py",
        "though only {percent(copied)}",
        "though only {percent(1 - least)}",
        f"{NUMBERS} -k words_of",
    ),
    Mutant(
        "the-copied-time-is-told-for-the-coded",
        "pages/lessons/coded_or_copied.py",
        "less time**: {number(float(coded(needed)))}",
        "less time**: {number(float(copied(needed)))}",
        f"{NUMBERS} -k coded_against",
    ),
    Mutant(
        "an-interval-of-a-ratio-is-that-of-a-difference",
        "pages/lessons/nobody_knows.py",
        "one.share.half if one and np.isfinite(one.share.half)",
        "one.difference.half if one and np.isfinite(one.difference.half)",
        f"{NUMBERS} -k near_a_tenth",
    ),
)
