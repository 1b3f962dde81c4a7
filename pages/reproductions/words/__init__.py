"""What the Reproductions page says."""
