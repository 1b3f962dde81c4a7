"""Reference implementations of the engines: the same rules, slow, and written another way on purpose.

They are written from the papers and the docstrings of `sim`, with nothing shared but the workload, the law
and the addressed luck of a copy.
"""
