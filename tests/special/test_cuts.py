"""Orthogonal functions on their branch cuts: value and derivatives are those of the same side.

SciPy computes a complex argument by 2F1, which ignores the sign of a zero there. Its own values are the witness: a
derivative along the cut must be the limit of their differences.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

from hostwrap import special

PARAMETERS = {"eval_jacobi": (0.4, -0.3), "eval_sh_jacobi": (1.7, 0.6), "eval_gegenbauer": (0.7,)}
KINDS = ("jacobi", "gegenbauer", "legendre", "chebyt", "chebyu", "chebyc", "chebys")
NAMES = [f"eval_{kind}" for kind in KINDS]
NAMES += [f"eval_sh_{kind}" for kind in ("jacobi", "legendre", "chebyt", "chebyu")]
ENDS = {"eval_chebyc": -2.0, "eval_chebys": -2.0} | {name: 0.0 for name in NAMES if "_sh_" in name}  # or -1


def differences(f, x, step):
    """f' by central differences, extrapolated (Richardson)."""
    columns = [(f(x + h) - f(x - h)) / (2 * h) for h in step * 0.5 ** np.arange(5)[:, None]]
    for power in 4.0 ** np.arange(1, 5):
        columns = [(power * b - a) / (power - 1) for a, b in itertools.pairwise(columns)]
    return columns[0]


def with_zero(x, sign):
    z = x.astype(complex)
    z.imag = np.copysign(0.0, sign)
    return z


@pytest.mark.parametrize("sign", [1, -1], ids=["+0", "-0"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_derivatives_on_the_cut_are_on_the_side_of_the_value(name, sign):
    """At random degrees and places; of degrees above 6 SciPy's values have too few digits beside the end."""
    rng = np.random.default_rng()
    n = np.exp(rng.uniform(np.log(0.01), np.log(6), 40))
    if name not in PARAMETERS:  # with parameters there are poles at negative n
        n = n * rng.choice([-1, 1], 40)
    beyond = np.exp(rng.uniform(np.log(0.02), np.log(1000), 40))
    x = ENDS.get(name, -1.0) - beyond
    ours, scipys = (getattr(module, name) for module in (special, scipy.special))
    parameters = PARAMETERS.get(name, ())

    def value(n, x):
        return scipys(n, *parameters, with_zero(x, sign))

    @jax.jit
    def slopes(n, z):
        in_n = jax.jvp(lambda n: ours(n, *parameters, z), (n,), (jnp.ones_like(n),))[1]
        return in_n, jax.jvp(lambda z: ours(n, *parameters, z), (z,), (jnp.ones_like(z),))[1]

    in_n, in_x = slopes(n, with_zero(x, sign))
    size = np.abs(value(n, x))
    for got, wanted, scale in [
        (in_n, differences(lambda n: value(n, x), n, 0.05 / (1 + np.log1p(beyond))), size),
        (in_x, differences(lambda x: value(n, x), x, 0.1 * beyond), size / beyond),
    ]:
        off = np.abs(got - wanted) / np.maximum(scale, np.abs(wanted))
        assert np.all(off < 1e-6), [(float(n[k]), float(x[k])) for k in np.flatnonzero(~(off < 1e-6))]
    same = ours(n, *parameters, with_zero(x, 1)), ours(n, *parameters, with_zero(x, -1))
    np.testing.assert_array_equal(*same)


@pytest.mark.parametrize("argument", range(3))
def test_kummers_function_has_no_cut(argument):
    """Its asymptotic expansion has."""
    at = [0.7, 13.4, complex(-109.4, 0.0)]
    slope = jax.grad(special.hyp1f1, argument, holomorphic=True) if argument == 2 else None
    of = lambda z: (slope or jax.jacfwd(special.hyp1f1, argument))(*at[:2], z)
    np.testing.assert_allclose(of(complex(-109.4, -0.0)), of(complex(-109.4, 0.0)), rtol=1e-13)
    real = jax.grad(special.hyp1f1, argument)(*at[:2], -109.4)
    np.testing.assert_allclose(of(complex(-109.4, -0.0)), real, rtol=1e-10)
