"""Charts of before and after that the page and Python draw, one idea per file."""
