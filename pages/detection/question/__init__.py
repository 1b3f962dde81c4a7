"""What the Detection page asks the theory: when to copy a straggler, and how many clones to make."""
