"""Answers that get better while the visitor looks at them."""
