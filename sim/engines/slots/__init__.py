"""The slot engine: one scheduler, S slots."""
