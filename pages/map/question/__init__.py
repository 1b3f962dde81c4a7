"""The question of the Map page: two axes and an experiment."""
