"""The page Diagnose: what stragglers cost a recorded cluster, and which of it a copy could mend."""
