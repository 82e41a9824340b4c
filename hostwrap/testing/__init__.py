"""Find what is wrong with a derivative rule: `check(f, *args)`; see how accurate it is: `plot_ulp(f, *args)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from hostwrap.testing import _checks
from hostwrap.testing._plot import plot_ulp
from hostwrap.testing._probe import Probe, parameters
from hostwrap.testing._report import Report

__all__ = ["Report", "check", "plot_ulp"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


def check(
    f: Callable[..., Any],
    *args: Any,
    order: int = 2,
    rtol: float = 1e-6,
    broadcasts: bool | None = None,
    reverse_twice: bool = False,
    seed: int = 0,
    raises: bool = True,
    **statics: Any,
) -> Report:
    """Compare every derivative of `f` at `args` with what it must be: what we run on our own functions.

    For each argument with floating-point numbers it compares forward mode with numerical derivatives of the host's
    values (complex arguments in the real and the imaginary direction). It compares reverse mode with forward mode, and
    the value that a rule returns with the function's. It does the same with the derivatives themselves, up to `order`.
    It also compares jit with eager; vmap over each argument and over all, with derivatives, with a loop; an array in
    one argument alone, where `f` broadcasts, with a loop; shapes and types, in single precision too. A derivative that
    raises MissingDerivative is reported, and is no failure.

    Args:
        f: a wrapped function, one of `hostwrap.special`, or any JAX function made of them.
        args: arrays, numbers or pytrees of them, a point inside the domain. Integers are held fixed.
        order: how many times to differentiate.
        rtol: relative tolerance of a derivative; the numerical derivative's own error is allowed for.
        broadcasts: whether f takes leading axes like a ufunc; None asks f itself (an unwrapped function: no).
        reverse_twice: compare second derivatives by reverse over reverse mode, as in `jax.grad(jax.grad(...))`, with
            those by reverse over forward mode, too.
        seed: of the random directions.
        raises: False returns the report also where a check has failed: see its `failures`.
        statics: keyword arguments of f, passed on. (One that is called as an option of `check` needs a lambda.)

    Returns:
        A `Report`; print it to see each check with its error.

    Raises:
        TypeError: a keyword that is neither an option nor an argument of f.
        AssertionError: it says which check failed in which argument, what was got, what was expected, and what is
            likely wrong.

    >>> import hostwrap as hw, numpy as np
    >>> sine = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: np.cos(1.0) + 0 * x)
    >>> try:
    ...     check(sine, 0.3)
    ... except AssertionError as error:
    ...     print(str(error).splitlines()[0])
    <lambda>: forward = differences with respect to `x`
    """
    _refuse_strangers(f, statics)
    with jax.enable_x64(True):
        probe = _probe(f, args, statics, np.random.default_rng(seed))
        report = Report(probe.name, str(probe), rtol)
        _checks.values(report, probe)
        if report.failures:  # then nothing else can be told
            return report.conclude(raises)
        sound = _checks.derivatives(report, probe, order)
        for i in sound if reverse_twice else []:
            _checks.reverse_twice(report, probe, i)
        _checks.batches(report, probe, sound)
        if _broadcasts(f) if broadcasts is None else broadcasts:
            _checks.broadcasting(report, probe, sound, _cores(f, probe))
        _checks.single_precision(report, probe)
    return report.conclude(raises)


OPTIONS = ("order", "rtol", "broadcasts", "reverse_twice", "seed", "raises")


def _refuse_strangers(f: Callable, statics: dict[str, Any]) -> None:
    try:
        known = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return
    strangers = [name for name in statics if name not in known]
    if strangers and not any(p.kind is p.VAR_KEYWORD for p in known.values()):
        name = getattr(f, "__name__", type(f).__name__)
        raise TypeError(
            f"check: {', '.join(strangers)} is neither an argument of {name}({', '.join(known)}) nor an option of "
            f"check; its options are {', '.join(OPTIONS)}."
        )


def _probe(f: Callable, args: tuple, statics: dict[str, Any], random: np.random.Generator) -> Probe:
    paths, tree = jax.tree_util.tree_flatten_with_path(args)
    names_of = parameters(f, statics)
    names_of += [f"argument {k}" for k in range(len(names_of), len(args))]
    names = tuple(names_of[path[0].idx] + jax.tree_util.keystr(path[1:]) for path, _ in paths)

    def call(*leaves: Any) -> Any:
        return f(*jax.tree.unflatten(tree, leaves), **statics)

    name = getattr(f, "__name__", type(f).__name__)
    return Probe(name, call, names, tuple(_wide(x) for _, x in paths), random)


def _wide(value: Any) -> np.ndarray:
    """Double precision, and memory of its own; integers as they are."""
    array = np.array(value)
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _broadcasts(f: Callable) -> bool:
    spec = getattr(f, "_spec", None)
    return spec is not None and spec.options.out is None


def _cores(f: Callable, probe: Probe) -> tuple[int, ...]:
    """How many axes of each argument are its own; all others are batch axes."""
    signature = getattr(getattr(f, "_spec", None), "signature", None)
    return tuple(map(len, signature.ins)) if signature else (0,) * len(probe.leaves)
