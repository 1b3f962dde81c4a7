"""Tests of the frame of every page."""
