"""The lessons: a file each, as `pages/lessons/content.py` reads them."""
