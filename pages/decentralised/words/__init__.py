"""Texts of the Decentralised page: cards and tables, what to notice, what the paper reports."""
