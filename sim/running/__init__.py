"""How runs are made, shared and kept: experiments, processes, samples, and charts and tables of results."""
