"""Remedies as JSON, and as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.advice.whatif.remedies.judged import Judged, Remedies
from sim.advice.whatif.setting_effect import SettingEffect


def as_json(found: Remedies) -> dict[str, Any]:
    """Return all that is known of the remedies as values of JSON."""
    return {
        "sentence": found.sentence,
        "caveat": found.caveat,
        "first": found.first.remedy.key if found.first else None,
        "objective": found.objective,
        "each": {one.remedy.key: _each(one) for one in found.judged},
    }


def _each(one: Judged) -> dict[str, Any]:
    return {
        "title": one.remedy.title,
        "does": one.does,
        "advised": one.sure,
        "reason": one.reason,
        "shows": one.shows,
        "change": None if one.change is None else _changes(one.change),
        "ceiling": {"supposes": one.remedy.about, "change": _changes(one.ceiling)},
        "others": {does: _changes(change) for does, change in one.others.items()},
        "paste": {"told": one.paste.told, "file": one.paste.file, "settings": dict(one.paste.settings)},
        "limit": one.limit,
    }


def _changes(found: Mapping[str, SettingEffect]) -> dict[str, dict[str, float]]:
    return {name: {"value": one.value, "low": one.low, "high": one.high} for name, one in found.items()}


def row(found: Remedies, one: Judged) -> tuple[str, str, str, str]:
    """Return the change that is reached, that at most, that of slot-time, and what is said of the remedy."""
    reached = one.change[found.objective].percent if one.change else "no setting"
    extra = one.change["slot_time"].percent if one.change else "-"
    why = "advised" if one is found.first else "pays, but less is sure" if one.sure else one.reason
    return reached, one.ceiling[found.objective].percent, extra, why
