"""The simulator: engines, workloads, experiments. May import `theory`, never a page.

From Python `compare`, `sweep`, `scenario`, `policies` and `register` do what the shell does, and answer with
tables; `diagnose`, `whatif`, `after` and `fleet` take logs. All are loaded when they are first used: to
import this package costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sim.version import __version__

if TYPE_CHECKING:
    from sim.advice.diagnosis.library import diagnose
    from sim.advice.fleet.library import fleet
    from sim.advice.several.library import after
    from sim.advice.whatif.library import whatif
    from sim.running.library import Effort, compare, policies, register, scenario, sweep

__all__ = [
    "Effort",
    "__version__",
    "after",
    "compare",
    "diagnose",
    "fleet",
    "policies",
    "register",
    "scenario",
    "sweep",
    "whatif",
]

#: Where the functions of `__all__` are: those about logs, and all others.
_ABOUT_LOGS = {
    "after": "sim.advice.several.library",
    "diagnose": "sim.advice.diagnosis.library",
    "fleet": "sim.advice.fleet.library",
    "whatif": "sim.advice.whatif.library",
}
_LIBRARY = "sim.library"


class _Package(ModuleType):
    """The package, whose functions stay in sight when a file of the same name is imported."""

    def __getattr__(self, name: str) -> Any:
        """Load what is offered when it is first asked for."""
        if name not in __all__:
            from theory.shown import quoted

            raise AttributeError(f"module 'sim' has no attribute {quoted(name)}")
        return getattr(import_module(_ABOUT_LOGS.get(name, _LIBRARY)), name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Ignore that Python calls a file that it has imported by its name: `sim.sweep` is the function."""
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return __all__


sys.modules[__name__].__class__ = _Package
