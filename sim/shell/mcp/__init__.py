"""Answers to other programs by the Model Context Protocol: what the shell says, as tools that only read."""
