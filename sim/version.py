"""The version, where whoever needs it alone finds it; `sim.__version__` is the same."""

__version__ = "0.2.0"
