"""A chart as the figure that Streamlit draws."""

from sim.telling.figure import figure as figure
