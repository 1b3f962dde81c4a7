"""Numbers in words: tables, differences, remarks, downloads."""
