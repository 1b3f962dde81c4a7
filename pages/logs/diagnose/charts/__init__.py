"""The charts of the Diagnose page, one idea per file.

Each has a `TITLE`, `draw(part, dark)` for the part of a diagnosis it shows, `alt(part)`, which says the
same in words, and `about(part)`, which stands below it.
"""
