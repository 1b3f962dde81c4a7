"""Links: every control of a page is in its address, with a version; unusable values are explained.

A page's panel gives its controls as `Entry` values. `open_link` fills the controls from the address (or
from what they were when the visitor left the page) before the widgets are made; `write_link` puts
what differs from the defaults into the address after they have been read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages.frame import carry_over
from pages.frame.limits import LOCK, SHOW, called, keep, limits, read
from pages.server.private import forget_pages_folder, uses_pages_folder
from pages.shared.words.foreign import literal, show_warning
from sim.model.fields import BadInput, unknown
from sim.telling.words import listed
from theory.quoting import quoted

#: Version of the meaning of links; one more when a parameter changes its meaning.
VERSION = "1"
#: Parameters of how a page is shown, which are no control's: frames of other sites, and presenting.
EMBEDDED, SHOWN = ("embed", "embed_options"), "present"
#: Characters of the longest link that is read, as a browser sends them; ours have some hundreds.
LONGEST = 8192
#: Messages about a link that are shown one by one.
MOST_MESSAGES = 20


def as_text(value: Any) -> str:
    """Write a value as a link has it: numbers as short as they are exact."""
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


@dataclass(frozen=True)
class Entry:
    """A control as a link knows it.

    Parameters
    ----------
    name : str
        Name of the widget's value in the session (after the page's name), which old links have, too.
    link : str
        Name in the address: the same for the same symbol on all pages.
    default : object
        Value that is left out of the address.
    read : callable
        Turns the text of an address into a value; raises `BadInput`.
    write : callable
        The reverse.
    """

    name: str
    link: str
    default: Any
    read: Callable[[str], Any]
    write: Callable[[Any], str]


def key(page: str, name: str) -> str:
    """Key of a control's value in the session."""
    return f"{page}.{name}"


def open_link(
    page: str, entries: Callable[[Mapping[str, str]], Sequence[Entry]], versions: Sequence[str] = (VERSION,)
) -> list[str]:
    """Fill a page's controls from the address, once for each address, and explain what could not be used.

    Parameters
    ----------
    page : str
        Name of the page.
    entries : callable
        Takes the address's parameters and returns the page's entries, whose defaults may depend on them.
    versions : sequence of str, optional
        Of the links that are read.

    Returns
    -------
    list of str
        One message for each parameter that is not used.
    """
    given = {name: value for name, value in st.query_params.items() if name not in (*EMBEDDED, SHOWN)}
    written = st.session_state.get(f"{page}:address")
    if given == written:
        _keep(page)
        _fix(page)
        return []
    if not given and written is not None:  # back from another page: as it was left
        _restore(page)
        _take_along(page, entries({}))
        _fix(page)
        return []
    messages = []
    if (length := _length()) > LONGEST:
        given = {}
        messages.append(
            f"link: {length:,} characters are not accepted; give at most {LONGEST:,}. "
            "Nothing of it is used: the page starts from its defaults."
        )
    known = {entry.link: entry.name for entry in entries({})}
    named, twice = _named(given, known)
    listed = entries({name: given[one] for name, one in named.items()})
    found, wrong = read(given, known)
    messages += twice + _check(given, known, versions) + [f"{one}." for one in wrong]
    for entry in listed:
        value = entry.default
        if called_as := named.get(entry.name):
            try:
                value = _read(entry, given[called_as])
                carry_over.chosen(page, entry.name, value)
            except BadInput as error:
                default = entry.write(entry.default)
                instead = f"The link's value is replaced by {default}." if default else "It is left out."
                said = str(error)
                own = f"{entry.name}: "
                if said.startswith(own):  # by the name that the visitor has given
                    said = f"{called_as}: {said.removeprefix(own)}"
                messages.append(f"{said}. {instead}")
        remember(page, entry.name, value)
    keep(page, found, st.session_state[f"{page}:values"])
    if not given:
        _take_along(page, listed)
    return messages


def _named(given: Mapping[str, str], known: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return control -> the name by which a link gives it, and what is given by two names.

    Parameters
    ----------
    given : mapping of str to str
        The parameters of the link.
    known : mapping of str to str
        Name in links -> control.
    """
    named: dict[str, str] = {}
    messages = []
    for name in given:
        control = called(name, known)
        if control in named:
            other = named[control]
            said = f"not accepted together with {other}, which is the same; give one of them."
            messages.append(f"{name}: {said}")
        if control not in named or name in known:
            named[control] = name
    return named, messages


def _fix(page: str) -> None:
    """Set back what a link fixes, whatever a start or another control has made of it."""
    for name, value in limits(page).fixed.items():
        remember(page, name, value)


def _read(entry: Entry, text: str) -> Any:
    """Return the value of a text; a plus sign typed into an address arrives as a space."""
    try:
        return entry.read(text)
    except BadInput:
        if " " not in text:
            raise
        try:
            return entry.read(text.replace(" ", "+"))
        except BadInput:
            pass
        raise


def _take_along(page: str, entries: Sequence[Entry]) -> None:
    """Set the controls to what was chosen for the same thing elsewhere, and tell the visitor once."""
    listed = {entry.name: entry for entry in entries}
    told = []
    for name, meaning, value in carry_over.arriving(page):
        if not limits(page).leaves(name):
            continue
        entry = listed[name]
        try:
            value = entry.read(entry.write(value))
        except BadInput:
            continue  # this page cannot be set to that
        if value != st.session_state[key(page, name)]:
            remember(page, name, value)
            told.append(f"{meaning} {entry.write(value)}")
    if told:
        st.toast(literal(f"As on the pages before: {', '.join(told)}"), icon=":material/luggage:")


def enter() -> None:
    """Start again through `app.py` if this page was run without it.

    Until `st.navigation` has been called once in a process, Streamlit takes the files in a folder named
    ``pages`` for an older kind of page and runs the one in the address on its own, without `app.py`.
    """
    if uses_pages_folder():
        forget_pages_folder()
        st.rerun()


def remember(page: str, name: str, value: Any) -> None:
    """Set a control's value, before its widget is made, and for when the visitor comes back."""
    st.session_state[key(page, name)] = value
    st.session_state.setdefault(f"{page}:values", {})[name] = value


def values_of(page: str) -> dict[str, Any]:
    """Return the values of a page's controls; one look at the session is much cheaper than one at each."""
    start = key(page, "")
    held = st.session_state.to_dict()
    return {name.removeprefix(start): value for name, value in held.items() if name.startswith(start)}


def _restore(page: str) -> None:
    """Set all values as they were written last.

    The session has an older one of a control whose widget was not yet on the screen when the page was opened.
    """
    for name, value in st.session_state.get(f"{page}:values", {}).items():
        st.session_state[key(page, name)] = value


def _keep(page: str) -> None:
    """Bring back values whose widgets were not on the screen in the last run."""
    there = values_of(page)
    for name, value in st.session_state.get(f"{page}:values", {}).items():
        if name not in there:
            st.session_state[key(page, name)] = value


def _length() -> int:
    """Return the characters of the address behind the question mark, repeated parameters and all."""
    address = st.query_params
    return len(urlencode([(name, value) for name in address for value in address.get_all(name)]))


def _check(given: Mapping[str, str], known: Mapping[str, str], versions: Sequence[str]) -> list[str]:
    """Explain what a link has that this version does not know, or more than once; `known` as in `_named`."""
    messages = []
    if given.get("v", versions[0]) not in versions:
        told = f"v: this link is of version {quoted(given['v'])}; this page reads"
        messages.append(f"{told} version {listed(versions, 'or')}.")
    controls = {*known.values()}
    for name in given:
        if called(name, known) not in controls | {"v", LOCK, SHOW}:
            messages.append(f"{unknown('link', name, sorted(known))}.")
        elif len(set(values := st.query_params.get_all(name))) > 1:
            messages.append(
                f"{name}: given {len(values)} times; the last value, {quoted(given[name])}, counts."
            )
    return messages


def write_link(page: str, entries: Sequence[Entry], values: Mapping[str, Any], version: str) -> None:
    """Put what differs from the defaults into the address, after the version if it has one."""
    address = {"v": version} if version else {}
    for entry in entries:
        value = values.get(entry.name, entry.default)
        if value != entry.default:
            address[entry.link] = entry.write(value)
    address |= limits(page).address({entry.name: entry.link for entry in entries})
    carry_over.moved(page, values, st.session_state.get(f"{page}:values", {}))
    st.session_state[f"{page}:values"] = dict(values)
    st.session_state[f"{page}:address"] = address
    if SHOWN in st.query_params:
        address = address | {SHOWN: st.query_params[SHOWN]}
    if dict(st.query_params.items()) != address:
        st.query_params.from_dict(address)


def show_messages(messages: Sequence[str]) -> None:
    """Show what of a link could not be used."""
    for message in messages[:MOST_MESSAGES]:
        show_warning(message)
    if more := messages[MOST_MESSAGES:]:
        show_warning(f"link: {len(more):,} more parameters could not be used.")
