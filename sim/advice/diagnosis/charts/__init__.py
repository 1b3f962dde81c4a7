"""Charts of a log that the page Diagnose and Python draw, one idea per file."""
