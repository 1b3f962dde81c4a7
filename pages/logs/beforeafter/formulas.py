"""How the numbers of the page are computed, and what they assume."""

from __future__ import annotations

from pages.shared.words.formulas import Latex
from sim.advice.several.change import FALSE_ALARM, FEWEST
from sim.telling.words import in_percent

FORMULAS = (
    "**Luck, machine and work.** Of task $i$ of stage $s$ in run $r$ on host $h$,",
    Latex(r"\log t_{sir} = a_{sr} + w_{si} + m_{rh} + \varepsilon_{sir},"),
    "fitted by least squares; no law of luck is assumed. A part is its variance within stages, without "
    "what the error of the fit adds to it. Intervals are of a jackknife over blocks of tasks that were "
    "launched one after the other.",
    "**Slow in every run.** Where tasks are alike, one is among the $q$ slowest of $n$ in each of $R$ "
    "runs with probability $(q/n)^R$; of all tasks those are named that the rule of Benjamini and "
    "Hochberg (1995) lets pass.",
    "**Change.** If nothing but a factor lies between the runs, before and after could be swapped in any "
    "block of jobs once it is divided out. The interval holds the factors for which what is seen is not "
    "rare among all swaps. Jobs that ran at the same time are a block; in a closed loop of few drivers, "
    "jobs in a row are. Where that leaves fewer than "
    f"{FEWEST} blocks, or few jobs decide the figure, the interval is how far reruns differ, as What-if "
    "plays them. It is too narrow where luck has a tail that these runs do not show.",
    "**Where the time went.** The account of *Diagnose*, per job, over the jobs that are in all runs: the "
    "changes of its states add up to the change of their mean time. A cause is said to have changed only "
    "where its 95 % intervals in the two runs do not overlap.",
    "**More runs.** With $z$ the logarithm of after over before for a pair of runs, and $t$ Student's "
    "statistic of $n$ pairs, a change is told when the mean of",
    Latex(
        r"\frac1{\sqrt{1 + n g}} \left(\frac{1 + t^2 / (n - 1)}{1 + t^2 / ((1 + n g)(n - 1))}\right)^{n / 2}"
    ),
    f"over $g = 1, 10, 100$ reaches {1 / FALSE_ALARM:.0f}: then the chance of a false alarm, over all "
    f"looks, is at most {in_percent(FALSE_ALARM)}.",
    "**Promised.** What-if plays the run before again under the setting that the log after records; the "
    "band holds 90 % of the replications, each with luck and a model of its own.",
)
