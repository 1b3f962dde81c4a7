"""Simulated clusters: slots of one scheduler, many schedulers, jobs that start at once; their rules."""
