"""Several histories of the same job: repeated runs, before and after a change, and a gate for a pipeline.

`matching` pairs tasks and jobs over histories; `layout` measures luck, machine and work of paired tasks;
`swaps` says by what a figure changed, `sequential` how many more runs would tell, `promised` what What-if
had predicted, `sides` what the diagnoses of two runs say, and `gate` whether a condition holds beyond doubt.
"""
