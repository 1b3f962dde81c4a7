"""What the Cloning page says: the answer to its question, cards and remarks."""
