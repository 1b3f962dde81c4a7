"""``python -m sim``: the verbs of the shell."""

from __future__ import annotations

import sys

from sim.shell.verbs import main
from theory.shell import end_when_interrupted

if __name__ == "__main__":
    end_when_interrupted("sim")
    sys.exit(main())
