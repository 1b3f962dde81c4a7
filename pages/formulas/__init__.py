"""Formulas of the papers, a tab for each question: what they say, drawn and read at a point."""
