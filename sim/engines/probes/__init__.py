"""Engine 2: many schedulers, many workers, messages between them."""
