"""The question of the Detection page: when to copy a straggler, and how many clones to make."""
