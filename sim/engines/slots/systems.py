"""Systems of the papers that fix both rules of a policy."""

from __future__ import annotations

#: Key -> how people call it, and the pair that it stands for.
SYSTEMS = {
    "sca": ("SCA", "levels+sca"),
    "sda": ("SDA", "levels+sda"),
    "ese": ("ESE", "levels+ese"),
    "mantri-xl": ("Mantri (Xu and Lau)", "levels+mantri"),
    "no-backup": ("No copies (Xu and Lau)", "levels+none"),
    "dolly-task": ("Dolly", "fair+dolly"),
    "dolly-job": ("Dolly for whole jobs", "fair+dolly-job"),
}
