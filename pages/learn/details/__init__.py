"""What stands below a lesson, and the plan of it for the teacher."""
