"""The files of the sample of a fleet (`sim.traces.samples.fleet`)."""
