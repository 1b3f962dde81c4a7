"""Limits on what one address may take: less, and more slowly, the more it has and the less is left."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """What one address may take.

    A class comes from one address, and so may whoever fills all places: so an address is not refused a number
    of places but a part of what is left, which the next address finds.

    Parameters
    ----------
    of_left : float
        Places that an address may have for each one that is left.
    quick : int
        Places that it may have at once.
    pause : float
        Seconds between two more of them, for each that it has above those.
    """

    of_left: float
    quick: int
    pause: float

    def admits(self, own: int, left: int, since: float) -> bool:
        """Tell whether an address may take one more.

        Parameters
        ----------
        own : int
            Places that it has.
        left : int
            Places that nobody has.
        since : float
            Seconds since it took its last one.

        Examples
        --------
        >>> share = Share(of_left=0.5, quick=2, pause=10)
        >>> share.admits(own=1, left=9, since=0), share.admits(own=5, left=9, since=1e6)
        (True, False)
        >>> share.admits(own=2, left=9, since=5), share.admits(own=2, left=9, since=10)
        (False, True)
        """
        if own == 0:
            return True
        return own < self.of_left * left and since >= self.pause * (own - self.quick + 1)


def network(address: str | None) -> str:
    """Return what of an address is one household or school: of IPv6 its first half; "" if it is not known.

    Examples
    --------
    >>> network("192.0.2.7"), network("2001:db8:1:2:3:4:5:6"), network("::ffff:192.0.2.7"), network("a name")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7', '')
    """
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(found), 64), strict=False))
        found = found.ipv4_mapped
    return "" if found.is_loopback else str(found)
