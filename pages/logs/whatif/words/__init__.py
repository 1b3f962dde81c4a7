"""Texts of the What-if page, besides its charts."""
