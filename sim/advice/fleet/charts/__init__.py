"""Charts of a fleet that the page and Python draw, one idea per file."""
