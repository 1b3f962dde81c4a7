"""A map in words: the answer, cards, what to notice, cells and tables."""
