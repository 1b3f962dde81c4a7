"""How the numbers of the What-if page are computed, and what they assume."""

from __future__ import annotations

from pages.shared.words.formulas import Latex
from sim.advice.whatif.model import FEWEST
from sim.advice.whatif.price import ASSUMED

FORMULAS = (
    "**Model.** A copy of a task lasts",
    Latex(r"\text{work of the task} \times \text{factor of the machine} \times \text{luck},"),
    "work stays with the task, the factor with the machine; luck is drawn anew for every copy from the "
    "law that the history shows: Kaplan and Meier’s estimate, killed copies censored, with a Pareto "
    f"tail that ends at twice the largest value seen. It takes {FEWEST} finished copies in stages of ten "
    "tasks or more. Submissions, dependencies of stages and slots over time are those "
    "recorded. Failures are left out.",
    "**Check.** The jobs are played again under the setting that the log names. Good: 80 to 98 % of the "
    "recorded job times inside the 90 % band; mean job time and makespan, recorded over model, from 0.9 "
    "to 1.1, median and p95 so or inside the 90 % band; second copies inside the 95 % band; no trend in "
    "the ranks of stage times at 1 %. Poor: below 60 %; outside 0.75 to 1.33 (0.6 to 1.67 for median and "
    "p95); outside the 99.9 % band; mean rank below 25 or above 75. Where one check is poor nothing is "
    "recommended.",
    "**Settings.** Each plays the same jobs with the same luck as today’s, so a change is the mean of paired "
    "differences over today’s mean. In each replication the law of luck and the lengths of stages are also "
    "drawn, from what the history leaves open; the 95 % interval holds both. The recommended setting has the "
    "least job time, within the budget of slot-time, on replications of its own; it is judged on others, so "
    "that the best of many is not flattered by its luck, and recommended only where its interval is below 0.",
    "**Remedies.** Each is played under today’s setting with today’s luck. At most: every task has the "
    "luck of the median; no machine is slower than another; all tasks of a stage have equal work; no "
    "slot is cold. What is reached: the best setting of copies; the hosts that are surely 10 % slower, "
    "else the slowest, gone with their slots, or replaced; tasks that read more than twice the median "
    "of their stage cut into pieces of about the median, whose work is a power of what they read; slots "
    "that are warm from the start. Recommended is what surely pays, as of settings.",
    "**Money.** A slot-hour costs what was given, or its part of an executor: a price per executor-hour, "
    "or cores × price per vCPU-hour + GB × price per GB-hour, over its slots. Cores are those that "
    "executors brought; memory is the heap and what is billed beside it. A month is 730 hours at the "
    f"rate of the log. {ASSUMED}",
    "**Times.** Recorded is what the log has. Today’s times in the model are those of the check, and the "
    "times of another setting are today’s with its change; so one number stands for today everywhere. At "
    "another rate or on other slots today’s jobs were never recorded, and their times differ.",
)
