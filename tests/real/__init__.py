"""Real programs, run here: they need Java, and libraries that the tests do not install; run with -m real."""
