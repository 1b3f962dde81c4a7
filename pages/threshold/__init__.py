"""Threshold: what another slot is worth to a job."""
