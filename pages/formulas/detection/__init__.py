"""Detection: when copying a detected straggler pays."""
