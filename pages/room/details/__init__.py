"""What a teacher takes home from a room: the results of its questions."""
