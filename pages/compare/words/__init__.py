"""Texts of the Compare page: the answer to its question, and the story of a copy."""
