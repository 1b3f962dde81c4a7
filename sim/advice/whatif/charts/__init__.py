"""The charts of an answer, one idea per file, for the page and for the report.

Each has a `TITLE`, `draw(part, dark)` for what it shows, and `alt(part)`, which says the same in words.
"""
