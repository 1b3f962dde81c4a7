"""What is around the pages: their frame, who is let in, headers, health, measures, a log."""
