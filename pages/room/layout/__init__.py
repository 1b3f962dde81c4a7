"""The layout of the Room page: for visitors without a room, for the teacher, for a student."""
