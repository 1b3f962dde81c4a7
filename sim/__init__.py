"""What happens when time passes: engines, workloads, experiments. May import `theory`, never a page."""

__version__ = "0.1.0"
