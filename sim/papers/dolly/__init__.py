"""Claims of "Why let resources idle? Aggressive cloning of jobs with Dolly"."""
