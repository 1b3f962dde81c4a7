"""The charts of the Map page."""
