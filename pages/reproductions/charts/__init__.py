"""What the Reproductions page draws."""
