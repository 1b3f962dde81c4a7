"""What the Compare page says: the answer to its question, and the story of a copy."""
