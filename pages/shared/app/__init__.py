"""What every page needs of the app: turns to draw, the workers, uploads, placeholders."""
