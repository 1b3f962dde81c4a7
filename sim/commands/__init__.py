"""Commands of the shell that belong to no other package: run, sweep, compile, listings."""
