"""Attacks on a server of our own on this machine, by the thousand: see `tests.attacks.__main__`."""
