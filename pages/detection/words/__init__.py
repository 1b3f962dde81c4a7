"""What the Detection page says: the answer to its question, cards and remarks."""
