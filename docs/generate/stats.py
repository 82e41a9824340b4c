"""`python -m docs.generate.stats [NAME ...]` measures derivatives of distributions, and writes docs/stats.csv and .md.

Without names it measures all of them, which takes some ten minutes; with names, these, and it keeps the other rows.
"""

from __future__ import annotations

import collections
import dataclasses
import statistics
import sys
import textwrap

import jax

from docs.generate import DOCS, read_rows, stats_far, write_rows
from hostwrap import stats
from hostwrap._table.partials import Unknown
from hostwrap.stats import _catalogue
from tests.stats.measure import Row, methods, rows
from tests.stats.test_everywhere import SLOW_IN_MPMATH

TABLE, PAGE = DOCS / "stats.csv", DOCS / "stats.md"
FIELDS = ("distribution", "method", "argument", "by_mpmath", "by_differences", "not_there")
HEAD = """# Distributions

`hostwrap.stats` has {names} distributions of numbers of `scipy.stats`, [distributions of vectors and
matrices](#vectors-and-matrices) and [`gaussian_kde`](#density-estimates). They have SciPy's names and arguments, and
return SciPy's values, to the bit.

```python
import jax
from hostwrap import stats

jax.config.update("jax_enable_x64", True)
print(f"{{jax.grad(stats.gamma.ppf, 1)(0.95, 2.3):.9f}}")  # 1.574548129
print(f"{{jax.grad(lambda a: stats.gamma(a, scale=2.0).logpdf(1.5))(2.3):.9f}}")  # -0.887721953
print(stats.gamma.sample(jax.random.key(0), 2.3, shape=(3,)).shape)  # (3,)
```

You can differentiate in x or q, in the shapes, in `loc` and in `scale`. Of the {count} combinations of distribution,
method and argument {known} have a derivative. The others raise `MissingDerivative` with the reason: in most of them
the argument is an integer.

## Accuracy

| first derivatives | largest error | share |
|---|---|---|
{shares}

The errors are relative: the largest over the shapes and places of `tests/stats/cases.py`, from the quantile of 1e-10
to that of 1 - 1e-10. The references are the formulas in mpmath, with differences at 75 digits (30 for sums and
integrals). Without a formula they are differences of SciPy's values, which have about 10 digits. A large error need
not be a lost digit: next to the end of a support, or far out, the number x itself may not hold more. `python -m
docs.generate.stats` writes this page; [all rows](stats.csv).

The derivatives of `logcdf` and `logsf` are NaN in the short tail of `nct` (x < 0 < nc, or x > 0 > nc), where the
probability is below 1e-6 and |nc| above 4. There SciPy's probability is a difference that loses its digits.

{far}

| distribution | shapes | derivatives | median error | largest error | missing |
|---|---|---|---|---|---|
"""
FAR = """{summary} [All rows](stats_far.csv), written by `python -m docs.generate.stats_far`.

The shapes, locations and scales are drawn over four decades, and the places so that the probability below or above
them is between 1e-101 and 1. The reference is the formula in mpmath, at 200 digits. If the formula is a long sum, it
has 60 digits, the shapes are drawn over three decades, and the probabilities are above 1e-20. If the probability is
an integral, only densities are measured; of `levy_stable` and `studentized_range` nothing is.

Write y for (x - loc) / scale. Where y is below 1e-154, derivatives of the `logpdf` of `gengamma`, `geninvgauss` and
`invgamma` in x and `scale` may be infinite. Where y is above 1e150, those of `pearson3` and `tukeylambda` may be NaN.
Where y is subnormal, or a power of y as in `halfgennorm`, derivatives lose digits. The probabilities of
`studentized_range` have derivatives by integrals of their own. These lose digits in `df` from 1e4 on, and are NaN where
finer nodes give another result."""
TAIL = """
## Vectors and matrices

| | derivatives of the density in | has also |
|---|---|---|
| `multivariate_normal` | x, mean, cov | `cdf`, `logcdf` of boxes, in x, lower_limit, mean, cov; `entropy`, `sample` |
| `multivariate_t` | x, loc, shape, df | `cdf` of boxes, in x, lower_limit, loc and shape; `entropy`, `sample` |
| `dirichlet` | x, alpha | `mean`, `var`, `cov`, `entropy`, `sample` |
| `vonmises_fisher` | x, mu, kappa | `entropy`, `sample` |
| `normal_inverse_gamma` | x, s2, mu, lmbda, a, b | `mean`, `var`, `sample` |
| `wishart`, `invwishart` | x, df, scale | `mean`, `mode`, `var`, `entropy`, `sample` |
| `matrix_normal` | X, mean, rowcov, colcov | `entropy`, `sample` |
| `matrix_t` | X, mean, row_spread, col_spread, df | |
| `multinomial` | p | `mean`, `cov`, `entropy`, `sample` |
| `dirichlet_multinomial` | alpha | `mean`, `var`, `cov` |
| `multivariate_hypergeom` | nothing: all are integers | `mean`, `var`, `cov` |

```python
import jax
import jax.numpy as jnp
import numpy as np

from hostwrap import stats

jax.config.update("jax_enable_x64", True)
cov = jnp.array([[1.0, 0.3], [0.3, 2.0]])
by_cov = jax.jit(jax.grad(stats.multivariate_normal.cdf, 2))(jnp.array([0.5, 1.0]), jnp.zeros(2), cov)
print(np.round(by_cov, 6).tolist())  # [[-0.076934, 0.042058], [0.042058, -0.041454]]
```

* Densities have SciPy's bits. Their derivatives, of any order, come from a formula that follows SciPy's. First
  derivatives agree with differences of SciPy's values to 1e-10, which is the accuracy of the differences.
* A derivative in a symmetric matrix is symmetric: it is taken along symmetric matrices. If the covariance is singular
  (`allow_singular=True`), it is taken along matrices of the same rank.
* Batch axes stand in front, also in the parameters, of which SciPy takes one set. SciPy drops axes of length 1;
  hostwrap keeps them.
* In three dimensions and more (for t, in two) SciPy integrates a `cdf` at random points, to `abseps`. In hostwrap
  `rng` is their seed, 0 by default, so equal arguments give equal results. A first derivative needs boxes with one
  dimension less (in the matrix, with two less). So it is exact in two dimensions, and as exact as SciPy's numbers in
  more.
* If SciPy refuses an argument, such as a matrix that is not positive definite, it raises the same error here.

## Logarithms of tails

`far_logcdf` and `far_logsf` are `logcdf` and `logsf`, finite where SciPy's are -inf because the probability
underflows. Values are SciPy's down to -650. Below that they come from a formula for the logarithm, or from log f(y)
and an integral of f(t) / f(y) over the tail, where f is the density. A continuous distribution has them if its
density has a formula and its support does not move with the shapes. The relative error of a derivative in x is about
1e-15 times the logarithm. Next to an upper end other than infinity it may be NaN.

```python
far = jax.value_and_grad(stats.gamma.far_logsf, 1)(1e4, 2.5)
print([f"{float(part):.6f}" for part in far])  # ['-9986.469022', '8.507284']
```

## Moments

`mean`, `var`, `std`, `entropy` and `moment(order, ...)` have derivatives in the shapes too, of any order. These are
closed formulas, or integrals (for integers, sums) of the density and its derivatives. hostwrap tests each integral:
the same nodes must give the density an integral of 1, and finer nodes the same result. If not, the derivative is NaN.
That happens

* where SciPy's moment is infinite or NaN,
* for densities that grow without bound towards an end other than 0,
* for entropies of integers whose tail falls like a small power.

`MissingDerivative` is raised for moments of order three and more of `crystalball`, `trapezoid` and `triang`, and for
all moments of a distribution whose density has no derivative.

```python
by_shape = jax.grad(stats.genextreme.var)(0.2)
print(f"{by_shape:.6f}")  # -1.597188
```

## Density estimates

`gaussian_kde(dataset, bw_method, weights)` has SciPy's values, and derivatives in points, data, weights and bandwidth;
the estimate is a pytree of these.

```python
data = jnp.array([0.1, 0.9, 1.3, 2.2])
by_width = jax.grad(lambda width: stats.gaussian_kde(data, width).logpdf(0.5)[0])
print(f"{by_width(0.4):.6f}")  # 1.421866
```

## NumPyro

`stats.as_numpyro(stats.genextreme)` is a distribution class for NumPyro with SciPy's parameters, for observed and
latent sites. It works for every distribution of numbers. It needs `pip install numpyro`.

## Speed

Where SciPy's formula is made of ufuncs and choices by masks, value and derivatives are one program of C loops. That
holds for 123 of the 130 log-densities: a jitted one of one number, with its whole gradient, takes 10 to 60 µs, that of
`gausshyper`, `genhyperbolic`, `geninvgauss`, `ncf`, `nct`, `ncx2`, `skellam` and `tukeylambda` up to 300 µs. Elsewhere
SciPy's method runs in Python, which takes ten times as long and more: `irwinhall`, `ksone`, `kstwo`, `levy_stable`,
`nchypergeom_fisher`, `nchypergeom_wallenius` and `studentized_range`.
"""
INTEGER = "it is an integer"


def measured(name: str) -> list[dict[str, str]]:
    """The rows of a distribution; that of which SciPy takes minutes for a number is not measured."""
    if name == "levy_stable":
        return [
            _as_text(_unmeasured(name, kind, a)) for kind in methods(name) for a in _arguments(name, kind)
        ]
    found = [
        row for kind in methods(name) for row in rows(name, kind, with_mpmath=name not in SLOW_IN_MPMATH)
    ]
    return [_as_text(row) for row in found]


def _arguments(name: str, kind: str) -> list[str]:
    return list(getattr(getattr(stats, name), kind).__signature__.parameters)


def _unmeasured(name: str, kind: str, argument: str) -> Row:
    rule = getattr(getattr(stats, name), kind).rules[argument]
    return Row(name, kind, argument, why=rule.why if isinstance(rule, Unknown) else "")


def _as_text(row: Row) -> dict[str, str]:
    values = dataclasses.asdict(row)
    numbers = {
        k: "" if values[k] != values[k] else f"{values[k]:.1e}" for k in ("by_mpmath", "by_differences")
    }
    why = "" if row.why.startswith("no reference") else row.why
    texts = {"distribution": row.name, "method": row.method, "argument": row.argument}
    return {**texts, **numbers, "not_there": why}


def committed() -> list[dict[str, str]]:
    return read_rows(TABLE)


def error(row: dict[str, str]) -> float:
    """By mpmath, else by differences; NaN where neither says anything."""
    return float(row["by_mpmath"] or row["by_differences"] or "nan")


def page(table: list[dict[str, str]]) -> str:
    """The page of these rows."""
    known = [row for row in table if not row["not_there"]]
    groups = [
        ("by mpmath", [error(r) for r in known if r["by_mpmath"]]),
        ("by differences alone", [error(r) for r in known if not r["by_mpmath"] and r["by_differences"]]),
    ]
    shares = []
    for label, errors in groups:
        for limit in (1e-12, 1e-9, 1e-6):
            share = sum(e <= limit for e in errors) / max(1, len(errors))
            shares.append(f"| {label}, {len(errors)} | {limit:.0e} | {share:.1%} |")
    by_name = collections.defaultdict(list)
    for row in table:
        by_name[row["distribution"]].append(row)
    head = HEAD.format(
        names=len(by_name),
        count=len(table),
        known=len(known),
        shares="\n".join(shares),
        far="\n\n".join(
            textwrap.fill(part, 119) for part in FAR.format(summary=stats_far.summary()).split("\n\n")
        ),
    )
    return head + "".join(_line(name, by_name[name]) for name in sorted(by_name)) + TAIL


def _line(name: str, table: list[dict[str, str]]) -> str:
    known = [row for row in table if not row["not_there"]]
    errors = [e for e in map(error, known) if e == e]
    middle, largest = (statistics.median(errors), max(errors)) if errors else (float("nan"),) * 2
    arguments = dict.fromkeys(row["argument"] for row in table)
    shapes = [a for a in list(arguments)[1:] if a not in ("q", "loc", "scale")]
    absent = dict.fromkeys(
        f"{row['argument']} ({'integer' if row['not_there'].startswith(INTEGER) else row['method']})"
        for row in table
        if row["not_there"]
    )
    numbers = f"{middle:.0e} | {largest:.0e}" if errors else "|"
    return f"| `{name}` | {', '.join(shapes)} | {len(known)} | {numbers} | {', '.join(absent)} |\n"


def main(names: list[str]) -> None:
    jax.config.update("jax_enable_x64", True)
    old = committed() if names and TABLE.exists() else []
    for name in names or _catalogue.names():
        old = [row for row in old if row["distribution"] != name] + measured(name)
    table = sorted(old, key=lambda row: row["distribution"])
    write_rows(TABLE, FIELDS, table)
    PAGE.write_text(page(table), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
