"""What is asked: two axes and an experiment."""
