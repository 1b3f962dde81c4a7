"""The app's services for every page: turns to draw, the workers, uploads, placeholders."""
