"""Controls: what a reader can set, its widgets, and its place in a link."""
