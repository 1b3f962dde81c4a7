"""The findings of the Errata page that touch a claim."""

from __future__ import annotations

#: Beginning of a claim's key -> the errata page's name of the paper, and titles of findings there.
TOUCHING: dict[str, tuple[str, tuple[str, ...]]] = {
    "hopper-theorems-one": ("hopper", ("Light tails: less than one copy of each task",)),
    "hopper-theorems-two": (
        "hopper",
        (
            "Fairness counts the wrong jobs", "Fairness with fewer slots than jobs",
            "One projection is not enough",
        ),
    ),
    "hopper-section43": ("hopper", ("One projection is not enough",)),
    "as-theorems-cost": ("aktas-soljanin", ("The task that ends the job costs, too",)),
    "as-theorems-claim1": (
        "aktas-soljanin", ("Small jobs have few tasks", "In a large cluster hardly any job waits"),
    ),
    "as-fig2": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite", "Small jobs have few tasks")),
    "as-fig2-optimum": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite", "Looking for d*")),
    "as-fig3": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite",)),
    "xl-theorems-one": ("xu-lau", ("Cloning may stabilise an overloaded cluster",)),
    "xl-theorems-two": ("xu-lau", ("The gradient projection does not converge for every step",)),
    "xl-theorems-three": ("xu-lau", ("Two copies are not always best", "The second integrand of (26)")),
    "xl-fig2": ("xu-lau", ("Copies come in whole numbers", "What Mantri's rule does")),
    "xl-fig3": ("xu-lau", ("One threshold for SDA and ESE, from 0 to 2",)),
    "xl-fig4": (
        "xu-lau", ("One threshold for SDA and ESE, from 0 to 2", "How much the best threshold saves"),
    ),
    "xl-fig5": ("xu-lau", ("How much the best threshold saves",)),
    "xl-fig6": ("xu-lau", ("The heavy loads are overloads", "What Mantri's rule does")),
    "dolly-formulas-copies": ("dolly", ("Where the parentheses go",)),
    "dolly-fig6": ("dolly", ("The loop stops one clone short", "Best machines first")),
    "dolly-fig6-job": ("dolly", ("A cap that never binds",)),
}  # fmt: skip


def touching(key: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the findings that touch a claim: the errata page's name of the paper, and their titles.

    Examples
    --------
    >>> touching("xl-fig6-mean")[1][0]
    'The heavy loads are overloads'
    """
    fitting = [one for one in TOUCHING if key == one or key.startswith(f"{one}-")]
    return TOUCHING[max(fitting, key=len)] if fitting else None
