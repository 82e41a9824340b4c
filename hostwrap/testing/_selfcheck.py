"""What `python -m hostwrap` tries: a function of one's own and one of `hostwrap.special`, through every lane."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

from hostwrap import _lanes
from hostwrap._wrap import wrap
from hostwrap.special import kv


@dataclasses.dataclass(frozen=True)
class Case:
    """A function, what SciPy computes, arguments, and the gradient at the first of them (from mpmath)."""

    name: str
    function: Callable[..., Any]
    scipy: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]
    gradient: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class Finding:
    lane: str
    case: str
    check: str
    problem: str  # "" if there is none


@wrap
def dilogarithm(x: Any) -> Any:
    return scipy.special.spence(1 - x)


dilogarithm.defpartials(x=lambda ans, x: -jnp.log1p(-x) / x)

CASES = (
    Case(
        "a decorated function",
        dilogarithm,
        lambda x: scipy.special.spence(1 - x),
        (np.array([0.5, -2.0, 0.9]),),
        (1.3862943611198906,),  # 2 log 2
    ),
    Case(
        "hostwrap.special.kv",
        kv,
        scipy.special.kv,
        (np.array([1.7, 0.0, 4.2]), np.array([0.8, 2.0, 30.0])),
        (2.3107142973329118, -4.5387562965379289),
    ),
)


def findings(cases: tuple[Case, ...] = CASES) -> Iterator[Finding]:
    """One for every question about every function in every lane that is available here."""
    for lane, state in _lanes.lanes().items():
        if state == "available":
            for case in cases:
                for check, question in QUESTIONS.items():
                    yield Finding(lane, case.name, check, _answer(question, lane, case))


def _answer(question: Callable[[str, Case], str], lane: str, case: Case) -> str:
    """In double precision, with the lane forced; an exception is an answer too."""
    try:
        with jax.enable_x64(True), _lanes.lane(lane):
            return question(lane, case)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _value(lane: str, case: Case) -> str:
    return _differs(_compiled(case.function)(*case.arguments), case.scipy(*case.arguments))


def _gradient(lane: str, case: Case) -> str:
    places = tuple(range(len(case.arguments)))
    got = _compiled(jax.grad(case.function, places))(*[a[0] for a in case.arguments])
    close = np.allclose(got, case.gradient, rtol=1e-13, atol=0.0)
    return "" if close else f"got {_numbers(got)}, expected {_numbers(case.gradient)}"


def _vmap(lane: str, case: Case) -> str:
    """The first argument mapped, the others held: each element meets all of the others."""
    axes = (0, *[None] * (len(case.arguments) - 1))
    first = case.arguments[0].reshape(-1, 1) if len(axes) > 1 else case.arguments[0]
    got = _compiled(jax.vmap(case.function, axes))(*case.arguments)
    return _differs(got, case.scipy(first, *case.arguments[1:]))


def _way(lane: str, case: Case) -> str:
    """What the compiled program calls. (On an accelerator the native lane is none, and the next one is taken.)"""
    if jax.default_backend() != "cpu":
        return ""
    text = jax.jit(lambda *x: case.function(*x)).lower(*case.arguments).compile().as_text() or ""
    wanted = "hostwrap_" if lane == "native" else "callback"
    found = [part.split('"')[1] for part in text.split("custom_call_target=")[1:]]
    return "" if any(wanted in target for target in found) else f"the program calls {found}"


QUESTIONS = {"value": _value, "gradient": _gradient, "vmap": _vmap, "lane": _way}


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of its own for jit, which otherwise would remember the program of another lane."""
    return jax.jit(lambda *x: function(*x))


def _differs(got: Any, expected: np.ndarray) -> str:
    """Bit for bit."""
    same = np.asarray(got).tobytes() == np.asarray(expected).tobytes()
    return "" if same else f"got {_numbers(got)}, SciPy has {_numbers(expected)}"


def _numbers(values: Any) -> str:
    return " ".join(f"{v:.17g}" for v in np.ravel(np.asarray(values)))
