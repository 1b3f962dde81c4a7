"""The charts of the What-if page, one idea per file; the report's are in `sim.advice.whatif.charts`.

Each has a `TITLE`, `draw(part, dark)` for what it shows, `alt(part)`, which says the same in words, and
`about(part)`, which stands below it.
"""
