"""The charts of the Coding page, a file each."""
