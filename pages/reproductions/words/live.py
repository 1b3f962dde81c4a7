"""The link to the page on which a visitor can try a claim's setting."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Live:
    """A page in a setting: its name, what its link has, and what differs from the paper's, if anything."""

    page: str
    query: dict[str, str]
    but: str = ""


_PROBES = {
    "load": "0.7",
    "workers": "2000",
    "schedulers": "50",
    "tasks_max": "100",
    "benefit": "1",
    "length": "20",
}
_SMALL = "2,000 of the 10,000 workers: the shell runs all"
_WEIGHT = {"preset": "aktas-beta3", "load": "0.6"}
_HEAVY = {"preset": "aktas", "load": "0.6"}
#: Beginning of a claim's key, the longest that fits counts -> where its setting is live.
LIVE = {
    "hopper-theorems": Live("allocation", {}),
    "hopper-section43": Live("compare", {"preset": "hopper-fair"}),
    "hopper-section44": Live("compare", {"preset": "hopper-locality"}),
    "hopper-fig5a": Live("decentralised", _PROBES | {"rivals": "hopper+budget;sparrow+late"}, _SMALL),
    "hopper-fig5b": Live("decentralised", _PROBES | {"refusals": "2", "rivals": "hopper+budget"}, _SMALL),
    "as": Live("coding", _WEIGHT),
    "as-fig2-helps-beta1-5": Live("coding", _HEAVY | {"load": "0.5", "d": "inf"}),
    "as-fig2-threshold-beta1-5": Live("coding", _HEAVY),
    "as-fig2-unstable-beta1-5": Live("coding", _HEAVY | {"load": "0.7", "d": "inf"}),
    "as-fig2-helps-beta3": Live("coding", _WEIGHT | {"load": "0.5", "d": "inf"}),
    "as-fig2-unstable-beta3": Live("coding", _WEIGHT | {"load": "0.7", "d": "inf"}),
    "as-fig3": Live("coding", _WEIGHT | {"learned": "1"}),
    "as-fig3-learns-beta1-5": Live("coding", _HEAVY | {"learned": "1"}),
    "xl-fig1": Live("detection", {}),
    "xl-theorems": Live("detection", {}),
    "xl-fig2": Live("compare", {"preset": "xu-lau-fig2"}),
    "xl-fig3": Live("compare", {"preset": "xu-lau-fig3"}),
    "xl-fig4": Live("detection", {}),
    "xl-fig4-alpha3": Live("detection", {"alpha": "3.0"}),
    "xl-fig5": Live("compare", {"preset": "xu-lau-fig5"}),
    "xl-fig6": Live("compare", {"preset": "xu-lau-fig6-40"}),
    "xl-fig6-resource-30": Live("compare", {"preset": "xu-lau-fig6-30"}),
    "dolly": Live("cloning", {}),
    "dolly-fig6": Live("compare", {"preset": "dolly-fig6"}),
}


def live(key: str) -> Live:
    """Return where a claim's setting is live.

    Examples
    --------
    >>> live("xl-fig6-resource-30").query
    {'preset': 'xu-lau-fig6-30'}
    """
    fitting = [one for one in LIVE if key == one or key.startswith(f"{one}-")]
    return LIVE[max(fitting, key=len)]
