"""Try mutants by hand: ``python -m tests.mutants [NAME ...]``; a name may end early, none means all."""

from __future__ import annotations

import sys
import time

from tests.mutants import MUTANTS
from tests.mutants.mutant import Stale
from tests.mutants.runner import CAUGHT, ROOT, copied, unbroken


def main(names: list[str]) -> int:
    """Try the mutants whose names begin so; return 1 if any is not caught."""
    chosen = [one for one in MUTANTS if not names or one.name.startswith(tuple(names))]
    if not chosen:
        print(f"no mutant begins so; there are {', '.join(one.name for one in MUTANTS)}", file=sys.stderr)
        return 2
    try:
        for mutant in chosen:
            mutant.applied(ROOT)
    except Stale as error:
        print(f"the list is not true: {error}", file=sys.stderr)
        return 2
    with copied() as project:
        if said := unbroken(project, chosen):
            print(f"tests fail before anything is broken:\n{said}", file=sys.stderr)
            return 2
        left = []
        for mutant in chosen:
            begun = time.monotonic()
            end = project.tried(mutant)
            left += [] if end == CAUGHT else [f"\n{end}: {mutant.name}"]
            print(f"{end:9} {time.monotonic() - begun:6.1f} s  {mutant.name}", flush=True)
    print(f"{len(chosen) - len(left)} of {len(chosen)} caught{''.join(left)}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
