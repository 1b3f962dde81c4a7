"""The page Before and after: what a change did, and what runs of the same job tell of luck and work."""
