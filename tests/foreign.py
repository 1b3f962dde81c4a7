"""Texts that an attacker could put into a link, a file or its name, to be shown and not interpreted."""

from __future__ import annotations

import re

#: Where the texts would lead; nothing of this machine.
AWAY = "away.example"
HOSTILE = {
    "image": f"![x](http://{AWAY}/x.png)",
    "image by reference": f"![x][y] [y]: http://{AWAY}/x.png",
    "link": f"[click here](http://{AWAY}/)",
    "script link": "[a](javascript:alert(1))",
    "bare address": f"http://{AWAY}/ https://{AWAY}/ www.{AWAY} a@{AWAY}",
    "address in brackets": f"<http://{AWAY}/>",
    "html": f"<img src=http://{AWAY}/x.png onerror=alert(1)><a href='http://{AWAY}/'>a</a><b>x</b>",
    "script": "<script>alert(1)</script>",
    "latex": rf"$\href{{http://{AWAY}/}}{{x}}$ $$\frac{{1}}{{2}}$$",
    "emoji": ":smile: :+1: :streamlit: :material/home:",
    "colour": ":red[danger] :blue-background[x] :shimmer[y]",
    "emphasis": "*a* **b** _c_ __d__ ~~e~~ `f` ``g`` |h|i|",
    "end of code": f"`` ` ![x](http://{AWAY}/x.png) ```",
    "lines": f"a\n\n# b\n\n- c\n\n> d\n\n![x](http://{AWAY}/x.png)\n\n```\ncode\n```\n| a |\n|---|",
    "blocks": "# a",
    "list": "1. a",
    "entity": "&lt;b&gt; &#x3c;b&#x3e; &amp;",
    "terminal": "\x1b[31mred\x1b]0;title\x07\x1b]8;;http://x\x1b\\\x08\x7f\x9b31m",
    "turned": "abc\u202efdp.exe\u2066\u2069\u200b\ufeff",
    "nothing": "\0",
    "surrogate": "\udcff\ud800",
    "long": "x" * 5000,
    "long address": f"http://{AWAY}/" + "x" * 5000,
    "arrows": "-> <- -- >= <= ~= <->",
}
#: Texts that can be in an address: a browser sends whole characters.
IN_LINKS = {name: text for name, text in HOSTILE.items() if name != "surrogate"}

_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ALIVE = re.compile(
    r"(?<!\\)[*\[\]~$<>&|`]|https?://|www\.|@|:(?=\S)|(?<![\w\\])_|^[#>]|^\d+[.)](?=\s|$)", re.IGNORECASE
)
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def alive(markdown: str) -> list[str]:
    """Return what of a text Streamlit would take for markup: what is neither code nor escaped."""
    return _ALIVE.findall(_CODE.sub("", markdown))


def unseen(text: str) -> list[str]:
    """Return the characters of a text that cannot be seen, or that move others."""
    return _UNSEEN.findall(text)
