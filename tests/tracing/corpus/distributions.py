"""The private methods of SciPy's distributions: the formulas that each of them brings itself, in x and in its shapes.

SciPy calls them with arrays; so do these rows, with two numbers. Every third one is called with numbers alone.
"""

import zlib

import numpy as np
import scipy.stats
from scipy.stats._distr_params import distcont, distdiscrete

from tests.tracing.corpus.row import Rows

METHODS = ("_pdf", "_logpdf", "_cdf", "_sf", "_ppf")
QUANTILES = np.array([0.3, 0.8])
BIG = 30.0  # shapes beyond it are about tails of everything; halved until they are below
SHAPES = {  # in place of those that stand on the edge of the domain, or hide what the formula does
    "kappa4": (-0.15, 0.2), "tukeylambda": (0.3,), "truncpareto": (1.8, 5.3), "pearson3": (0.7,),
    "rel_breitwigner": (6.5,), "betaprime": (5.3, 6.1), "dpareto_lognorm": (3.1, 1.2, 1.5, 2.2),
    "laplace_asymmetric": (1.4,), "beta": (2.3, 1.6),
}  # fmt: skip
SLOW = ("studentized_range", "levy_stable")  # integrals in C, of seconds
COUNTED = ("ksone", "kstwo", "irwinhall", "erlang")  # a shape is a whole number

continuous, discrete = Rows("stats, continuous"), Rows("stats, discrete")


def _shapes(name, given):
    shapes = [float(s) for s in SHAPES.get(name, given)]
    return [s if s < BIG else s / 2 ** np.ceil(np.log2(s / BIG)) for s in shapes]


def _fill():
    seen = set()
    for name, given in distcont:
        if not isinstance(name, str) or name in seen or name in SLOW:
            continue
        seen.add(name)
        distribution, shapes = getattr(scipy.stats, name), _shapes(name, given)
        shapes = [np.round(s) for s in shapes] if name in COUNTED else shapes
        counted = (
            dict(zip(distribution.shapes.split(", "), map(int, shapes), strict=True))
            if name in COUNTED
            else {}
        )
        x = np.array(distribution.ppf(QUANTILES, *shapes), float)
        for method in METHODS:
            if not any(method in vars(base) for base in type(distribution).__mro__[:2]):
                continue
            where = QUANTILES if method == "_ppf" else x
            alone = (
                zlib.crc32(f"{name}{method}".encode()) % 3 == 0 and name != "kappa3"
            )  # assigns to its argument
            first, *others = [where[0], *shapes] if alone else [where, *[np.full(2, s) for s in shapes]]
            function = getattr(distribution, method)
            if counted and method != "_logpdf":
                continuous(function, first, id=f"{name}.{method}", elementwise=True, **counted)
            elif not counted:
                continuous(function, first, *others, id=f"{name}.{method}", elementwise=True)


_fill()


def _at(distribution, method, count, *whole):
    """The method as a function of the shapes that are no whole numbers."""
    return lambda *shapes: getattr(distribution, method)(count, *whole, *shapes)


SMOOTH = {  # shapes that are whole numbers, and those that are not
    "bernoulli": ((), (0.3,)), "betabinom": ((5,), (2.3, 0.63)), "betanbinom": ((5,), (9.3, 1.2)),
    "binom": ((5,), (0.4,)), "dlaplace": ((), (0.8,)), "geom": ((), (0.5,)), "logser": ((), (0.6,)),
    "nbinom": ((), (2.4, 0.4)), "planck": ((), (0.51,)), "poisson": ((), (1.6,)), "skellam": ((), (5.0, 4.0)),
    "zipf": ((), (3.6,)), "yulesimon": ((), (3.0,)),
}  # fmt: skip


def _fill_discrete():
    for name, _ in distdiscrete:
        if not isinstance(name, str) or name not in SMOOTH or any(f" {name}." in row.id for row in discrete):
            continue
        distribution, (whole, shapes) = getattr(scipy.stats, name), SMOOTH[name]
        for method in ("_pmf", "_logpmf", "_cdf", "_sf"):
            if method in vars(type(distribution)):
                count = np.array([1, 1]) if name == "bernoulli" else np.array([1, 3])
                discrete(_at(distribution, method, count, *whole), *shapes, id=f"{name}.{method}")


_fill_discrete()
ROWS = [*continuous, *discrete]
