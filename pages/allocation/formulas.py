"""The formulas of the Allocation page."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator


def write_formulas(box: DeltaGenerator) -> None:
    """Write the formulas into a drawer."""
    box.markdown(
        "A job with $T_i$ tasks and $S_i$ slots has virtual size $V_i = \\theta T_i$ and service rate"
    )
    box.latex(
        r"\mu_i = \kappa S_i\ \ (S_i \le V_i), \qquad "
        r"\mu_i = \frac{\beta}{\beta - 1} T_i - \frac{1}{\beta - 1} \frac{T_i^2}{S_i}\ \ (S_i > V_i)"
    )
    box.markdown(
        "**Algorithm 1**: if $S \\le \\sum V_j$, virtual sizes by increasing $T_i$ while slots last; else "
        "$S_i = S\\, T_i / \\sum T_j$. **Algorithm 2** with $F = (1 - \\epsilon) S/N$: if $S \\le \\sum "
        "\\max(F, V_i)$, $F$ for all and then up to $V_i$ by increasing $T_i$; else $S_i = \\max(F, c\\, "
        "T_i)$, the water level $c$ such that all slots are used. **Algorithm 3** has $V_i = \\theta T_i "
        "\\sqrt{\\alpha_i}$ and serves by increasing $\\max(T_i, T'_i)$. The **exact optimum** of $\\sum "
        "\\alpha_i \\mu_i$ has a price $\\nu$ of a slot:"
    )
    box.latex(
        r"S_i = 0\ \ (\alpha_i \kappa < \nu), \qquad S_i = \max\Big( \theta T_i,\ T_i "
        r"\sqrt{\tfrac{\alpha_i}{(\beta - 1) \nu}} \Big)\ \ (\alpha_i \kappa > \nu)"
    )
    box.markdown(
        "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, section 3; Ren et al., "
        "*Hopper*, SIGCOMM 2015, section 4.3."
    )
    box.page_link("pages/errata/page.py", label="Where the paper differs", icon=":material/fact_check:")
