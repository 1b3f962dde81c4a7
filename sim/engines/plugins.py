"""Rules of one's own beside ours: from files, from installed packages, or made in Python.

Who runs this process names them: by the variable ``STRAGGLER_LAB_POLICIES``, ``--policies``, `register`, or
by installing a package with an entry point. Nothing that a visitor or a link sends comes here.

The code of a file is run from a copy whose name has its digest: what is compiled is what was read, even if
the file is edited meanwhile.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from sim.engines.gang.scenario import Redundancy
from sim.engines.probes.protocol import Protocol
from sim.engines.slots.rule import SYSTEMS, Sharing, Speculation
from sim.model.fields import BadInput
from sim.model.files import opened
from sim.model.policy import Parameter, Policy, forget_read
from sim.model.rule import Formula, Rule
from theory.quoting import quoted, shortened

# The hooks of a rule: checks of the functions that it gives.


def functions(rule: Any) -> dict[str, Any]:
    """Return the functions of a rule by name; those that it leaves out are not among them."""
    return {name: getattr(rule, name) for name in rule.calls() if getattr(rule, name) is not None}


def about_functions(rule: Any) -> Iterator[str]:
    """Say what is wrong with the functions of a rule before they are run."""
    has_numbers = bool(rule.parameters) or getattr(rule, "prepare", None) is not None
    for name, call in rule.calls().items():
        if getattr(rule, name) is not None:
            yield from _about_one(name, getattr(rule, name), call, rule.ENGINE, has_numbers)
        elif not isinstance(rule, Speculation):
            yield f"{name}: None is not accepted; give a function with {_decorator(name, rule.ENGINE)}"


def _decorator(name: str, engine: str) -> str:
    return f"@{name} of sim.engines.{engine}.signatures"


def _about_one(name: str, given: Any, call: Any, engine: str, has_numbers: bool) -> Iterator[str]:
    function = getattr(given, "function", None)
    if function is None or not hasattr(given, "call"):
        called = getattr(given, "__name__", None) or quoted(given)
        yield f"{name}: {called} is not accepted; give a function with {_decorator(name, engine)}"
        return
    if not function.__name__.isidentifier():
        yield f"{name}: a lambda is not accepted; write it with def"
        return
    if given.call != call:
        yield f"{name}: {function.__name__} has another decorator; write {_decorator(name, engine)}"
        return
    found, wanted = list(inspect.signature(function).parameters), call.arguments
    ways = [wanted, ("world", "values", *wanted[1:])]
    plain = [one for one in found if one != "values"]
    if len(plain) != len(wanted) or found[:1] != ["world"]:
        shown = " or ".join(f"{name}({', '.join(way)})" for way in ways)
        yield f"{name}: {function.__name__}({', '.join(found)}) is not accepted; write {shown}"
    elif "values" in found and not has_numbers:
        yield f"{name}: {function.__name__} reads values, but the rule declares no parameters"


# Checks of a declaration, whoever has written it, and the registries that hold rules by kind.

#: The kinds of rules.
KINDS: tuple[type[Rule], ...] = (Sharing, Speculation, Redundancy, Protocol)
#: Names that policies have already, though no rule is called so.
TAKEN = (*SYSTEMS, "central")
#: When a speculation rule lets copies run, as `sim.engines.slots.run.MODES` has it.
WHEN = ("never", "urgent", "budget", "spare", "in turn")
KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def registry_of(kind: type[Rule]) -> MutableMapping[str, Any]:
    """Return the registry of a kind of rule, loaded now."""
    module, _, name = kind.REGISTRY.partition(":")
    registry: MutableMapping[str, Any] = getattr(import_module(module), name)
    return registry


def checked(rule: Any, where: str) -> Any:
    """Return a rule if its declaration can be used.

    Parameters
    ----------
    rule : object
    where : str
        What declares it, for messages.

    Raises
    ------
    BadInput
        Saying what is wrong with it.
    """
    if type(rule) not in KINDS:
        kinds = ", ".join(kind.__name__ for kind in KINDS)
        raise BadInput(f"policies: {where}: {quoted(rule)} is no rule; give one of {kinds}")
    for complaint in complaints(rule):
        raise BadInput(f"policies: {where}: {complaint}")
    return rule


def complaints(rule: Any) -> list[str]:
    """Return in words what is wrong with the declaration of a rule, one line each."""
    found = []
    if not isinstance(rule.key, str) or not KEY.fullmatch(rule.key):
        found.append(
            f"key: {quoted(rule.key)} is not accepted; give small letters and digits, with - between"
        )
    elif rule.key in TAKEN and not _is_ours(rule):
        found.append(f"key: {quoted(rule.key)} is taken; choose another")
    for name in ("title", "summary"):
        if not isinstance(getattr(rule, name), str) or not getattr(rule, name).strip():
            found.append(f"{name}: {quoted(getattr(rule, name))} is not accepted; give a few words")
    return found or [
        *_about_numbers(rule),
        *_about_states(rule),
        *_about_choices(rule),
        *about_functions(rule),
    ]


def _about_numbers(rule: Any) -> Iterator[str]:
    """Say what is wrong with the parameters of a rule, and with what hands them to its functions."""
    parameters = rule.parameters
    if not isinstance(parameters, tuple) or not all(isinstance(one, Parameter) for one in parameters):
        yield f"parameters: {quoted(parameters)} is not accepted; give a tuple, as (parameter(...),)"
        return
    names = [parameter.name for parameter in parameters]
    for parameter in parameters:
        yield from _about_parameter(parameter, names)
    for name in ("prepare", "store"):
        given = getattr(rule, name, None)
        if given is not None and not callable(given):
            yield f"{name}: {quoted(given)} is not accepted; give a function {name}(scenario, values)"
    if isinstance(rule, Protocol):
        missing = {"probes", "cancel"} - set(names)
        yield from (f"parameters: a protocol has one called {one!r}, as sparrow" for one in sorted(missing))
        if rule.asks and rule.asks not in names:
            yield f"asks: {quoted(rule.asks)} is not accepted; give the name of a parameter, or ''"


def _about_states(rule: Any) -> Iterator[str]:
    """Say what is wrong with what a rule keeps of jobs and slots."""
    for state in ("job_state", "slot_state"):
        begins = getattr(rule, state, {})
        if not isinstance(begins, Mapping):
            yield f"{state}: {quoted(begins)} is not accepted; give names and first numbers, as {{'seen': 0}}"
            continue
        for name, first in begins.items():
            if not isinstance(name, str) or not name.isidentifier() or hasattr(np.record, name):
                yield f"{state}: {quoted(name)} is not accepted; give another word of Python"
            elif isinstance(first, bool) or not isinstance(first, (int, float)):
                yield f"{state}: {name} begins with {quoted(first)}; give a number, 0 if it is whole, or 0.0"


def _about_choices(rule: Any) -> Iterator[str]:
    """Say what is wrong with what is declared beside parameters and functions."""
    when = getattr(rule, "when", WHEN[0])
    if not callable(when) and when not in WHEN:
        yield f"when: {quoted(when)} is not accepted; give one of {', '.join(WHEN)}"
    formulas = getattr(rule, "formulas", ())
    if not callable(formulas) and not (
        isinstance(formulas, tuple) and all(isinstance(one, Formula) for one in formulas)
    ):
        yield f"formulas: {quoted(formulas)} is not accepted; give a tuple, as (Formula(...),)"


def _is_ours(rule: Any) -> bool:
    """Whether a rule is the one of that key in this project."""
    return registry_of(type(rule)).get(rule.key) is rule


def _about_parameter(parameter: Parameter, names: list[str]) -> list[str]:
    found, about = [], parameter.about
    if not parameter.name.isidentifier() or names.count(parameter.name) > 1:
        found.append(f"parameter {quoted(parameter.name)}: give each a name of its own, a word of Python")
    if not (math.isfinite(about.low) and (math.isfinite(about.high) or about.high == math.inf)):
        found.append(f"parameter {parameter.name}: give it a smallest and a largest value (low=, high=)")
    try:
        parameter.read(parameter.default)
    except BadInput as error:
        found.append(f"parameter {parameter.name}: its default is not accepted: {error}")
    return found


#: The variable that names files, separated as in PATH, and the group of entry points.
NAMED, GROUP = "STRAGGLER_LAB_POLICIES", "straggler_lab.policies"
#: Bytes of a file of rules, at most; and how the name of its module begins.
MOST_BYTES, _PREFIX = 2**20, "straggler_lab_own_"


@dataclass(frozen=True, slots=True)
class Source:
    """Where rules are from, as it is sent to other processes.

    Parameters
    ----------
    name : str
        Of the file, or of the module of a package; empty if they were made in Python.
    digest : str
        Of its text.
    text : str
        The file; empty for a module, which the other process has installed.
    """

    name: str
    digest: str
    text: str = ""


_lock = threading.RLock()
_begun = False
#: Kind of rule and key -> where the rule is from.
_sources: dict[tuple[type, str], Source] = {}
_watchers: list[Callable[[], object]] = [forget_read]
_Kind = TypeVar("_Kind", bound=Rule)


def on_change(forget: Callable[[], object]) -> None:
    """Have a function called when rules have changed, such as one that forgets what was read from them."""
    _watchers.append(forget)


def load() -> None:
    """Register what the environment names, once a process.

    Raises
    ------
    BadInput
        If a file or a package cannot be used, naming it and the line.
    """
    global _begun
    with _lock:
        if _begun:
            return
        _begun = True  # before anything is run, which may ask for rules itself
        try:
            for name in filter(None, os.environ.get(NAMED, "").split(os.pathsep)):
                register(name)
            for point in sorted(entry_points(group=GROUP), key=lambda one: one.name):
                _installed(point.value.partition(":")[0])
        except BaseException:
            _begun = False
            raise


def rules(kind: type[_Kind]) -> Mapping[str, _Kind]:
    """Return all rules of a kind by key, ours first; imports Numba."""
    load()
    return registry_of(kind)


def use(files: Iterable[str]) -> None:
    """Register files here and in the processes that this one starts."""
    names = [str(Path(name).absolute()) for name in files]
    load()
    for name in names:
        register(name)
    given = os.environ.get(NAMED, "").split(os.pathsep)
    os.environ[NAMED] = os.pathsep.join(dict.fromkeys(filter(None, [*given, *names])))


def register(*given: Any) -> list[str]:
    """Add rules of one's own to the menus, the shell and everything else that reads policies.

    Parameters
    ----------
    *given : str, Path, module or rule
        A file, a module, or rules (`Sharing`, `Speculation`, `Redundancy`, `Protocol`), as
        ``docs/how-to/write-a-rule.md`` shows them. A rule of one's own that was registered before is
        replaced.

    Returns
    -------
    list of str
        Keys of the rules.

    Raises
    ------
    BadInput
        Saying what cannot be used, and why.
    """
    load()
    added: list[str] = []
    with _lock:
        for one in given:
            if isinstance(one, (str, Path)):
                added += _file(one)
            elif isinstance(one, ModuleType):
                added += _add(_rules(one, one.__name__), Source(one.__name__, _digest_of(one)), one.__name__)
            else:
                added += _add([one], Source("", ""), "register")
    return added


def sources(policies: Iterable[Policy]) -> tuple[Source, ...]:
    """Return where the rules of one's own in some policies are from."""
    if not _sources:
        return ()
    keys = {rule.key for policy in policies for rule in policy.rules.values()}
    return tuple(dict.fromkeys(source for (_, key), source in _sources.items() if key in keys))


def keys() -> list[str]:
    """Return the keys of all rules of one's own."""
    load()
    return [key for _, key in _sources]


def kinds(keys: Iterable[str]) -> list[type]:
    """Return the kinds of some rules of one's own."""
    wanted = set(keys)
    return list(dict.fromkeys(kind for kind, key in _sources if key in wanted))


def state() -> str:
    """Return a digest of all rules of one's own, empty if there are none."""
    load()
    text = "".join(sorted(source.digest for source in _sources.values()))
    return hashlib.sha256(text.encode()).hexdigest()[:8] if text else ""


def ensure(wanted: Iterable[Source]) -> None:
    """Register what another process has sent, unless it is here already.

    Raises
    ------
    BadInput
        If a package is not here, or another version of it.
    """
    for source in wanted:
        with _lock:
            if source in _sources.values():
                continue
            if not source.name:
                raise BadInput(
                    "executor: a rule that was made in Python cannot be sent to another process; "
                    "put it in a file and register that"
                )
            if source.text:
                load()
                _run(source)
            elif source not in _sources.values():
                _installed(source.name)
                if source not in _sources.values():
                    name = shortened(source.name)
                    raise BadInput(f"executor: a worker has another version of {name}; install the same")


def forget() -> None:
    """Take all rules of one's own away, as if none had been named."""
    global _begun
    with _lock:
        for kind, key in _sources:
            registry_of(kind).pop(key, None)
        _sources.clear()
        _begun = False
        _changed()


def _file(name: str | Path) -> list[str]:
    """Register the rules of a file."""
    try:
        with opened(name) as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise BadInput(
            f"policies: {quoted(str(name))} cannot be read ({reason}); give a file of Python"
        ) from None
    if len(data) > MOST_BYTES:
        raise BadInput(
            f"policies: {quoted(str(name))} is larger than {MOST_BYTES >> 20} MiB; give a file of rules"
        )
    return _run(Source(Path(name).name, hashlib.sha256(data).hexdigest()[:16], text))


def _run(source: Source) -> list[str]:
    """Run the text of a file as a module, and register its rules."""
    path = _copy(source)
    stem = re.sub(r"\W", "_", Path(source.name).stem)
    module = ModuleType(f"{_PREFIX}{stem}_{source.digest}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where Numba looks for it
    warnings.filterwarnings("default", category=DeprecationWarning, module=_PREFIX)  # of old names
    try:
        exec(compile(source.text, path, "exec"), vars(module))
        return _add(_rules(module, source.name), source, source.name)
    except BadInput:
        raise
    except Exception as error:
        del sys.modules[module.__name__]
        raise BadInput(f"policies: {shortened(source.name)}, {_where(error, str(path))}") from None


def _copy(source: Source) -> Path:
    """Write the text of a file where compiled code is kept; return where it is."""
    from sim.kernel.folder import cache_folder

    folder = cache_folder("policies")
    path = (folder or Path()) / f"{Path(source.name).stem}-{source.digest}.py"
    if folder is not None and not path.exists():
        beside = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        try:
            beside.write_text(source.text, encoding="utf-8")
            os.replace(beside, path)
        except OSError:
            beside.unlink(missing_ok=True)  # then code is compiled anew each time
    return path


def _installed(name: str) -> list[str]:
    """Register the rules of a module of an installed package."""
    try:
        module = import_module(name)
    except Exception as error:
        raise BadInput(
            f"policies: the module {shortened(name)} cannot be imported ({type(error).__name__}: {error})"
        ) from None
    return _add(_rules(module, name), Source(name, _digest_of(module)), name)


def _digest_of(module: ModuleType) -> str:
    path = getattr(module, "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""


def _rules(module: ModuleType, name: str) -> list[Any]:
    found = [*getattr(module, "RULES", ()), *([module.RULE] if hasattr(module, "RULE") else [])]
    if not found:
        told = shortened(name)
        raise BadInput(f"policies: {told} declares no rule; end it with RULE = Speculation(...) or the like")
    return found


def _add(rules: Iterable[Any], source: Source, name: str) -> list[str]:
    """Check declarations, all before any is registered."""
    rules = [checked(rule, shortened(name)) for rule in rules]
    for rule in rules:
        registry = registry_of(type(rule))
        if rule.key in registry and (type(rule), rule.key) not in _sources:
            raise BadInput(f"policies: {shortened(name)}: key {quoted(rule.key)} is taken; choose another")
    for rule in rules:
        registry_of(type(rule))[rule.key] = rule
        _sources[type(rule), rule.key] = source
    _changed()
    return [rule.key for rule in rules]


def _changed() -> None:
    for watcher in _watchers:
        watcher()


def _where(error: Exception, path: str) -> str:
    """Say in which line of a file something went wrong, and what."""
    line, trace = getattr(error, "lineno", None), error.__traceback__
    while trace and not isinstance(error, SyntaxError):
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}: {type(error).__name__}: {getattr(error, 'msg', None) or error}"
