"""The formulas of the Threshold page."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator


def write_formulas(box: DeltaGenerator) -> None:
    """Write the formulas into a drawer."""
    box.markdown("A job of $T$ tasks holds $S$ slots and runs $k$ copies of each task it serves:")
    box.latex(
        r"\mu(S) = \min(S, kT)\, B(k), \qquad "
        r"B(k) = \frac{E[\tau]}{k\, E[\min(\tau_1, \dots, \tau_k)]} = \frac{k\beta - 1}{k^2 (\beta - 1)}"
    )
    box.markdown(
        r"The best $k$ is $\theta = \max(1, 2/\beta)$ up to the threshold $\theta T$, and $S/T$ beyond. So"
    )
    box.latex(
        r"\mu'(S) = B(\theta)\ \ (S < \theta T), \qquad "
        r"\mu'(S) = \frac{1}{\beta - 1} \Big( \frac{T}{S} \Big)^2\ \ (S > \theta T)"
    )
    box.markdown(
        r"For $\beta \le 2$ both agree at $S = \theta T$, so that the value of a slot is continuous. With "
        r"whole copies $c$ the rate is the least concave function above the points $(cT,\ cT\,B(c))$, whose "
        r"slope is a staircase: $\frac{1}{c(c+1)(\beta-1)}$ from $c$ to $c + 1$ slots per task."
    )
    box.markdown(
        "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, equations (1) to (4)."
    )
    box.page_link("pages/errata/page.py", label="Where the paper differs", icon=":material/fact_check:")
