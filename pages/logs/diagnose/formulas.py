"""How the numbers of the Diagnose page are computed, and what they assume."""

from __future__ import annotations

from pages.shared.words.formulas import Latex
from sim.advice.diagnosis.costs import FEWEST
from sim.advice.diagnosis.luck import FALSE_ALARM

FORMULAS = (
    "**Lost.** The history is replayed twice on its own slots, first come first served, stages after "
    "their parents: once with the recorded durations, once with every task at the median of its stage. "
    "What the second replay is faster is taken off the recorded time of each job.",
    f"**Ratio** of a copy: duration ÷ median of its stage, in stages with {FEWEST} finished tasks or "
    "more. Each job weighs 1, shared by its stages, and in each by its copies.",
    "**Shares.** Within a stage, the log duration of a copy is",
    Latex(r"\log t = \text{stage} + b \log(\text{bytes}) + \text{host} + \text{first wave} + \text{luck},"),
    "fitted by least squares; a copy that was killed counts as one that would have run longer (Buckley "
    "and James, 1979). Intervals are of a bootstrap over stages. A second copy draws luck anew and keeps "
    "the work; so the share of luck bounds what it can mend.",
    "**Time lost by cause.** The history is replayed without one cause at a time; what jobs save is what it "
    "cost. Luck, machine, executor and work are factors of the fit. A cold slot adds seconds, and a task "
    "away from its input takes longer by a factor: both are fitted within stages. Garbage collection and "
    "waiting for blocks are measured: what counts is their share beyond the median of their kind of stage. A "
    "task waits idly while slots are free for it and all that were launched before it. Intervals hold what "
    "the fit leaves open, and by how much a replay misses the log. Costs add up only roughly.",
    "**Tail.** Survival by Kaplan and Meier (1958), killed copies censored. Above $x_{\\min}$, with $D$ "
    "copies that ended by themselves and $c_i$ the ratio at which a killed one was,",
    Latex(r"\hat\alpha = \frac{D}{\sum_i \log(\min(x_i, c_i) / x_{\min})}"),
    "$x_{\\min}$ is where the law is nearest to the survival (Clauset, Shalizi and Newman, 2009); the "
    "interval is of a bootstrap that chooses $x_{\\min}$ anew. A tail is reported only if the law is "
    f"heavier than exponential by more than happens with probability {FALSE_ALARM:.0%} in simulated "
    "histories of the same stages.".replace("%", " %"),
)
