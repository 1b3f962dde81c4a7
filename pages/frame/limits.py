"""What a teacher's link limits: controls that it fixes, and the few that a class meets.

``lock=load,beta`` fixes these controls: they are shown as facts. ``show=tasks`` leaves only these (and facts)
on the page. Whoever opens the page without the link has all controls: limits are no protection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from sim.model.fields import in_full
from theory.quoting import quoted

#: Parameters of a link.
LOCK, SHOW = "lock", "show"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a page: name -> value of what is fixed; names of what is shown, None for all."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    shown: tuple[str, ...] | None = None

    def fixes(self, name: str) -> bool:
        """Whether a control is a fact."""
        return name in self.fixed

    def hides(self, name: str) -> bool:
        """Whether a control is not on the page.

        Examples
        --------
        >>> few = Limits({"load": 0.5}, ("beta",))
        >>> [few.hides(name) for name in ("load", "beta", "slots")], Limits().hides("slots")
        ([False, False, True], False)
        """
        return self.shown is not None and name not in self.shown and name not in self.fixed

    def leaves(self, name: str) -> bool:
        """Whether a control can be moved."""
        return not (self.fixes(name) or self.hides(name))

    def address(self, links: Mapping[str, str]) -> dict[str, str]:
        """Return the limits as a link has them; controls by their names in links, of which these differ."""
        listed = {LOCK: [*self.fixed] or None, SHOW: self.shown}
        return {
            which: ",".join(links.get(name, name) for name in names)
            for which, names in listed.items()
            if names is not None
        }


def limits(page: str) -> Limits:
    """Return the limits of a page for this visitor."""
    held: Limits = st.session_state.get(_key(page), Limits())
    return held


def called(name: str, known: Mapping[str, str]) -> str:
    """Return the control that a name in a link stands for; what stands for none as it is.

    Parameters
    ----------
    name : str
        A control's name in links, its own, which old links have, or a symbol of the papers.
    known : mapping of str to str
        Name in links -> control.

    Examples
    --------
    >>> known = {"beta": "straggle_tail", "load": "load"}
    >>> [called(name, known) for name in ("beta", "β", "straggle_tail", "load", "gamma")]
    ['straggle_tail', 'straggle_tail', 'straggle_tail', 'load', 'gamma']
    """
    controls = {**{control: control for control in known.values()}, **known}
    return controls.get(in_full(name, controls), name)


def read(given: Mapping[str, str], known: Mapping[str, str]) -> tuple[Limits, list[str]]:
    """Return the limits of a link, with names for values, and what of them cannot be used.

    Examples
    --------
    >>> read({"lock": "beta,gamma"}, {"load": "load", "beta": "tail"})
    (Limits(fixed={'tail': None}, shown=None), ["lock: 'gamma' is not accepted; give some of load, beta"])
    """
    messages: list[str] = []
    fixed, shown = (_names(one, given.get(one), known, messages) for one in (LOCK, SHOW))
    return Limits(dict.fromkeys(fixed or ()), shown), messages


def _names(
    which: str, text: str | None, known: Mapping[str, str], messages: list[str]
) -> tuple[str, ...] | None:
    """Return the known names of a text; None where there is none, or none is known of those given."""
    if text is None:
        return None
    given = filter(None, map(str.strip, text.split(",")))
    names = list(dict.fromkeys(called(name, known) for name in given))
    accepted = ", ".join(known)
    controls = {*known.values()}
    wrong = [name for name in names if name not in controls]
    messages += [f"{which}: {quoted(name)} is not accepted; give some of {accepted}" for name in wrong]
    used = tuple(name for name in names if name in controls)
    return None if wrong and not used else used


def keep(page: str, found: Limits, values: Mapping[str, Any]) -> None:
    """Keep the limits of a page: what is fixed stays at these values."""
    st.session_state[_key(page)] = Limits({name: values[name] for name in found.fixed}, found.shown)


def any_of(page: str, names: Iterable[str]) -> bool:
    """Whether any of these controls is on the page."""
    held = limits(page)
    return not all(map(held.hides, names))


def _key(page: str) -> str:
    return f"{page}:limits"
