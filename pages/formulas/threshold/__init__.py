"""Threshold: the value of another slot to a job."""
