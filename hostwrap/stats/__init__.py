"""`scipy.stats`, differentiable in all parameters: distributions under SciPy's names, with SciPy's arguments.

`gamma.cdf(x, a, loc=0, scale=1)`, or frozen, `gamma(a).cdf(x)`: pdf and logpdf (pmf and logpmf of a discrete one),
cdf, sf, logcdf, logsf, ppf, isf; mean, var, std, entropy, median, interval, support, moment; and `sample(key, a)`.

Values are SciPy's own. Derivatives are in x or q, in every shape that is a real number, in loc and scale, forward and
reverse, to any order: those of the density by its formula, those of a probability on its smaller side, those of a
quantile by the implicit function theorem. Where there is none, MissingDerivative says why.

Vectors and matrices: `multivariate_normal.logpdf(x, mean, cov)` and others, and `gaussian_kde`. For NumPyro there is
`as_numpyro`.

Single precision stays single (it is computed in double); integers stand for real numbers. Shapes that do not broadcast
raise `SignatureError`. Parameters that SciPy refuses give NaN, or SciPy's error for vectors and matrices; inside a
compiled program that is `HostCallError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from hostwrap.stats import _catalogue

if TYPE_CHECKING:
    from hostwrap.stats._distribution import Distribution as Distribution
    from hostwrap.stats._joint import Joint
    from hostwrap.stats._kde import gaussian_kde as gaussian_kde
    from hostwrap.stats._numpyro import as_numpyro as as_numpyro

    multivariate_normal: Joint
    multivariate_t: Joint
    dirichlet: Joint
    vonmises_fisher: Joint
    normal_inverse_gamma: Joint
    wishart: Joint
    invwishart: Joint
    matrix_normal: Joint
    matrix_t: Joint
    multinomial: Joint
    dirichlet_multinomial: Joint
    multivariate_hypergeom: Joint


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted([*_catalogue.names(), *_catalogue.joint_names(), *_catalogue.OTHERS])


def __getattr__(name: str) -> Distribution:
    """A distribution, made when it is asked for."""
    if name == "__all__":
        return cast("Distribution", __dir__())
    if name.startswith("_"):
        raise AttributeError(f"module 'hostwrap.stats' has no attribute {name!r}")
    globals()[name] = found = _catalogue.named(name)
    return cast("Distribution", found)
