"""Texts of claims and their records, converted from the form of the shell to that of a screen."""

from __future__ import annotations

import re
from collections.abc import Callable

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "eta": "η",
    "xi": "ξ",
    "rho_0": "ρ₀",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
}
#: Spelled-out text -> shown text.
SPELLED: dict[str, str | Callable[[re.Match[str]], str]] = {
    rf"\b({'|'.join(GREEK)})\b": lambda found: GREEK[found[0]],
    r"sqrt\((\d+)\)": r"√\1",
    r" >= ": " ≥ ",
    r" x (?=\S)": " × ",
    r" - (?=\S)": " − ",
    r"\bd infinite\b": "d = ∞",
    r"\bflowtime p50\b": "median flowtime",
    r"\b1 refusals\b": "1 refusal",
    r"\b(probes|copies) a task\b": r"\1 per task",
    r"\b(tasks|jobs) a (job|unit|run|point)\b": r"\1 per \2",
    r"(?<=\d)%": " %",
}


def typeset(text: str) -> str:
    """Return a name or a sentence with its symbols, and a space before a percent sign.

    Examples
    --------
    >>> typeset("1 refusals, 60%"), typeset("sigma = 1 + sqrt(2)/2: mean"), typeset("5 % against 1 %")
    ('1 refusal, 60 %', 'σ = 1 + √2/2: mean', '5 % against 1 %')
    >>> typeset("the 0.8 quantile of gamma x slot-time at 40 jobs a unit of time, E[x] = 1")
    'the 0.8 quantile of γ × slot-time at 40 jobs per unit of time, E[x] = 1'
    """
    for spelled, shown in SPELLED.items():
        text = re.sub(spelled, shown, text)
    return text
