"""The question of the Allocation page: some jobs, and how each rule shares the slots among them."""
