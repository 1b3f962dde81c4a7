"""The QR code of a link, made on this server for a class to scan; no other server is asked."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from urllib.parse import urlsplit

import segno

#: Characters of the longest link that has a code a phone can read from a wall; a code could hold 2,953.
LONGEST = 1000


class Unreadable(ValueError):
    """An address that has no code here, and why."""


def qr_code(address: str, host: str) -> bytes:
    """Return the code of an address as SVG.

    Parameters
    ----------
    address : str
        Of a page of this server, with its origin.
    host : str
        Name and port by which this server was asked.

    Raises
    ------
    Unreadable
        If the address is too long, or of another server: else codes could be used for phishing.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or parts.netloc != host or not address.isascii():
        raise Unreadable("address: give the address of a page of this server")
    if len(address) > LONGEST:
        raise Unreadable(
            f"address: {len(address):,} characters are too many for a code that can be read; "
            f"give at most {LONGEST:,}"
        )
    return _drawn(address)


@lru_cache(maxsize=64)  # a class asks for the same link
def _drawn(address: str) -> bytes:
    picture = BytesIO()
    code = segno.make_qr(address, error="l", boost_error=False)  # the fewest, largest squares
    code.save(picture, kind="svg", border=4, dark="#000", light="#fff", omitsize=True, xmldecl=False)
    return picture.getvalue()
