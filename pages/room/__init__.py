"""A class room: a teacher asks, a class predicts at once, and the answer is shown to all."""
