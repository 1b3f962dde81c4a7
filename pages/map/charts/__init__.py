"""What the Map page draws."""
