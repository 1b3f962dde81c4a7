"""Settings that somebody advises: read from a text, and told by what they are about.

The text is written as the files and command lines of the systems are: ``key=value``, ``key value``,
``key: value`` (also nested), ``--conf key=value``, ``-Dkey=value``, properties in XML, or calls such as
``.config("key", "value")``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache

from sim.advice.whatif.systems import FLINK, SPARK, SYSTEMS, System, seconds_of, switched_on, today
from sim.engines.slots.scenario import SlotPolicy, read_policy
from sim.logs.history import History
from sim.model.fields import BadInput, canonical, unknown
from sim.model.policy import Parameter
from sim.telling.content import FOLDER, made, tables
from theory.quoting import quoted, shortened

#: Characters and settings of an advice, at most.
MOST_TEXT, MOST_SETTINGS = 20_000, 100
_ACCEPTED = "give settings as the system reads them, such as spark.speculation=true"
#: How alike a name and a setting of copies are, from which it is taken to be misspelt.
_ALIKE = 0.9
_XML = re.compile(r"<name>\s*([^<\s]+)\s*</name>\s*<value>\s*([^<]*?)\s*</value>")
_HEADER = re.compile(r"( *)([\w./-]+):(?:[ \t]+(\S.*?))?[ \t]*")
_CALL = re.compile(r"(?<![\w.])[\w.]*\b(?:set|config|setString|setBoolean|setInteger|setInt)\(")
_WORDS = re.compile(
    r"(?<!\S)(?:--conf|--properties|-c|--|set|SET|spark-submit|sbatch|srun|#SBATCH)(?=[\s=]|$)=?"
)
_VALUE = r"""(?:"([^"]*)"|'([^']*)'|(\d+(?:\.\d+)?[ ](?:ms|s|sec|min|h|d)\b|(?!--)[^\s"'`;]+))"""
_ITEM = re.compile(
    r"(?P<jvm>-X[^\s\"',;]+)"
    rf"|(?P<flag>--[a-z][\w-]*)(?:(?:=|[ \t]+(?!-)){_VALUE})?"
    rf"|(?P<key>[A-Za-z][\w-]*(?:[./][\w-]+)*)(?:[\"']?\s*,\s*(?=[\"'\w])|[\"']?[ \t]*[=:][ \t]*){_VALUE}"
    rf"|(?P<dotted>[A-Za-z][\w-]*(?:\.[\w-]+)+)(?:[ \t]+(?:to[ \t]+)?{_VALUE})?"
)


@dataclass(frozen=True)
class Family:
    """Settings that the lab does not model.

    Parameters
    ----------
    about : str
        What they are about.
    instead : str
        Where to look in place of a what-if.
    names : list of str
        Settings; ``*`` stands for anything.
    """

    about: str
    instead: str
    names: list[str]


def settings_of(text: str) -> dict[str, str]:
    """Read an advice as settings and their values, in their order.

    Raises
    ------
    BadInput
        Naming the words that are no setting.

    Examples
    --------
    >>> settings_of("--conf spark.speculation=true --conf 'spark.speculation.quantile=0.5' --mem 8G")
    {'spark.speculation': 'true', 'spark.speculation.quantile': '0.5', '--mem': '8G'}
    >>> settings_of("slow-task-detector.execution-time.baseline-lower-bound: 1 min")
    {'slow-task-detector.execution-time.baseline-lower-bound': '1 min'}
    """
    if len(text) > MOST_TEXT:
        raise BadInput(
            f"advice: {len(text):,} characters are more than {MOST_TEXT:,}; give the settings alone"
        )
    found: dict[str, str] = {}
    for key, value in _items(_plain(text)):
        if found.setdefault(key, value) != value:
            raise BadInput(
                f"{shortened(key)}: {quoted(value)} and {quoted(found[key])} are both advised; give one"
            )
    if not found:
        raise BadInput(f"advice: {quoted(text)} names no setting; {_ACCEPTED}")
    if len(found) > MOST_SETTINGS:
        raise BadInput(f"advice: {len(found):,} settings are more than {MOST_SETTINGS:,}; give fewer")
    return found


def _plain(text: str) -> str:
    """Return an advice without comments, tags and calls, nested keys in full."""
    lines = re.sub(r"^[ \t]*(?:#(?!SBATCH)|//|```).*$", "", _XML.sub(r'\1="\2"\n', text), flags=re.MULTILINE)
    lines = re.sub(r"</?[a-z]+>|\\$", " ", lines, flags=re.MULTILINE)
    lines = _WORDS.sub(" ", _CALL.sub(" ", _in_full(lines)))
    return re.sub(r"(?<!\S)-D(?=[a-z])", "", lines)


def _in_full(text: str) -> str:
    """Return YAML with the names above a nested key before it."""
    lines = [line for line in text.splitlines() if line.strip()]
    parts = [_HEADER.fullmatch(line.replace("\t", "  ")) for line in lines]
    if not any(part and part[3] is None for part in parts) or not all(parts):
        return text
    above: list[tuple[int, str]] = []
    told = []
    for indent, key, value in (part.groups() for part in parts if part):
        above = [one for one in above if one[0] < len(indent)]
        name = ".".join([*(one[1] for one in above), key])
        if value is None:
            above.append((len(indent), key))
        else:
            told.append(f"{name}: {value}")
    return "\n".join(told)


def _items(text: str) -> Iterator[tuple[str, str]]:
    """Yield settings and values; refuse what lies between them."""
    place = 0
    while place < len(text):
        if text[place] in " \t\r\n\"'`;,(){}[]":
            place += 1
            continue
        item = _ITEM.match(text, place)
        if item is None:
            word = text[place:].split()[0]
            raise BadInput(f"advice: {quoted(word)} is not accepted; {_ACCEPTED}")
        name = item["jvm"] or item["flag"] or item["key"] or item["dotted"]
        values = [one for one in item.groups() if one is not None and one != name]
        yield name, values[0].rstrip(",;)}]").strip() if values else ""
        place = item.end()


@cache
def families() -> dict[str, Family]:
    """Return the families of settings that the lab does not model."""
    return {
        key: made(Family, f"settings.toml: {key}", **one)
        for key, one in tables(FOLDER / "settings.toml").items()
    }


def family_of(key: str) -> str:
    """Return the family of a setting; empty where none is known.

    Examples
    --------
    >>> family_of("spark.executor.memory"), family_of("--mem"), family_of("my.own")
    ('memory', 'memory', '')
    """
    found = [
        (len(name.replace("*", "")), one)
        for one, of in families().items()
        for name in of.names
        if fnmatchcase(key, name)
    ]
    return max(found)[1] if found else ""


def owner_of(key: str) -> System | None:
    """Return the system whose copies a setting is about; None if it is about something else.

    Raises
    ------
    BadInput
        If it is a misspelt one, with the setting that is meant.

    Examples
    --------
    >>> owner_of("spark.speculation.quantile").title, owner_of("spark.executor.memory")
    ('Apache Spark', None)
    >>> owner_of("spark.speculation.quantil")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: setting: 'spark.speculation.quantil' is not known; did you mean ...
    """
    for system in SYSTEMS.values():
        if key in _own(system.key):
            return system
    if family_of(key):
        return None
    near = get_close_matches(key, [name for one in SYSTEMS for name in _own(one)], n=1, cutoff=_ALIKE)
    for system in SYSTEMS.values():
        own = _own(system.key)
        if set(near) & own.keys() or key.startswith(system.switches[0].removesuffix(".enabled") + "."):
            raise unknown("setting", key, list(own))
    return None


@cache
def _own(system: str) -> dict[str, Parameter | None]:
    """Return the settings of a system's copies; the switches have no parameter."""
    switches = dict.fromkeys(SYSTEMS[system].switches)
    declared = read_policy(f"fifo+{system}").speculation.declared
    return switches | {p.setting: p for p in declared if p.setting}


def check_value(system: System, key: str, text: str) -> float:
    """Return the value of a setting of copies; of a switch 1 or 0, of a time seconds.

    Raises
    ------
    BadInput
        Naming the setting, the value, and what is accepted.

    Examples
    --------
    >>> check_value(SPARK, "spark.speculation", "TRUE"), check_value(SPARK, SPARK.switches[0], "false")
    (1.0, 0.0)
    >>> check_value(SPARK, "spark.speculation.quantile", "75")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: spark.speculation.quantile: '75' is not accepted; give a number from 0 to 1
    """
    parameter = _own(system.key)[key]
    if parameter is None:
        if text.lower() not in ("true", "false"):
            raise BadInput(f"{key}: {quoted(text)} is not accepted; give true or false")
        return float(text.lower() == "true")
    if not parameter.about.is_time:
        return float(canonical(key, text, int if parameter.whole else float, parameter.about))
    with_unit = system in (SPARK, FLINK)
    size = seconds_of(text.removeprefix("-")) if with_unit or text.removeprefix("-").isdigit() else None
    seconds = None if size is None else math.copysign(size, -1 if text.startswith("-") else 1)
    low, high = parameter.about.low, parameter.about.high
    if seconds is None or not low <= seconds <= high:
        how = "a time such as 100ms, 2s or 1min" if with_unit else "a time in milliseconds"
        raise BadInput(f"{key}: {quoted(text)} is not accepted; give {how}, from {low:g} s to {high:g} s")
    return seconds


@dataclass(frozen=True)
class Asked:
    """The policy that settings of copies ask for.

    Parameters
    ----------
    policy : SlotPolicy or None
        None where it cannot be played.
    note : str
        What was supposed, or why it cannot be played; may be empty.
    """

    policy: SlotPolicy | None
    note: str = ""


def policy_of(system: System, history: History, settings: Mapping[str, str]) -> Asked:
    """Return what settings of copies make of today's policy.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import spark
    >>> history = read_history(spark(speculation=False))
    >>> found = policy_of(SPARK, history, {"spark.speculation.quantile": "0.5"})
    >>> found.policy.text, found.note[-38:]
    ('fifo+spark:quantile=0.5', 'ng: judged with spark.speculation=true')
    """
    values = {key: check_value(system, key, text) for key, text in settings.items()}
    now = read_policy(today(history))
    is_on = now.speculation.key == system.key
    states = {bool(values.get(name, is_on)) for name in system.switches}
    switched = any(name in values for name in system.switches)
    if len(states) > 1:
        return Asked(None, f"copies are played with {' and '.join(system.switches)} alike: give both")
    note = ""
    if not is_on and not switched:
        on = " ".join(f"{name}=true" for name in system.switches)
        note = f"copies are off in this log, and these settings alone change nothing: judged with {on}"
    elif states == {False}:
        return Asked(read_policy(f"{now.sharing.key}+none"))
    base = switched_on(system, history)
    own = _own(system.key)
    changed = {p.name: values[key] for key in values if (p := own[key]) is not None}
    policy = read_policy(f"{base.sharing.key}+{base.speculation.with_(**changed).text}")
    return Asked(policy, note)
