"""Tests of what is around every page."""
