"""Engine 1: one scheduler, S slots (systems.md section 1)."""
