"""The page What-if: which setting to switch on, what it would gain, what it would cost."""
