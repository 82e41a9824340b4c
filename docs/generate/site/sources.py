"""References of entries with links to the Digital Library of Mathematical Functions."""

from __future__ import annotations

import re

NUMBER = re.compile(r"(?<![\w.])(\d{1,2})\.(\d{1,2})(?:\((\w+)\)|\.(\d+(?:_\d+)?))?(?![\w.]*\d)")
BOOKS = r"(?=Abramowitz|Johnson|Dassios|Corless|Owen|Birnbaum|;|$)"


def linked(text: str) -> str:
    """`DLMF 10.6.1, 10.29.1` with a link on each number; numbers of other books stay as they are."""
    return re.sub(rf"DLMF .*?{BOOKS}", lambda part: NUMBER.sub(_link, part[0]), text)


def _link(number: re.Match) -> str:
    chapter, section, subsection, equation = number.groups()
    place = f".{subsection}" if subsection else f".E{equation}" if equation else ""
    return f"[{number[0]}](https://dlmf.nist.gov/{chapter}.{section}{place})"
