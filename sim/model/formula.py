"""A formula as a rule declares it and the screen shows it."""

from __future__ import annotations

from dataclasses import dataclass

# Titles of the papers that several rules are from.
RAWY = "Ren, Ananthanarayanan, Wierman & Yu, Speculation-aware Cluster Scheduling"
HOPPER = "Ren, Ananthanarayanan, Wierman & Yu, Hopper (SIGCOMM 2015)"
XL = "Xu & Lau, Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster"
AKTAS = "Aktas & Soljanin, Learning Effective Straggler Mitigation from Experience and Modeling"
DOLLY = "Ananthanarayanan, Ghodsi, Shenker & Stoica, Why let resources idle? (HotCloud 2012)"


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its name, its LaTeX without dollar signs, a sentence (Markdown) and its source."""

    name: str
    latex: str
    sentence: str
    source: str = ""
