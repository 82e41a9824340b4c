"""The lanes: the ways in which a compiled program calls the host.

Lanes, best first: `native` (XLA calls our C library, which runs the C loops of ufuncs, or calls a Python function by
its key), `callback` (JAX's Python-callback target, lowered by ourselves) and `pure_callback` (the public
`jax.pure_callback`: slower, but always available). hostwrap chooses the lane when JAX traces a function. If a lane is
not available, or cannot make a call, the next one takes its place. `lowering.LOWERINGS` lists what each lane does.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import warnings
from collections.abc import Iterator, Sequence

import jax

from hostwrap._native import library

LANES = ("native", "callback", "pure_callback")
_forced: contextvars.ContextVar[str | None] = contextvars.ContextVar("hostwrap_lane", default=None)
_reasons: dict[str, str] = {} if library.problem() is None else {"native": str(library.problem())}
_warned: list[str] = []


def _known(name: str, source: str) -> str:
    if name not in LANES:
        raise ValueError(f"{source}: {name!r} is no lane of hostwrap; the lanes are {', '.join(LANES)}.")
    return name


@contextlib.contextmanager
def lane(name: str) -> Iterator[None]:
    """Force a lane for what is *traced* inside: `with hostwrap.lane("pure_callback"): jax.jit(f)(x)`.

    A function that jit has already compiled keeps its lane. The environment variable HOSTWRAP_LANE does
    the same for a whole process. If a lane is not available, hostwrap takes the next one; `lanes()` says why.
    Raises ValueError for a name that is no lane.

    >>> import hostwrap as hw, jax
    >>> with hw.lane("pure_callback"):
    ...     print(jax.jit(hw.special.ndtr)(0.0))
    0.5
    """
    token = _forced.set(_known(name, "hostwrap.lane"))
    try:
        yield
    finally:
        _forced.reset(token)


def lost(name: str, closed: Sequence[str]) -> None:
    """Close the lanes that need a name which this JAX lacks or uses in another way; warn once."""
    if not _warned:
        _warned.append(name)
        warnings.warn(
            f"hostwrap does not know this version of jax ({jax.__version__}), which has no {name} as before. It does "
            "without, more slowly or with less; hostwrap.lanes() tells more. A newer hostwrap may know it.",
            RuntimeWarning,
            stacklevel=2,
        )
    for lane in closed:
        _reasons.setdefault(lane, f"jax {jax.__version__} has no {name} as hostwrap knows it")


def lanes() -> dict[str, str]:
    """Every lane with `"available"` or the reason why it is not, the best first.

    >>> import hostwrap as hw
    >>> print(*hw.lanes())
    native callback pure_callback
    """
    return {name: _reasons.get(name, "available") for name in LANES}


def after(name: str) -> str:
    """The best available lane after this one."""
    return next(other for other in LANES[LANES.index(name) + 1 :] if other not in _reasons)


def current() -> str:
    """The lane for what JAX traces now: the forced one, or the best available one."""
    forced = _forced.get()
    if forced is None and os.environ.get("HOSTWRAP_LANE"):
        forced = _known(os.environ["HOSTWRAP_LANE"], "environment variable HOSTWRAP_LANE")
    if forced in _reasons:
        return after(forced)
    return forced or next(name for name in LANES if name not in _reasons)
