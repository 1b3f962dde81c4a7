"""Reproductions: what the papers report, and what came of it here."""
