"""From a history to what to do: diagnosis, what-if, before and after, and a fleet of logs."""
