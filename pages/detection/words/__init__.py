"""Texts of the Detection page: the answer to its question, cards and remarks."""
