"""Answers that get better while they are looked at."""
