"""The server around the pages: its answers, refusals, measures and log."""
