"""The contract that every rule keeps, ours and others': ``python -m sim check FILE`` and tests check it."""
