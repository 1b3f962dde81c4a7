"""The paper's results on 10,000 workers and ours: the recorded claims, as text."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pages.shared.words.numbers import fixed, measured, plain
from sim.claims import chosen
from sim.claims.record import recorded
from sim.claims.typeset import typeset
from sim.statistics import Estimate

#: Claims about decentralised schedulers, and how the shell repeats them.
CLAIMS = "hopper-fig5a", "hopper-fig5b"
#: Claims of which every other choice was tried, and what they measure.
TRIED = {
    "hopper-fig5a-four-probes": "Hopper, d = 4",
    "hopper-fig5a-plateau": "its fall to d = 10",
    "hopper-fig5a-sparrow": "Sparrow + LATE, d = 2",
}
SHELL = "python -m sim reproduce " + " ".join(CLAIMS)


def reported() -> Iterator[str]:
    """Yield each claim in Markdown: what is reported, what was found at the paper's scale, and why."""
    outcomes = recorded()
    for claim in chosen(list(CLAIMS)):
        said = f"{claim.statement} *Reported: {plain(claim.reported)} {claim.unit}.*"
        told = f"**{claim.place}.** {typeset(said)} "
        found = outcomes.get(claim.key)
        if found is None:
            yield told + "Not computed yet."
            continue
        ours = measured(Estimate(found["value"], found["low"], found["high"]))
        yield told + f"**Ours: {ours}, {found['verdict']}.** {typeset(found['reason'])}"


def _rounded(estimate: Estimate) -> str:
    """Return a ratio in hundredths: some are known much better than they matter."""
    return f"{fixed(estimate.value or 0.0, 2)} ± {fixed(estimate.half, 2)}"


def dependence() -> pd.DataFrame:
    """Return the ratios to central under each choice that the paper leaves open, one row a choice."""
    outcomes = recorded()
    columns = {
        title: {
            typeset(choice): _rounded(Estimate(found["value"], found["low"], found["high"]))
            for choice, found in outcomes[key]["choices"].items()
        }
        for key, title in TRIED.items()
        if key in outcomes
    }
    return pd.DataFrame(columns).rename_axis("choice")
