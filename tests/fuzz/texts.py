"""Signatures as text: right ones work, all others are refused."""

import re

import numpy as np
from hypothesis import strategies as st

import hostwrap as hw
from tests.fuzz import inputs
from tests.fuzz.declarations import signatures
from tests.fuzz.outcomes import Wrong, eager_and_compiled, is_ours

PIECES = [
    "(",
    ")",
    "()",
    "->",
    ",",
    "n",
    "m",
    "n2",
    "2",
    "3",
    " ",
    "(n)",
    "(n,m)",
    "(2,n)",
    "-",
    ">",
    "?",
    "|1",
    "+1",
    "\t",
    "\n",
    "²",
    "٣",
    "é",
    "_",
    "(n,n),(n)->(n)",
    "99999999999999999999",
    "9" * 5000,
    "\0",
    "−>",
    "a" * 300,
]


@st.composite
def almost(draw):
    """A signature with one piece too few or too many."""
    text, *_ = draw(signatures())
    start = draw(st.integers(0, len(text)))
    stop = start + draw(st.integers(0, 2))
    return text[:start] + draw(st.sampled_from(["", *PIECES])) + text[stop:]


def is_signature(text):
    """Read letter by letter: lists of groups of axes on both sides of one arrow, the left one may be empty."""
    sides = text.split("->")
    if len(sides) != 2 or not sides[1].strip():
        return False
    groups = [_groups(side.strip()) for side in sides]
    if None in groups:
        return False
    known = {axis for core in groups[0] for axis in core}
    return all(axis in known or axis.isdecimal() for core in groups[1] for axis in core)


def _groups(side):
    """The groups of one side, or None."""
    found, rest = [], side
    while rest:
        if rest[0] != "(" or ")" not in rest:
            return None
        inside, _, rest = rest[1:].partition(")")
        axes = [axis.strip() for axis in inside.split(",")] if inside.strip() else []
        if not all(axis.isdecimal() or re.fullmatch(r"[A-Za-z_]\w*", axis) for axis in axes):
            return None
        found.append(axes)
        rest = rest.strip()
        if rest:
            if rest[0] != "," or not rest[1:].strip():
                return None
            rest = rest[1:].strip()
    return found


def texts(draw):
    """A text is a signature, and then works, or it is refused by SignatureError when the function is wrapped."""
    text = draw(
        st.one_of(almost(), st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=12))
    )
    inputs_of = text.partition("->")[0].count("(")
    host = eval(f"lambda {','.join(f'x{i}' for i in range(inputs_of))}: 0.0")
    f, error = None, None
    try:
        f = hw.wrap(host, signature=text)
    except Exception as refusal:
        error = refusal
    if error is not None and not is_ours(error):
        raise Wrong(f"not an error of ours: {error!r}") from error
    too_large = any(len(number) > 9 for number in re.findall(r"\d+", text))
    if (error is None) != is_signature(text) and not too_large:
        raise Wrong(f"{text!r}: {error!r}")
    if f is not None:
        shapes = [tuple(draw(inputs.sizes(2, 3))) for _ in range(inputs_of)]
        eager_and_compiled(f, *map(np.ones, shapes))


PROPERTIES = [texts]
