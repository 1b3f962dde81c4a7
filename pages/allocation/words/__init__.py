"""Texts of the Allocation page: the answer to its question, cards, remarks and tables."""
