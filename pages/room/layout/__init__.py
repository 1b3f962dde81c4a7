"""What is shown of a room: to who has none yet, to its teacher, to a student."""
