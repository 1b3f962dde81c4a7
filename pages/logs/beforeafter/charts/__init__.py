"""The charts of the page Before and after, one idea per file.

Each has a `TITLE`, `draw(part, dark)`, `alt(part)`, which says the same in words, and `about(part)`, which
stands below it.
"""
