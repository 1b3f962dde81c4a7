"""What the papers print and what is right: a file for each part of a paper."""
