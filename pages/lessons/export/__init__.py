"""The lessons as static pages: `python -m sim export lessons FOLDER`. No server is needed."""
