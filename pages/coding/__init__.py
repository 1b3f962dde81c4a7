"""Coding: redundant tasks of which any k end a job."""
