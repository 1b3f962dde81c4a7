"""Findings in the papers, a file for each paper (`pages.errata.words`)."""
