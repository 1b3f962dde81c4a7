"""The question asked while a task is still running: wait, start a copy, or restart it."""
