"""Shared by Diagnose and What-if: the chosen history, its files, its names and times as shown."""
