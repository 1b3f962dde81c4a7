"""The formulas of the Cloning page, with their assumptions and sources."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

DOLLY = "Ananthanarayanan, Ghodsi, Shenker & Stoica, *Why let resources idle? Aggressive cloning with Dolly*"


def write_formulas(box: DeltaGenerator) -> None:
    """Write them into a drawer."""
    box.markdown(
        "A copy is an outlier with probability $p$, whatever the others are. A job of $n$ tasks with $c$ "
        "copies has an outlier with probability"
    )
    box.latex(
        r"\text{whole job cloned: } \big(1 - (1 - p)^n\big)^c, \qquad "
        r"\text{every task cloned: } 1 - (1 - p^c)^n"
    )
    box.markdown(
        r"so that it stays within the accepted risk $\epsilon$ (the paper's letter; elsewhere here "
        r"$\epsilon$ is Hopper's unfairness) from these numbers of copies on:"
    )
    box.latex(
        r"\Big\lceil \frac{\ln \epsilon}{\ln(1 - (1-p)^n)} \Big\rceil, \qquad "
        r"\Big\lceil \frac{\ln\big(1 - (1 - \epsilon)^{1/n}\big)}{\ln p} \Big\rceil"
    )
    box.markdown(
        r"In the cluster a task is cloned while $U + 1 < \tau S$, with $U$ busy of $S$ slots, and until the "
        r"product of the probabilities $p_m$ of its slots is at most $1 - (1 - \epsilon)^{1/n}$. Clones are "
        r"dropped when more than $\tau S$ slots are busy, or when another job is owed the slot. If learned, "
        "$p_m$ becomes the mean of itself and the share of outliers that slot $m$ had in the last window."
    )
    box.caption(f"{DOLLY}, HotCloud 2012, Fig. 5 and Pseudocode 1, corrected.")
    box.page_link("pages/errata/page.py", label="Where the paper differs", icon=":material/fact_check:")
