"""The Codes tab: what extra tasks do for one job, and which jobs of a cluster should start them."""

from __future__ import annotations

from functools import partial

from pages.formulas.coded import words
from pages.formulas.coded.charts import JOB, RESPONSE
from pages.formulas.coded.controls import OWN, PANEL
from pages.formulas.coded.question import Request
from pages.formulas.coded.words import curves
from pages.formulas.tab import Tab, Values
from pages.shared.controls.control import filled
from pages.shared.words.tables import Equation, Latex, Source
from theory.coding import coded_cost
from theory.order_statistics import order_statistic_moment
from theory.response_time import redundant_load, response_time

#: Letters of the paper, and what this page writes; of the moments it shows the first.
LETTERS = {r"\alpha": r"\beta", "_{n:k}^p": "_{n:k}", "p/": "1/"}
_equation = partial(Equation, letters=LETTERS)

FORMULAS = (
    r"**Redundant-small(r, d)** starts, of a job of $k$ tasks of one size $b$,",
    Latex(r"n = \lceil r k \rceil \ \text{ tasks if } k\,b \le d, \qquad n = k \ \text{ otherwise}"),
    r"**Time and slot-time of a job** that starts $n$ tasks and ends with the $k$-th, in task sizes; a task "
    r"takes $b$ times a factor $S$, Pareto from 1 on with tail index $\beta$ (the paper writes $\alpha$):",
    _equation(order_statistic_moment),
    _equation(coded_cost),
    r"**Load**, which the offered load $\rho_0$ becomes with extra tasks, and **Claim 1** for the mean "
    "response time:",
    _equation(redundant_load, response_time),
    r"$P_q$ is Erlang's probability of waiting for $N C\, E[\mathrm{Latency}] / E[\mathrm{Cost}]$ servers, "
    r"$N C$ the slots, and $d^*$ minimises $E[T]$. Claim 1 takes jobs for customers of an M/G/c queue: it "
    "does not know that a job waits until all its tasks fit, on different nodes if so chosen. Numbers of "
    "tasks are Zipf from 1 to T, sizes Pareto from 10 s on.",
    "**Which form.** *Corrected*: the conditional moments are derived anew, here and by default in Coding. "
    "*As printed*: as in the paper. *Sizes bounded*: $b_{\\max} = b_{\\min} m^{1/\\beta_b}$ for a run of m "
    "jobs, since for a tail index of sizes $\\beta_b \\le 2$ the second moment is infinite, the paper's 3/2 "
    "included. *First moments*: 1 in place of the factor before $P_q$.",
    Source(
        "Aktas & Soljanin, *Learning Effective Straggler Mitigation from Experience and Modeling*, sections "
        "2 and 4."
    ),
)


def ask(values: Values) -> Request:
    """Return the job and the cluster."""
    return filled(Request, values, slots=values["S"], load=values["omega"])


def about(asked: Request) -> str:
    """Say what is drawn."""
    form = "from first moments" if asked.moments == "one" else "corrected"
    sizes = "one task" if asked.k == 1 else f"1 to {asked.k} tasks"
    return (
        "A job starts more tasks than it needs and ends when enough are done. Theory, no simulation: Pareto "
        f"straggle factors. Left: one job, dots the n = ⌈r T⌉ tasks chosen. Right: jobs of {sizes} "
        f"by Claim 1, {form}; a curve ends where the axis does or the queue grows."
    )


TAB = Tab(
    panel=PANEL,
    title="How many extra tasks, and for which jobs?",
    paper="aktas-soljanin",
    idle={
        "c": "Any tasks of a coded job can end it, so none has copies.",
        "ε": "Coded jobs share no slots among jobs.",
    },
    drawers={"own": ("Extra tasks", "add_task", OWN)},
    ask=ask,
    words=words,
    charts={"job": JOB, "response": RESPONSE},
    about=about,
    formulas=FORMULAS,
    table=curves,
)
