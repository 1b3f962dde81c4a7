"""What the Coding page says: cards, what to notice, captions."""
