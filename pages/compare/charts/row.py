"""The row of three charts: as high as each other at every move, and drawn for a third of a laptop's width."""

#: Height of each without its title, in pixels.
HEIGHT = 376
#: Pixels that a legend has.
WIDE = 270
#: Letters that a name has above a panel, and where a number stands behind it.
LONGEST, BESIDE = 40, 27
