"""The frame around every page: entry, navigation, turns to draw, the workers."""
