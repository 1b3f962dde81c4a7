"""The page Diagnose: what stragglers cost a recorded cluster, and how much of it copies could save."""
