"""The simulator: engines, workloads, experiments. May import `theory`, never a page.

From Python `compare`, `sweep`, `scenario`, `policies` and `register` do what the shell does, and answer with
tables; `diagnose`, `whatif`, `check_advice`, `after`, `fleet` and `wait` take logs. All are loaded when they
are first used: to import this package costs nothing.

Its rooms, of which each imports only those before it: `kernel`, `model`, `telling`, `logs`, `engines`,
`running`, `advice`, `papers`, `map`, `shell`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim import aliases as _aliases
from sim.version import __version__

if TYPE_CHECKING:
    from sim.advice.diagnosis.library import diagnose
    from sim.advice.fleet.library import fleet
    from sim.advice.several.report import after
    from sim.advice.waiting.library import wait
    from sim.advice.whatif.library import whatif
    from sim.advice.whatif.second_opinion import check_advice
    from sim.engines.plugins import register
    from sim.running.execution import Effort
    from sim.running.library import compare, policies, scenario, sweep

__all__ = [
    "Effort",
    "__version__",
    "after",
    "check_advice",
    "compare",
    "diagnose",
    "fleet",
    "policies",
    "register",
    "scenario",
    "sweep",
    "wait",
    "whatif",
]

#: Where the names of `__all__` are, but for those of `sim.running.library`.
_HOMES = {
    "Effort": "sim.running.execution",
    "after": "sim.advice.several.report",
    "check_advice": "sim.advice.whatif.second_opinion",
    "diagnose": "sim.advice.diagnosis.library",
    "fleet": "sim.advice.fleet.library",
    "register": "sim.engines.plugins",
    "wait": "sim.advice.waiting.library",
    "whatif": "sim.advice.whatif.library",
}

_aliases.install()


def __getattr__(name: str) -> Any:
    """Load what is offered when it is first asked for."""
    if name not in __all__:
        from theory.quoting import quoted

        raise AttributeError(f"module 'sim' has no attribute {quoted(name)}")
    return getattr(import_module(_HOMES.get(name, "sim.running.library")), name)


def __dir__() -> list[str]:
    return __all__
