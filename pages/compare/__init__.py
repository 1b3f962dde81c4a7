"""Compare: policies side by side on the same jobs with the same luck."""
