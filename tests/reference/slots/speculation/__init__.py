"""When a job runs extra copies; importing this package registers every rule."""

from __future__ import annotations

from tests.reference.slots.speculation import (  # noqa: F401
    budget,
    dolly,
    flink,
    grass,
    hadoop,
    hedge,
    late,
    mantri,
    plain,
    spark,
    system,
    xu_lau,
)
