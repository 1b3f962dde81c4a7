"""What the fields inside of the answers mean, and the names that pages have in cards and columns.

Parts of the JSON of a diagnosis and of a what-if are explained beside these, causes and states where they are
found; what is named here has no other place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from sim.advice.diagnosis import CAUSES
from sim.advice.diagnosis import report as diagnosis
from sim.advice.diagnosis.account import STATES
from sim.advice.whatif import report as whatif
from sim.advice.whatif.remedies.judged import REMEDIES
from sim.engines.registry import ENGINES
from sim.model.fields import BadInput, unknown
from sim.shell.listings import rule_as_dict
from sim.telling.content import FOLDER, tables
from sim.telling.glossary import TERMS
from theory.quoting import quoted

_TOLD = tables(FOLDER / "fields.toml")
#: Field of the JSON, of any answer -> what it says.
FIELDS = _TOLD["json"]
#: Name in a card, a column or a title of the pages -> what it says; without its unit.
SCREEN = _TOLD["page"] | {name: FIELDS[field] for name, field in _TOLD["field"].items()}


# What a word of an answer or of a page means.
#
# A term, a state of a job, a cause, a part or a field of the JSON, a name on a page, a remedy, or a rule.


def as_json(word: str) -> dict[str, Any]:
    """Return all that a word means; without one, what can be asked for.

    Parameters
    ----------
    word : str
        A term of the glossary, a state of a job, a cause, a part or field of the JSON, a name on a page with
        or without its unit, a remedy, or a policy, such as ``fair+late:speculative_cap=0.2``, whose rules are
        explained.

    Raises
    ------
    BadInput
        If it is none of these, with the nearest that is.

    Examples
    --------
    >>> found = as_json("first wave")
    >>> [(one["kind"], one["name"]) for one in found["meanings"]]
    [('term', 'first wave'), ('cause', 'first_wave')]
    """
    known = list(_known())
    if not word.strip():
        return {
            "words": {kind: sorted({one["name"] for one in known if one["kind"] == kind}) for kind in KINDS}
        }
    asked = {_plain(part.partition(":")[0]) for part in (word, *word.split("+"))}
    terms = {term.word for term in TERMS if term.is_in(word.replace("_", " "))}
    found = [
        one
        for one in known
        if one["name"] in terms or asked & {_plain(one["name"]), _plain(one.get("title", ""))}
    ]
    if not found:
        if near := get_close_matches(word, {one["name"] for one in known}, n=5):
            raise unknown("word", word, near)
        raise BadInput(f"word: {quoted(word)} is not known; without a word, all that are known are listed")
    return {"word": word, "meanings": found}


#: Kinds of what has a meaning.
KINDS = (
    *("term", "state of a job", "cause", "part of a diagnosis", "part of a what-if", "field of the JSON"),
    *("name on a page", "remedy", "rule"),
)


def _known() -> Iterator[dict[str, Any]]:
    """Yield whatever has a meaning."""
    term, of_job, cause, of_diagnosis, of_whatif, field, screen, remedy, rule = KINDS
    for one in TERMS:
        yield {"kind": term, "name": one.word, "meaning": one.meaning}
    for key, state in STATES.items():
        meaning = f"{state.meaning}; {state.advice}"
        yield {"kind": of_job, "name": key, "title": state.title, "meaning": meaning}
    for name, called in CAUSES.items():
        yield {"kind": cause, "name": name, "title": called.title, "meaning": called.meaning}
    for kind, parts in (
        *((of_diagnosis, diagnosis.MEANINGS), (of_whatif, whatif.MEANINGS)),
        *((field, FIELDS), (screen, SCREEN)),
    ):
        yield from ({"kind": kind, "name": name, "meaning": meaning} for name, meaning in parts.items())
    for way in REMEDIES:
        yield {"kind": remedy, "name": way.key, "title": way.title, "meaning": f"at the most, {way.about}"}
    for key, engine in ENGINES.items():
        for role, rules in engine.implementation.policy.registries().items():
            for name, declared in rules.items():
                told = rule_as_dict(declared)
                meaning = told.pop("summary")
                yield {"kind": rule, "name": name, "engine": key, "role": role, "meaning": meaning} | told


def _plain(text: str) -> str:
    """Return a name without its unit, and without what only a programming language needs."""
    text = re.sub(r" \((?:h|s|%|×|money|slot·s)\)$", "", text.strip())
    return text.casefold().replace("_", " ").replace("-", " ")


def as_text(found: dict[str, Any]) -> str:
    """Return what `as_json` has found in lines.

    Examples
    --------
    >>> print(as_text(as_json("failures")))
    failures (cause): attempts that failed or were killed and ran again
    """
    if "words" in found:
        return "\n".join(f"{kind}: {', '.join(names)}" for kind, names in found["words"].items())
    return "\n".join(line for one in found["meanings"] for line in _lines(one))


def _lines(one: dict[str, Any]) -> Iterator[str]:
    title = f", {title}" if (title := one.get("title", "")) not in ("", one["name"]) else ""
    where = f" of {one['role']} in the engine {one['engine']}" if "engine" in one else ""
    yield f"{one['name']}{title} ({one['kind']}{where}): {one['meaning']}"
    for name, about in one.get("parameters", {}).items():
        yield f"  {name}={about['default']:g}  {about['text']} ({about['accepted']})"
