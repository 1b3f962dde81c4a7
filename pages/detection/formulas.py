"""The formulas of the Detection page, with their assumptions and sources."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

XL = "Xu & Lau, *Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster*"


def write_formulas(box: DeltaGenerator) -> None:
    """Write them into a drawer."""
    box.markdown(
        "Xu and Lau write $\\alpha$ for the tail index $\\beta$, and $\\omega$ for the offered load "
        "$\\rho_0$; a machine of theirs runs one task, and is a slot here."
    )
    box.markdown(
        r"Task times are $\mathrm{Pareto}(\mu, \beta)$ of mean $E[x]$, $\beta$ the tail index of task "
        "times. **Light or busy.** Every slot is taken for a queue of its own (M/G/1), two copies for "
        r"twice the arrivals of the shorter of two times; $\kappa = E[X^2]/E[X]^2 = 1.12$, since jobs differ "
        "in mean task time (1 in the printed equations):"
    )
    box.latex(
        r"\frac{W}{E[x]} = 1 + \frac{\rho_0 \kappa}{2(1 - \rho_0)} "
        r"\frac{(\beta - 1)^2}{\beta(\beta - 2)}, \qquad "
        r"\frac{W^c}{E[x]} = \frac{2(\beta - 1)}{2\beta - 1} + "
        r"\frac{\rho_0 \kappa (\beta - 1)/\beta}{1 - \frac{4(\beta - 1)}{2\beta - 1}\rho_0}, \qquad "
        r"W^c < W \iff \rho_0 < \rho_0^U(\beta)"
    )
    box.caption(f"{XL}, equations (1) to (5). For β ≤ 2 one copy waits for ever on average.")
    box.markdown(
        r"**Detection.** A task is looked at after the share $s$ of its work. If more than $\sigma E[x]$ is "
        r"left, it gets $c - 1$ new copies; with $u = \frac{\beta - 1}{\beta \sigma} \le 1$ and "
        r"$\tau(c, \sigma)$ the slot-time used from then on"
    )
    box.latex(
        r"\frac{E[R]}{E[x]} = 1 + \big((1 - s) u\big)^\beta \big(\tau(c, \sigma) - \tau(1, \sigma)\big), "
        r"\qquad \sigma^*: \; c\, E[\min(\sigma^* E[x],\, y_{c-1})] = \sigma^* E[x]"
    )
    box.markdown(
        "where $y_{c-1}$ is the shortest of the new copies. ESE looks in a random moment of the run, which "
        "has the same best threshold."
    )
    box.caption(f"{XL}, equations (24) to (28) and (30) to (33); c by joint optimisation, not by Theorem 3.")
    box.markdown(r"**Smart cloning.** $N$ slots are free for jobs of $m_i$ tasks:")
    box.latex(
        r"\min_c \; \sum_i \mu_i \prod_{j=1}^{m_i} \frac{j}{j - 1/(c_i \beta)} + \gamma \sum_i "
        r"\frac{m_i \mu_i \beta c_i^2}{c_i \beta - 1}, \qquad \sum_i m_i c_i \le N, \quad 1 \le c_i \le 8"
    )
    box.markdown(
        r"The iteration moves the price of a slot, $\nu \leftarrow [\nu + \eta_1 (\sum m_i c_i - N)]^+$, "
        r"and two more multipliers. Mended, $\eta$ is divided by the number of the round."
    )
    box.caption(f"{XL}, problem P2, equations (10) to (17). γ is 0.01 in the paper's simulations.")
    box.page_link("pages/errata/page.py", label="Where the paper differs", icon=":material/fact_check:")
