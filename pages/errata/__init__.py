"""Errata: what the papers print, and the corrections."""
