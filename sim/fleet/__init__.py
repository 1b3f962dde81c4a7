"""Many logs of many applications: what each lost, what can be won, and what to do first."""
