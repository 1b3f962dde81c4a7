"""The charts of the Decentralised page: its curves, and one decision."""
