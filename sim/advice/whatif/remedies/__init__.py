"""Remedies: copy slow tasks, leave out or replace slow hosts, split large tasks, keep slots warm.

Each is played on the models of the history, with the luck of today's setting and under its rule. A remedy
has a ceiling, what it gains if it mends its cause entirely, and ways, what settings reach of that.
`play.REMEDIES` is their registry; `judged` says what they gain, and which is advised.
"""
