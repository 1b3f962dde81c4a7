"""Texts of the Cloning page: the answer to its question, cards and remarks."""
