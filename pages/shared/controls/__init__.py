"""Controls: links, sliders, drawers."""
