"""Coded jobs: one job of k tasks expanded to n, and which jobs of a cluster to expand."""
