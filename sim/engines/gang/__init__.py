"""Engine 3: jobs that start all at once and end when any k of n tasks are done."""
