"""Derivatives of scipy.special's ufuncs and of distributions in recorded code, by the tables of hostwrap's modules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.special

from hostwrap._call.arguments import Static
from hostwrap._copies.retarget import Around, Untraceable
from hostwrap._host.layout import Layout, Result
from hostwrap._tracing import laws
from hostwrap._tracing.compiled import AROUND
from hostwrap._tracing.stats import EXTERNAL, array_namespace
from hostwrap._tracing.tape.array import (
    FUNCTIONS,
    LATER,
    Array,
    concrete,
    elementwise,
    holds,
    moves,
    raw,
    valued,
)
from hostwrap._tracing.tape.dispatch import apply, below, level_of, on_one_tape
from hostwrap._tracing.tape.refusals import refused


class Source(NamedTuple):
    """The source of derivatives: a table, and the dtype kinds of its results."""

    name: str
    table: Any
    kinds: Callable[[str], str]
    real: bool


@functools.cache
def _entries() -> dict[Any, Any]:
    """The catalogue's entry of each ufunc of SciPy."""
    from hostwrap import special as special  # which fills the catalogue, and takes a while to load
    from hostwrap.special._entry import CATALOGUE

    return {e.host: e for e in CATALOGUE.values() if isinstance(e.host, np.ufunc)}


_PRIVATE: dict[str, tuple[str, dict[str, Any]]] = {
    "_zeta": ("hurwitz_zeta", {}),
    "_riemann_zeta": ("riemann_zeta", {}),
    "_lambertw": ("lambertw", {"tol": 1e-8}),
    "_ellip_harm": ("ellip_harm", {}),
    **{
        f"_spherical_{kind}{end}": (f"spherical_{kind}", {"derivative": end == "_d"})
        for kind in ("jn", "yn", "in", "kn")
        for end in ("", "_d")
    },
}
"""The entries, and their options, of ufuncs behind functions of SciPy in Python."""


def _entry_of(ufunc: Any) -> tuple[Any, dict[str, Any]]:
    """The catalogue's entry of a ufunc, and its options; (None, {}) if there is none."""
    entries = _entries()
    name, options = _PRIVATE.get(ufunc.__name__, ("", {}))
    if name and ufunc not in entries:
        from hostwrap.special._entry import CATALOGUE

        return CATALOGUE[name], options
    return entries.get(ufunc), {}


def of_special(ufunc: Any) -> Any:
    """The partials of a ufunc of SciPy, for each result. What it has behind the entry's arguments is an option."""
    entry, options = _entry_of(ufunc)
    if entry is None:
        return None
    kinds = lambda given: entry._spec.dtypes.kinds(given, max(1, len(entry.outs)))
    statics = tuple(Static(name, value) for name, value in options.items())
    source = Source(f"special.{entry.name}", entry.table(statics), kinds, bool(entry.imaginary))
    rows = tuple(
        (*_row(source, k, len(entry.args)), *[None] * (ufunc.nin - len(entry.args)))
        for k in range(ufunc.nout)
    )
    return rows if ufunc.nout > 1 else rows[0]


LATER.append(of_special)


def _row(source: Source, result: int, count: int) -> tuple:
    return tuple(
        functools.partial(_partial, source, result, tuple(int(i == j) for j in range(count)))
        for i in range(count)
    )


def _partial(source: Source, result: int, index: tuple[int, ...], y: Any, *args: Any) -> Any:
    """The derivative with this multi-index, which is itself a differentiable function of the arguments."""
    args = args[: len(index)]
    if not any(isinstance(x, Array) for x in args):
        return _values(source, result, index, args)
    value = _partial(source, result, index, None, *map(raw, args))
    above = [
        functools.partial(_partial, source, result, tuple(n + (i == j) for j, n in enumerate(index)))
        for i in range(len(args))
    ]
    return elementwise(source, above, args, value, level_of(args))  # type: ignore[arg-type]


_WIDE = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}


def _values(source: Source, result: int, index: tuple[int, ...], args: Any) -> Any:
    arrays = [np.asarray(concrete(x)) for x in args]
    kinds = "".join("c" if a.dtype.kind == "c" else "i" if a.dtype.kind in "biu" else "f" for a in arrays)
    if "c" in kinds and source.real:
        raise refused(f"scipy.{source.name}", "the tape has no derivative for complex arguments")
    kinds = kinds.replace("i", "f") if source.name.startswith("stats.") else kinds
    arrays = [
        a.astype({"c": complex, "f": float, "i": np.int64}[k]) for a, k in zip(arrays, kinds, strict=True)
    ]
    program = source.table.program((index,), kinds)
    if program is None:
        raise refused(f"scipy.{source.name}", "its derivative is no program of operations on single elements")
    layout = Layout((0,) * len(arrays), tuple(Result((), _WIDE[k]) for k in source.kinds(kinds)))
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    found = program.inline(layout)(*arrays)[result]
    return np.broadcast_to(found, shape)[()]


def of_harmonic(ufunc: Any) -> Any:
    """Spherical harmonics: SciPy's ufunc gives a matrix, whose element [i, j] has order i in theta and j in phi."""
    if getattr(ufunc, "__name__", "") != "sph_harm_y":
        return None
    FUNCTIONS[ufunc] = _harmonics
    return ()


def _harmonics(ufunc: Any, args: tuple, kwargs: dict) -> Any:
    value = below(ufunc, args, kwargs)
    size = range(np.shape(value)[-1])
    part = lambda i, j: _harmonic(i, j, None, *args) if i + j < len(size) else np.zeros(np.shape(value)[:-2])
    like = np.stack([np.stack([part(i, j) for j in size], -1) for i in size], -2)
    return valued(value, like, level_of(args))


def _of_degree(*_: Any) -> Any:
    raise refused("scipy.special.sph_harm_y", "it has no derivative in the degree and the order")


def _harmonic(i: int, j: int, y: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
    """The derivative of order i in theta and j in phi."""
    args = n, m, theta, phi
    if any(isinstance(x, Array) for x in args):
        value = _harmonic(i, j, None, *map(raw, args))
        above = (
            _of_degree,
            _of_degree,
            functools.partial(_harmonic, i + 1, j),
            functools.partial(_harmonic, i, j + 1),
        )
        return elementwise(_harmonic, above, args, value, level_of(args))
    if i + j > 2:
        raise refused("scipy.special.sph_harm_y", "SciPy has its derivatives up to the second ones")
    found = scipy.special.sph_harm_y(*args, diff_n=max(i + j, 1))  # a tuple, by orders
    return found[i + j][(..., *[0] * i, *[1] * j)]


LATER.append(of_harmonic)


# ---- distributions


def _of_law(method: Any, *args: Any, **kwds: Any) -> Any:
    """A method of `hostwrap.stats` on recorded arrays."""
    bound = method.__signature__.bind(*args, **kwds)
    bound.apply_defaults()
    operands, level = on_one_tape(tuple(bound.arguments.values()))
    count = len(operands)
    table = method.differentiable.table(tuple(range(count)))
    source = Source(f"stats.{method.__name__}", table, lambda _: "f", True)
    plain = method._spec.function
    values = [raw(x) for x in operands]
    value = _of_law(method, *values) if holds(values) else plain(*map(np.asarray, values))
    return elementwise(plain, _row(source, 0, count), operands, value, level)


def by_law(name: str) -> Around:
    """A method of a distribution, in place of SciPy's code, which fills arrays.

    Private methods and moments take this way only if their code cannot be recorded.
    """
    at_need = name.startswith("_") or name in laws.MOMENTS

    def act(own: Callable, self: Any, *args: Any, **kwds: Any) -> Any:
        method = laws.method_of(self, name.removeprefix("_")) if holds([args, kwds]) else None
        if method is None:
            return own(self, *args, **kwds)
        try:
            return own(self, *args, **kwds) if at_need else _of_law(method, *args, **kwds)
        except Untraceable:
            return _of_law(method, *args, **kwds)

    return Around(act)


def by_ufunc(ufunc: Any) -> Any:
    """The partials of a private ufunc of SciPy are those of a method, whose arguments may have another order."""
    if not isinstance(ufunc, np.ufunc) or (found := laws.of_ufunc(ufunc)) is None:
        return None
    method, arguments = found
    FUNCTIONS[ufunc] = lambda function, args, kwargs: _of_law(method, *arguments(*args))
    return ()


LATER.append(by_ufunc)


def covariance(own: Callable, self: Any, M: Any, *args: Any, lower: bool = True, **options: Any) -> None:
    """SciPy's `_PSD`, whose U has U U' = M^-1.

    SciPy's eigenvectors have no derivative where eigenvalues are equal, as for equal correlations of all pairs. The
    Cholesky factor has one, for a matrix of full rank.
    """
    own(self, M, *args, lower=lower, **options)
    if not moves([M]) or self.rank < len(M):
        return
    half = apply(scipy.linalg.cholesky, (M,), {"lower": lower})
    self.U = np.linalg.inv(half).T if lower else np.linalg.inv(half)
    self.log_pdet = 2 * np.sum(np.log(np.diagonal(half)))


IN_PYTHON = {
    "scipy.stats._distn_infrastructure": {
        **{
            f"{kind}.{name}": by_law(name)
            for kind in ("rv_continuous", "rv_discrete")
            for name in laws.METHODS
        },
        **{f"rv_generic.{name}": by_law(name) for name in laws.MOMENTS},
    },
    **{module: {name: by_law(name) for name in laws.PRIVATE} for module in laws.MODULES},
    **AROUND,
    "scipy.stats._multivariate": {"_PSD.__init__": Around(covariance)},
    **{f"{home}.array_api_compat.common._helpers": {"array_namespace": array_namespace} for home in EXTERNAL},
}
