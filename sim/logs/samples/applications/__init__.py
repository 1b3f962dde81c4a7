"""The files of the sample of a fleet (`sim.logs.samples.fleet`)."""
