r"""SCA, the Smart Cloning Algorithm (XL section IV): all waiting jobs cloned together when all of them fit.

When a job begins while the tasks of all jobs that have not begun are fewer than the free slots, problem P2
decides at once how many copies the tasks of each of them get (`sim.engines.slots.speculation.sca`),
:math:`\gamma` weighing slot-time against flowtime. Otherwise its tasks run once. Clones take the next slots,
before any original, oldest task first; so the copies of P2 all start in that instant. Which job begins is
the sharing rule's choice (`levels` in the paper); tasks of a job that begins without clones never get any.

The durations must be Pareto: the closed forms of P2 are for that law. Its mean size stands for a job's
tasks where sizes are drawn per task.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import next_check
from sim.engines.slots.speculation.candidates import first_candidate, forget, offer, retract
from sim.kernel.compile import inlined, kernel
from sim.model.policy import parameter
from sim.model.rule import XL, Formula
from sim.telling.words import plain
from theory.quoting import quoted

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario

# The effect of c copies of every task on a job's duration and resource, compiled: `theory.cloned_job`.
#
# The tasks of a job are Pareto(:math:`\mu, \alpha`), :math:`\alpha` the tail index of the straggle factor;
# with :math:`y = 1/(c\alpha)`
#
# .. math:: E[d] + \gamma m c E[t] = \mu \Big( m B(m, 1 - y) + \gamma m \frac{\alpha c^2}{c \alpha - 1}
# \Big).
#
# Costs are in units of :math:`\mu` here, so that jobs of equal m share them.
#
# Reference: XL, equations (10)-(13).

#: From here on the asymptotic series below are exact to about 1e-15.
FAR = 10.0
#: Costs that differ by less than this share are equal; as `theory.cloned_job.EQUAL`.
EQUAL = 1e-9


@kernel
def digamma(x):
    """Return the logarithmic derivative of the gamma function at x > 0 (Abramowitz, Stegun 6.3.5, 6.3.18)."""
    shift = 0.0
    while x < FAR:
        shift -= 1.0 / x
        x += 1.0
    z = 1.0 / (x * x)
    tail = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * 691 / 32760)))))
    return shift + math.log(x) - 0.5 / x - tail


@kernel
def trigamma(x):
    """Return the derivative of `digamma` at x > 0 (Abramowitz and Stegun 6.4.6, 6.4.12)."""
    shift = 0.0
    while x < FAR:
        shift += 1.0 / (x * x)
        x += 1.0
    z = 1.0 / (x * x)
    tail = z * (1 / 6 - z * (1 / 30 - z * (1 / 42 - z * (1 / 30 - z * (5 / 66 - z * 691 / 2730)))))
    return shift + (1.0 + 0.5 / x + tail) / x


@kernel
def cost(m, c, alpha, gamma):
    """Duration plus weighted resource of a job of `m` tasks with `c` copies each."""
    y = 1.0 / (c * alpha)
    latest = math.exp(math.lgamma(m + 1.0) + math.lgamma(1.0 - y) - math.lgamma(m + 1.0 - y))
    return latest + gamma * m * alpha * c * c / (c * alpha - 1.0)


@inlined
def latest_of(m, c, alpha):
    """Return 1 / (c alpha), the mean of the last of `m` tasks, and how fast that falls, relatively."""
    y = 1.0 / (c * alpha)
    latest = math.exp(math.lgamma(m + 1.0) + math.lgamma(1.0 - y) - math.lgamma(m + 1.0 - y))
    return y, latest, digamma(m + 1.0 - y) - digamma(1.0 - y)


@inlined
def slope_of(m, c, alpha, gamma, y, latest, later):
    """Return the derivative of `cost` in `c`, given what `latest_of` says."""
    beyond = 1.0 / (c * alpha - 1.0)
    return gamma * m * (1.0 - beyond * beyond) - latest * later * y / c


@inlined
def curvature_of(m, c, alpha, gamma, y, latest, later):
    """Return the second derivative of `cost` in `c`, given what `latest_of` says."""
    spread = trigamma(1.0 - y) - trigamma(m + 1.0 - y)
    beyond = 1.0 / (c * alpha - 1.0)
    duration = latest * (y / c) * ((later * later + spread) * (y / c) + 2.0 * later / c)
    return duration + 2.0 * gamma * m * alpha * beyond * beyond * beyond


@kernel
def cost_slope(m, c, alpha, gamma):
    """Return the derivative of `cost` in `c`: increasing, and concave."""
    y, latest, later = latest_of(m, c, alpha)
    return slope_of(m, c, alpha, gamma, y, latest, later)


@kernel
def cost_curvature(m, c, alpha, gamma):
    """Return the second derivative of `cost` in `c`: positive, and decreasing."""
    y, latest, later = latest_of(m, c, alpha)
    return curvature_of(m, c, alpha, gamma, y, latest, later)


@kernel
def best_copies(m, slope, start, limit, alpha, gamma):
    """Real number of copies in [1, limit] that minimises cost + slope x copies; `start` is a guess.

    A Newton step from beyond the root lands before it, and steps from before it never overshoot, since
    the derivative increases and is concave.
    """
    if cost_slope(m, 1.0, alpha, gamma) + slope >= 0.0:
        return 1.0
    if cost_slope(m, limit, alpha, gamma) + slope <= 0.0:
        return limit
    c = min(max(start, 1.0), limit)
    for _ in range(60):
        y, latest, later = latest_of(m, c, alpha)
        excess = slope_of(m, c, alpha, gamma, y, latest, later) + slope
        step = -excess / curvature_of(m, c, alpha, gamma, y, latest, later)
        c = min(max(c + step, 1.0), limit)
        if abs(step) <= 1e-12 * c:
            break
    return c


@kernel
def best_whole_copies(m, most, alpha, gamma):
    """Whole number of copies in 1..most that minimises `cost`; the smaller if two are equally good.

    So are costs that differ by less than rounding may: one copy of a task and two, for a tail index of 2 and
    a weight of 1.
    """
    copies = 1
    now = cost(m, 1.0, alpha, gamma)
    while copies < most:
        more = cost(m, copies + 1.0, alpha, gamma)
        if more >= now * (1.0 - EQUAL):  # convex: it only gets worse
            break
        now = more
        copies += 1
    return copies


# Problem P2 of Xu and Lau, compiled: copies for all jobs that begin together.
#
# .. math:: \min_c \sum_i E[d_i](c_i) + \gamma \sum_i m_i c_i E[t_i](c_i) \quad \text{subject to} \quad
# \sum_i m_i c_i \le N, \; 1 \le c_i \le r
#
# At a price :math:`\nu` of a machine every job takes its own best number :math:`c_i(\nu)`, which falls in
# :math:`\nu`; the price at which the machines are just enough solves the problem. It is found by Newton's
# steps inside a bracket, from the price of the last decision. `theory.optimal_cloning` solves the same by
# another route.
#
# Whole copies: the paper gives no rule. The real numbers are rounded down, then machines left over go, a
# copy of every task of a job at a time, to where they take most off the objective for each machine. The
# best whole numbers are a knapsack; in the paper's setting these are within a percent of them, with tails
# near 1 and few machines they can be far off.
#
# The jobs are those on the list of jobs that have not begun (`sim.engines.slots.arriving.join_new`).

#: What is kept of a job: its copies as a real number.
DUE = {"due": 0.0}
#: A real number of copies this little below a whole one is that whole one.
SLACK = 1e-6
#: The price is settled when the machines wanted differ from those there are by this share.
PRECISION = 1e-10


@kernel
def demand(jobs, real, first, price, limit, alpha, gamma):
    """Machines wanted at a price by the jobs from `first` on, and their derivative; sets `due`."""
    wanted = 0.0
    change = 0.0
    j = first
    while j >= 0:
        job = jobs[j]
        m = float(job.tasks)
        rate = m / job.task_size  # a factor is at least 1, so mu is the size; costs are in units of it
        due = best_copies(m, price * rate, real[j].due, limit, alpha, gamma)
        real[j].due = due
        wanted += m * due
        if 1.0 < due < limit:
            change -= m * rate / cost_curvature(m, due, alpha, gamma)
        j = job.behind
    return wanted, change


@kernel
def solve(jobs, real, first, machines, guess, limit, alpha, gamma):
    """Set `due` of the jobs from `first` on to the real solution; return the price of a machine."""
    j = first
    while j >= 0:
        real[j].due = 1.0
        j = jobs[j].behind
    wanted, change = demand(jobs, real, first, 0.0, limit, alpha, gamma)
    if wanted <= machines:
        return 0.0
    low = 0.0
    high = math.inf
    price = guess
    if not guess > 0.0:
        price = (machines - wanted) / change if change < 0.0 else 1e-3
    for _ in range(200):
        wanted, change = demand(jobs, real, first, price, limit, alpha, gamma)
        excess = wanted - machines
        if abs(excess) <= PRECISION * machines:
            break
        if excess > 0.0:
            low = price
        else:
            high = price
        if high < math.inf and high - low <= 1e-15 * high:
            break
        step = price - excess / change if change < 0.0 else -1.0
        if not low < step < high:
            step = 2.0 * low if high == math.inf else 0.5 * (low + high)
        price = step
    return price


@kernel
def round_copies(jobs, real, first, machines, limit, alpha, gamma):
    """Turn the real solution of the jobs from `first` on into whole copies, in `wanted`."""
    left = machines
    j = first
    while j >= 0:
        job = jobs[j]
        job.wanted = int(real[j].due + SLACK)
        left -= job.wanted * job.tasks
        j = job.behind
    while True:
        best = -1
        most = 0.0
        j = first
        while j >= 0:
            job = jobs[j]
            if job.tasks <= left and job.wanted < limit:
                m = float(job.tasks)
                less = cost(m, float(job.wanted), alpha, gamma) - cost(m, job.wanted + 1.0, alpha, gamma)
                gain = job.task_size * less / m
                if gain > most:
                    most = gain
                    best = j
            j = job.behind
        if best < 0:
            return left
        jobs[best].wanted += 1
        left -= jobs[best].tasks


@kernel
def unhindered(tasks, limit, alpha, gamma):
    """Real and whole copies of a job of so many tasks where nothing else asks for the machines."""
    m = float(tasks)
    due = best_copies(m, 0.0, 1.0, limit, alpha, gamma)
    wanted = int(due + SLACK)
    while wanted < limit and cost(m, float(wanted), alpha, gamma) - cost(m, wanted + 1.0, alpha, gamma) > 0.0:
        wanted += 1
    return due, wanted


#: The store begins with the price of a machine at the last decision, where the next search begins. Then it
#: remembers what jobs get where nothing else asks for the machines: their number of tasks, copies as a real
#: number, and as a whole one; for as many numbers of tasks as have different rests by `KEPT`.
PRICE, MEMORY = 0, 1
KEPT = 256


class Values(NamedTuple):
    """What the hooks read: the most copies, the weight of slot-time and the tail index."""

    copies: float
    gamma: float
    tail: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Take the tail index of the law."""
    return Values(**values, tail=scenario.straggle_tail)


@inlined
def remembered(world, values, tasks):
    """Where the store holds what a job of so many tasks gets where nothing else asks for the machines."""
    store = world.store
    place = MEMORY + 3 * (tasks % KEPT)
    if store[place] != tasks:
        store[place] = tasks
        store[place + 1], store[place + 2] = unhindered(tasks, values.copies, values.tail, values.gamma)
    return place


@inlined
def suffices(world, values, first, machines):
    """Grant the jobs from `first` on what each would get by itself, if the machines suffice for that."""
    jobs, store = world.jobs, world.store
    due = 0.0
    whole = 0.0
    j = first
    while j >= 0:
        place = remembered(world, values, jobs[j].tasks)
        due += jobs[j].tasks * store[place + 1]
        whole += jobs[j].tasks * store[place + 2]
        jobs[j].wanted = int(store[place + 2])
        j = jobs[j].behind
    return due <= machines and whole <= machines


@inlined
def decide(world, values, j):
    """Decide the copies of the tasks of job `j`, whose first original has just been launched."""
    c = world.cluster[0]
    jobs, store = world.jobs, world.store
    machines = c.free + 1
    waiting = int(jobs[j].tasks)
    i = c.first_new
    while i >= 0 and waiting < machines:
        waiting += jobs[i].tasks
        i = jobs[i].behind
    if waiting >= machines:
        jobs[j].wanted = 1
        return
    jobs[j].behind = c.first_new  # the jobs of the decision: this one, then the others
    if suffices(world, values, j, machines):
        store[PRICE] = 0.0
        return
    real, alpha, gamma = world.job_state, values.tail, values.gamma
    store[PRICE] = solve(jobs, real, j, float(machines), store[PRICE], values.copies, alpha, gamma)
    round_copies(jobs, real, j, machines, values.copies, alpha, gamma)


@next_check
def owe_clones(world, values, s):
    """Owe an original the clones its job was granted; a clone settles one of them."""
    slot = world.slots[s]
    job = world.jobs[slot.job]
    if slot.number == 0:
        if job.wanted == 0:
            decide(world, values, slot.job)
        if job.wanted > 1:
            offer(world, s, slot.start, 0.0)
    elif world.slots[slot.task_slot].copies >= job.wanted:
        retract(world, slot.task_slot)
    return math.inf


def needs_pareto(key: str, scenario: SpeculativeScenario, instead: str = "") -> str | None:
    """Refuse a law for which the duration of a cloned job is not known in closed form."""
    if scenario.straggle == "pareto":
        return None
    return f"straggle: {quoted(scenario.straggle)} is not accepted with {key}; give pareto{instead}"


def refuses(scenario: SpeculativeScenario, values: Mapping[str, float]) -> str | None:
    """Refuse what P2 has no closed form for."""
    return needs_pareto("sca", scenario)


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "SCA, problem P2",
            r"\min_{c} \sum_i E[d_i](c_i) + \gamma \sum_i m_i c_i E[t_i](c_i), \quad \sum_i m_i c_i \le N, "
            rf"\quad 1 \le c_i \le {plain(values['copies'])}, \quad \gamma = {plain(values['gamma'])}",
            "When the tasks of all jobs that have not begun are fewer than the $N$ free slots, their numbers "
            "of copies are chosen together: duration plus weighted slot-time. Otherwise tasks run once.",
            XL + ", section IV",
        ),
    )


RULE = Speculation(
    key="sca",
    title="SCA",
    summary="clones for all jobs that begin together, as problem P2 decides, if all of them fit",
    when="urgent",
    at_launch=True,
    lists_new=True,
    next_check=owe_clones,
    on_copy_end=forget,
    select_task=first_candidate,
    store_size=lambda slots, tasks: MEMORY + 3 * KEPT,
    job_state=DUE,
    parameters=(
        parameter(
            "copies",
            8,
            "most copies of a task, the original included (r)",
            whole=True,
            low=1,
            high=16,
            label="Most copies of a task, r",
        ),
        parameter(
            "gamma",
            0.01,
            "weight of slot-time against flowtime",
            low=0,
            high=1000,
            label="Weight γ of slot-time",
            symbol="γ",
        ),
    ),
    prepare=prepare,
    reference="Xu and Lau, section IV",
    refuses=refuses,
    formulas=formulas,
)
