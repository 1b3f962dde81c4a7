"""The server around the pages: their frame, admission, headers, health, measures, a log."""
