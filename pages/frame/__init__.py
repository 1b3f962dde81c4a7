"""The frame of every page in the browser: its bar, its looks, and where to go next."""
