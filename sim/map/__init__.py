"""Which policy wins where: a map over two fields, computed where it matters.

`plane` is what is asked, `survey` decides which runs are needed, `play` makes them, `picture` is what
is known.
"""
