"""Names, times and counts of a history in words, and lists of the files that hold one."""
