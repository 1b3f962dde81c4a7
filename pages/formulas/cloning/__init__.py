"""Cloning: how many copies of a whole small job keep it free of outliers."""
