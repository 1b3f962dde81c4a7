"""Engine 2: many schedulers, many workers, messages between them (systems.md section 2)."""
