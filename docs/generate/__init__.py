"""What the pages of docs/ have that is computed: `python -m docs.generate.NAME` writes it, `make table` all of it."""

import pathlib

DOCS = pathlib.Path(__file__).resolve().parents[1]
ROOT = DOCS.parent


def with_part(text: str, begin: str, part: str, end: str) -> str:
    """A page with this between two marks, in place of what stands there."""
    before, _, rest = text.partition(begin)
    return before + begin + part + end + rest.partition(end)[2]
