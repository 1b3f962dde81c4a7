"""Deliberate bugs, each of which some test must catch: `python -m tests.mutants` tries them.

A list that nothing checks would rot as the sources move, so a mutant whose text is no longer found in
its file is an error, here and in the ordinary tests.
"""

from __future__ import annotations

from tests.mutants import (
    claims,
    doors,
    gang,
    lessons,
    maps,
    pages,
    probes,
    results,
    rooms,
    rules,
    slots,
    strangers,
    theory,
    traces,
    whatif,
)
from tests.mutants.mutant import Mutant

#: All of them, by the part of the project they are in.
MUTANTS: tuple[Mutant, ...] = (
    *theory.MUTANTS,
    *slots.MUTANTS,
    *rules.MUTANTS,
    *probes.MUTANTS,
    *gang.MUTANTS,
    *results.MUTANTS,
    *claims.MUTANTS,
    *maps.MUTANTS,
    *pages.MUTANTS,
    *lessons.MUTANTS,
    *rooms.MUTANTS,
    *traces.MUTANTS,
    *whatif.MUTANTS,
    *strangers.MUTANTS,
    *doors.MUTANTS,
)
