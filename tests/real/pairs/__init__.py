"""Real clusters before and after one setting changed: ``plan.toml`` was written before the first run."""
