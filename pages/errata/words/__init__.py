"""The misprints of the papers and their corrections: a file for each part of a paper."""
