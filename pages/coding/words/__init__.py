"""Texts of the Coding page: cards, what to notice, captions."""
