"""Addresses and active markup in an answer: an address is a claim as a figure is; what loads or runs by itself no source holds.

An address is held by a source that names it or a page beneath it, so that a source on ``law.go.kr/법령`` holds ``law.go.kr``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from dataclasses import dataclass

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ELEMENTS = (
    "script|img|image|picture|iframe|frame|frameset|svg|math|object|embed|applet|link|style|meta|base|form|input|button"
    "|textarea|select|video|audio|source|track|a|body|html|head|details|dialog|marquee|template|div|span"
)
_TOP_LEVEL = (
    "com|net|org|edu|gov|kr|io|co|ai|app|dev|info|biz|xyz|site|online|shop|store|me|us|uk|cn|jp|ru|tk|to|link|click|page|top"
    "|ly|gg|tv|club|live|news|icu|vip|work|cloud|example|test|invalid|local|onion"
)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,62}+)"
_REST = r"[^\s<>\"'`()\[\]{}「」『』“”‘’|]"
_CLAIMS = re.compile(
    rf"(?P<image>!\[[^\]\n]{{0,300}}+\](?:\s?[(\[][^)\]\n]{{0,300}}+[)\]]?)?)"
    rf"|(?P<element></?(?:{_ELEMENTS})(?![\w-])[^<>\n]{{0,400}}+>?|<[a-z][^<>\n]{{0,400}}?\son[a-z]{{3,20}}\s?=[^<>\n]{{0,400}}+>?)"
    r"|(?<!\w)(?P<script>(?:javascript|vbscript)\s{0,4}:[^\s)>\]]{0,200}+|(?:data|blob|file):[/;,a-z][^\s)>\]]{0,200}+)"
    rf"|(?P<address>(?<![a-z0-9])[a-z][a-z0-9+.-]{{1,15}}+://{_REST}{{1,2000}}+"
    rf"|(?<![\w@.-])[\w.+-]{{1,64}}+@{_LABEL}(?:\.{_LABEL})++"
    rf"|(?<![\w@.-])(?:{_LABEL}\.){{1,8}}(?:{_TOP_LEVEL})(?![a-z0-9-]|\.[a-z])(?:[:/?#]{_REST}{{0,2000}}+)?"
    rf"|(?<![\w@.-])[가-힣a-z0-9-]{{1,63}}+\.(?:한국|닷컴)(?:[/?#]{_REST}{{0,2000}}+)?)"
    r"|(?<=\]\()\s{0,4}<?(?P<target>(?=[/#?a-z.])[^\s)<>]{1,2000}+)",
    re.IGNORECASE,
)
_BARE_ELEMENT = re.compile(r"</?[A-Za-z]+\s?/?>")
_PARTICLE = re.compile(r"(?:에서는|에서도|에서|에게|으로|이나|입니다|이며|이고|[을를은는이가의에로와과나도])$")
_SITE_WITH_PARTICLE = re.compile(r"([a-z0-9.-]{1,250}\.[a-z]{2,24})[가-힣][^/]*$")
_SCHEME = re.compile(r"^(?:https?://|mailto:)?(?:www\d?\.)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """An address or active markup in a text; ``address`` is empty for what no source can hold."""

    written: str
    address: str
    start: int
    end: int

    @property
    def is_bare_element(self) -> bool:
        """A tag without attributes, as statutes have where a picture stands."""
        return bool(_BARE_ELEMENT.fullmatch(self.written))


def visible(text: str) -> str:
    """``text`` as a reader sees it: character references resolved, nothing invisible, full-width letters in half width."""
    return _INVISIBLE.sub("", html.unescape(text)).translate(_HALF_WIDTH)


def find_links(text: str) -> list[Link]:
    """All addresses, pictures, active elements and scripts of a visible text, in order."""
    return [_link(match) for match in _CLAIMS.finditer(text)]


def addresses_of(text: str, url: str = "") -> frozenset[str]:
    """The addresses that a source names or is found at."""
    named = {link.address for link in find_links(visible(text)) if link.address}
    return frozenset(named | {address_of(url)} if url else named)


def address_of(written: str) -> str:
    """An address to compare: without scheme, ``www`` and closing punctuation, its site without a Korean particle."""
    bare = _SCHEME.sub("", written.rstrip(".,;:!?*_~/·…")).casefold()
    site = _SITE_WITH_PARTICLE.match(bare)
    return site[1] if site else bare


def is_held(address: str, known: Collection[str]) -> bool:
    """Return True if ``address`` is a known address, or the site or a folder of one."""
    return any(
        known_address == wanted or (known_address.startswith(wanted) and known_address[len(wanted)] in "/?#")
        for wanted in (address, _PARTICLE.sub("", address).rstrip("/"))
        if wanted
        for known_address in known
    )


def without(text: str, links: Collection[Link]) -> str:
    """``text`` with blanks in place of ``links``: the digits of an address are no figures."""
    for link in links:
        text = text[: link.start] + " " * (link.end - link.start) + text[link.end :]
    return text


def _link(match: re.Match[str]) -> Link:
    address = match["address"] or match["target"]
    return Link(match.group().strip(), address_of(address) if address else "", match.start(), match.end())
