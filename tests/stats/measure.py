"""Errors of first derivatives, for each distribution, method and argument."""

import dataclasses
import warnings

import jax
import numpy as np
import scipy.stats
from mpmath import mp

from hostwrap import stats
from hostwrap._rules.differences import slope
from hostwrap._table.partials import Unknown
from tests.reference.bindings import Unbound
from tests.stats import exact
from tests.stats.cases import SHAPES, places

CONTINUOUS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
DISCRETE = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
DENSITIES = ("pdf", "logpdf")
LEVELS = np.array([0.1, 0.6, 0.95])


@dataclasses.dataclass
class Row:
    """The largest relative error over the places: by mpmath, and by differences of SciPy's values."""

    name: str
    method: str
    argument: str
    by_mpmath: float = np.nan
    by_differences: float = np.nan
    silent_zeros: int = 0
    value: float = np.nan  # of the formula, from SciPy's
    why: str = ""


def methods(name: str) -> tuple[str, ...]:
    return CONTINUOUS if getattr(stats, name).continuous else DISCRETE


def ours(method, args: tuple, i: int) -> np.ndarray:
    """The derivative in the i-th argument, elementwise."""
    moving = lambda x: method(*args[:i], x, *args[i + 1 :])
    return np.asarray(jax.jvp(moving, (args[i],), (np.ones_like(args[i]),))[1])


def rows(name: str, kind: str, with_mpmath: bool = True) -> list[Row]:
    """One for each argument with a derivative."""
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    method, found = getattr(family, kind), []
    for i, argument in enumerate(method.__signature__.parameters):
        rule = method.rules[argument]
        row = Row(name, kind, argument, why=rule.why if isinstance(rule, Unknown) else "")
        found.append(row)
        if row.why:
            continue
        for shapes in SHAPES[name]:
            points = LEVELS if kind in ("ppf", "isf") else places(name, shapes)
            after = (0.0, 1.0) if family.continuous else (0.0,)
            args = tuple(np.full(len(points), float(p)) for p in (0.0, *shapes, *after))
            args = (points, *args[1:])
            derivative = ours(method, args, i)
            # SciPy's tails have few digits where it integrates, or differences
            few = exact.needs_quadrature(family.law, kind) or name in ("ksone", "kstwobign")
            inner = slice(1, -1) if few else slice(None)
            _by_differences(row, getattr(scipys, kind), tuple(a[inner] for a in args), i, derivative[inner])
            if with_mpmath and kind not in ("ppf", "isf"):
                _by_mpmath(row, family, scipys, kind, args, i, derivative)
    return found


def _largest(one: float, other: float) -> float:
    return max(one, other) if one == one else other


def _by_differences(row: Row, scipys, args: tuple, i: int, derivative: np.ndarray) -> None:
    """Of SciPy's values, and how much they can be trusted: the estimate, or rounding."""
    step = 0.02 * np.where(args[i] == 0, 1.0, np.abs(args[i]))
    if i == 0:
        step = step * 0 + 0.02 * np.minimum(np.abs(args[0]) + (args[0] == 0), 1.0)

    def moved(h):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # erlang's, of a shape that is no integer
            return scipys(*args[:i], args[i] + h * step, *args[i + 1 :])

    numerical, error = slope(moved, 1.0)
    numerical, error = numerical / step, error / step
    good = np.isfinite(error) & (error < 1e-7 * np.abs(numerical)) & (np.abs(numerical) > 1e-5)
    row.silent_zeros += int(np.sum(good & (derivative == 0)))
    if good.any():
        apart = np.abs(derivative[good] / numerical[good] - 1)
        apart = np.where(np.isnan(apart), np.inf, apart)
        row.by_differences = _largest(row.by_differences, float(np.max(apart)))


def _by_mpmath(row: Row, family, scipys, kind: str, args: tuple, i: int, derivative: np.ndarray) -> None:
    shapes = [a[0] for a in args[1:]]
    ends = tuple(map(float, scipys.support(*shapes)))
    values = getattr(scipys, kind)(*args)
    slow = exact.needs_quadrature(family.law, kind)
    looked_at = 0 < i <= len(family.shapes) or (i == 0 and kind in DENSITIES)
    if slow and not (looked_at and tuple(shapes[: len(family.shapes)]) == SHAPES[row.name][0]):
        return  # a probability's in x is the density, which the first shapes have shown to be that of the integral
    for j, got in enumerate(derivative):
        if slow and (j not in (0, len(derivative) - 1) or np.abs(values[j] - ("log" not in kind)) < 0.1):
            continue
        if not np.isfinite(values[j]) or (values[j] == 0 and "log" not in kind):
            continue
        if not family.continuous and kind not in ("pmf", "logpmf") and args[0][j] >= ends[1]:
            continue
        try:
            pair = exact.of_method(family.law, kind, tuple(float(a[j]) for a in args), i, ends)
        except (
            ArithmeticError,
            AttributeError,
            Unbound,
            ValueError,
            NotImplementedError,
            mp.NoConvergence,
        ) as error:
            row.why = f"no reference: {type(error).__name__}: {error}"
            return
        if pair is None:
            return
        value, truth = pair
        digits = 1e-10 if slow or not family.continuous else 1e-40  # of the difference
        if abs(truth) * (abs(args[i][j]) or abs(args[0][j])) <= abs(value) * digits:
            continue
        with mp.workdps(exact.DIGITS):
            # a density has a mode, and parameters where it stands still: there the error is one in its own measure
            floor = {"pdf": value, "pmf": value, "logpdf": 1, "logpmf": 1}.get(kind, 0) * mp.mpf("1e-6")
            error = float(abs(mp.mpf(float(got)) - truth) / max(abs(truth), floor))
            row.by_mpmath = _largest(row.by_mpmath, np.inf if np.isnan(error) else error)
            if j in (1, 2):
                theirs = float(values[j])
                row.value = _largest(row.value, abs(float(value) - theirs) / (abs(theirs) + 1e-3))
