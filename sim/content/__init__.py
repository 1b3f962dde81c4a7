"""What is told in many words: Markdown, a file each, read by the program."""
