"""What is known of a question: the loads that are simulated, and what the network has learned."""
