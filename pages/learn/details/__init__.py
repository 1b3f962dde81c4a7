"""Details below a lesson, and its plan for the teacher."""
