"""The answer so far: the loads that are simulated, and what the network has learned."""
