"""Old names of modules that rules of others import, for one release: version 0.4 has none of them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: Name until version 0.2 -> name now, for the module and all below it.
NOW = {
    **{f"sim.{name}": f"sim.engines.{name}" for name in ("gang", "plugins", "probes", "slots")},
    **{f"sim.{name}": f"sim.model.{name}" for name in ("fields", "files", "laws", "policy", "workload")},
    "sim.commands": "sim.shell",
    "sim.formula": "sim.model.rule",
    "sim.gang.learning.forward": "sim.engines.gang.learning.network",
    "sim.gang.policy": "sim.engines.gang.run",
    "sim.gang.rule": "sim.engines.gang.scenario",
    "sim.mcp": "sim.shell.mcp",
    "sim.presets": "sim.engines.registry",
    "sim.slots.policy": "sim.engines.slots.scenario",
    "sim.traces": "sim.logs",
    "sim.traces.diagnosis": "sim.advice.diagnosis",
}


class _Alias(MetaPathFinder, Loader):
    """Finds a module by its old name; what is found is the module itself, not a second one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how the module is loaded, if the name is an old one."""
        return ModuleSpec(fullname, self) if now(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of today's name, and say so once."""
        name = now(spec.name)
        assert name is not None  # `find_spec` has found it
        warnings.warn(f"{spec.name} is called {name} now", DeprecationWarning, stacklevel=2)
        module = import_module(name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module, which has run already, its own name."""
        module.__spec__ = self._spec


def now(name: str) -> str | None:
    """Return today's name of a module, if it is called by an old one.

    Examples
    --------
    >>> now("sim.slots.signatures"), now("sim.traces.diagnosis.account"), now("sim.model")
    ('sim.engines.slots.signatures', 'sim.advice.diagnosis.account', None)
    """
    old = max((one for one in NOW if f"{name}.".startswith(f"{one}.")), key=len, default=None)
    return None if old is None else NOW[old] + name.removeprefix(old)


def install() -> None:
    """Let old names be imported; to do so again changes nothing."""
    if not any(isinstance(one, _Alias) for one in sys.meta_path):
        sys.meta_path.insert(0, _Alias())  # before what finds a second module by the path of the package
