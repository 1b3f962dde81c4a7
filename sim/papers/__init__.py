"""The claims of the papers: what each says in `sim/content/claims.toml`, how ours is measured here.

A claim is one table there and one function in the `COMPUTE` of its paper's file, both found by its key.
``python -m sim reproduce`` computes them; the outcome at the scale of the papers is in `results.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sim.model.fields import BadInput, unknown
from sim.papers import aktas_soljanin, dolly, hopper, xu_lau
from sim.papers.claim import Claim, Measured, Region
from sim.telling.content import FOLDER, ContentError, Section, made, tables

#: The table of the texts that several claims have.
TEXTS = "texts"
#: Key of a claim -> what measures it.
COMPUTE: dict[str, Callable[[bool], Measured]] = (
    hopper.COMPUTE | aktas_soljanin.COMPUTE | xu_lau.COMPUTE | dolly.COMPUTE
)


def joined(said: Mapping[str, Any], compute: Mapping[str, Callable[[bool], Measured]]) -> dict[str, Claim]:
    """Return the claims of these tables, in their order, measured by these functions.

    Raises
    ------
    ContentError
        If a table has no function or a function no table, or a line is missing or one too many.
    """
    texts = said.get(TEXTS, {})
    for key in compute.keys() - said.keys():
        raise ContentError(f"claims.toml: {key}: a function measures it, and there is no table")
    found = {}
    for key, table in said.items():
        where = f"claims.toml: {key}"
        if key == TEXTS:
            continue
        if key not in compute:
            raise ContentError(f"{where}: no function of COMPUTE measures it")
        given = {name: _read(value, texts, where) for name, value in table.items()}
        found[key] = made(Claim, where, key=key, compute=compute[key], **given)
    return found


def _read(value: Any, texts: Mapping[str, str], where: str) -> Any:
    """Return a value of a table as a claim has it: with the texts it names, two numbers as a region."""
    if isinstance(value, dict):
        return {name: _read(one, texts, where) for name, one in value.items()}
    if isinstance(value, list):
        return Region(*map(float, value))
    if isinstance(value, str):
        return Section(where, text=value).told(texts)
    return value


#: Key -> claim.
CLAIMS = joined(tables(FOLDER / "claims.toml"), COMPUTE)


def chosen(keys: list[str]) -> list[Claim]:
    """Return the claims of these keys; a key may end early (``xl-fig2``), and ``all`` means all.

    Raises
    ------
    BadInput
        If no claim is called so, with the nearest key.

    Examples
    --------
    >>> [claim.key for claim in chosen(["xl-fig4-alpha2"])]
    ['xl-fig4-alpha2']
    """
    found: dict[str, Claim] = {}
    for key in keys:
        here = {
            name: claim
            for name, claim in CLAIMS.items()
            if key in (name, "all") or name.startswith(f"{key}-")
        }
        if not here:
            raise unknown("claim", key, list(CLAIMS))
        found |= here
    if not found:
        raise BadInput("claim: none is given; give at least one, or all")
    return list(found.values())
