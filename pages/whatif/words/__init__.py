"""What the What-if page says of a question, besides its charts."""
