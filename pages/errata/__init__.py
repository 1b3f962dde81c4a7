"""Errata: what the papers print, and what is right."""
