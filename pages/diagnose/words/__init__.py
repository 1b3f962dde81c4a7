"""Texts of the Diagnose page on a history, besides its charts."""
