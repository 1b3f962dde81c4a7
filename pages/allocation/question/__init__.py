"""What the Allocation page asks the theory: some jobs, and how each rule shares the slots among them."""
