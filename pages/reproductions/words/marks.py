"""Verdicts as a mark and a word."""

from __future__ import annotations

from sim.claims.claim import FAILED, REPRODUCED, SHAPE, UNDECIDED

MARKS = {REPRODUCED: "✓", SHAPE: "≈", FAILED: "✗", UNDECIDED: "?"}
#: Verdict -> how it is shown.
MARKED = {verdict: f"{mark} {verdict}" for verdict, mark in MARKS.items()}
