"""The server around the pages: what it answers, refuses, measures and logs."""
