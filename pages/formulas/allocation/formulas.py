"""The formulas of the Allocation page."""

from __future__ import annotations

from pages.shared.words.formulas import Equation
from theory.service_rate import service_rate
from theory.weighted_optimum import slot_price

FORMULAS = (
    r"A job with $T_i$ tasks and $S_i$ slots has virtual size $V_i = \theta T_i$ and service rate "
    r"$\mu_i = \mu(S_i)$, where, with $T = T_i$,",
    Equation(service_rate),
    r"**Algorithm 1**: if $S \le \sum V_j$, virtual sizes by increasing $T_i$ while slots last; else "
    r"$S_i = S\, T_i / \sum T_j$. **Algorithm 2** with $F = (1 - \epsilon) S/N$: if $S \le \sum "
    r"\max(F, V_i)$, $F$ for all and then up to $V_i$ by increasing $T_i$; else $S_i = \max(F, c\, "
    r"T_i)$, the water level $c$ such that all slots are used. **Algorithm 3** has $V_i = \theta T_i "
    r"\sqrt{\alpha_i}$ and serves by increasing $\max(T_i, T'_i)$. The **exact optimum** of $\sum "
    r"\alpha_i \mu_i$ has a price $\nu$ of a slot:",
    Equation(slot_price),
    "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, section 3; Ren et al., "
    "*Hopper*, SIGCOMM 2015, section 4.3.",
)
