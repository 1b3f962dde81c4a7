"""Names, times and counts of a history in words, and which files hold one."""
