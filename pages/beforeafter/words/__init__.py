"""What the page Before and after says: the answer, cards, notices, tables."""
