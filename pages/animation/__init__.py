"""Runs to watch, for every page that has a cluster of few slots."""
