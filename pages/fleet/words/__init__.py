"""Texts of the Fleet page."""
