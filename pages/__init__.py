"""The pages of the app: one folder each, and what several of them share."""
