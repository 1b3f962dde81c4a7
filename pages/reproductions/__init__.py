"""Reproductions: what the papers report, beside our results."""
