"""How much redundancy a job starts with, as a small network has learned it (Aktas and Soljanin, section 3).

The network is shipped with the rule `redundant-rl`; ``examples/learned_redundancy`` trains another one.
"""
