"""What lines of the shell do that are not of one part of the lab: run, sweep, compile, listings."""
