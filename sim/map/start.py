"""The default map: a preset and two axes."""

PRESET, X, Y = "load-and-tail", "load=0.3:0.9:12", "beta=1.2:3:10"
