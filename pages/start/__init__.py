"""Start: what a straggler is, shown on one job."""
