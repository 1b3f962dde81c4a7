"""The charts of the Reproductions page."""
