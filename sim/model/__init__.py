"""What is simulated, and what comes of it: scenarios, laws, workloads, policies, results, statistics."""
