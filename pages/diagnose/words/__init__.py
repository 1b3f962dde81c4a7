"""What the Diagnose page says of a history, besides its charts."""
