"""Charts of the Fleet page."""
