"""Texts of the Reproductions page."""
