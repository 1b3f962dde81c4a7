"""What the Allocation page says: the answer to its question, cards, remarks and tables."""
