"""Along decades of one argument a derivative goes on as a power; along rays of the complex plane it has three laws.

Anywhere in the plane it is beside differences of Arb's values.
"""

import jax.numpy as jnp
import numpy as np
import pytest

from tests.reference import ladders, ours, rays
from tests.reference.both import HAS_ARB
from tests.reference.entries import catalogue
from tests.special.test_catalogue import name

# of one or two powers of each argument; others go over into another one far out, or take long
NAMES = "agm besselpoly boxcox1p chdtr expn gammainc kv log_kv nrdtrimn owens_t pdtr poch stdtr tklmbda"
# those of complex arguments that take no more than a part of a second
COMPLEX = "airy airye dawsn erf exp1 expi fresnel hankel1e hyp0f1 iv ive jv jve kv lambertw loggamma rgamma sici wofz"

# those of which Arb has values in no time, of all kinds
PLANE = "airy dawsn erfc expi fresnel lambertw log_ndtr loggamma spence wofz xlogy"


@pytest.mark.rotating
@pytest.mark.parametrize("function", [catalogue()[n] for n in NAMES.split()], ids=name)
def test_a_power_goes_on(function):
    assert not [b for _, found in ladders.breaks(function, 1, seconds=0.3) for b in found]


@pytest.mark.parametrize("mistake", [0.0, np.inf, 2.0])
def test_what_does_not_go_on_is_found(monkeypatch, mistake):
    right = ours.differentiated

    def wrong(*args):
        return lambda *x: [jnp.where(x[-1] > 1e40, mistake, 1.0) * y for y in right(*args)(*x)]

    monkeypatch.setattr(ours, "differentiated", wrong)
    found = [b for _, some in ladders.breaks(catalogue()["boxcox1p"], 1) for b in some]
    assert {b.kind for b in found} == {{0.0: "zero", np.inf: "inf"}.get(mistake, "off")}


@pytest.mark.parametrize("unit", ladders.UNITS)
def test_what_does_not_go_on_at_multiples_alone_is_found(monkeypatch, unit):
    """A rounding of the parameter would explain such an error to those who let it move."""
    right = ours.differentiated

    def wrong(*args):
        def f(x, power):
            is_whole = (power == unit * jnp.round(power / unit)) & (abs(power) < 10)
            is_there = is_whole & (abs(x) < 1e-40)
            return [jnp.where(is_there, 2.0, 1.0) * y for y in right(*args)(x, power)]

        return f

    monkeypatch.setattr(ours, "differentiated", wrong)
    found = [b for _, some in ladders.breaks(catalogue()["boxcox1p"], 1) for b in some]
    assert found and {b.kind for b in found} == {"off"}
    assert all(b.point[1] % unit == 0 for b in found)


@pytest.mark.rotating
@pytest.mark.parametrize("function", [catalogue()[n] for n in COMPLEX.split()], ids=name)
def test_along_rays_of_the_complex_plane(function):
    found = list(rays.breaks(function, 1))
    assert sum(count for count, _ in found) > 300
    assert not [b for _, some in found for b in some]


@pytest.mark.parametrize(
    "kind, mistake",
    [
        ("nan", lambda z, y: jnp.where((z.real < 0) & (abs(z) < 1e9), jnp.nan, y)),
        ("zero", lambda z, y: jnp.where(abs(z) < 1e-99, 0, y)),
        ("off", lambda z, y: jnp.where(abs(z) < 1e-99, 2, 1) * y),
        ("conjugate", lambda z, y: jnp.where(z.imag < 0, 1 + 1e-6j, 1) * y),
        ("real", lambda z, y: jnp.where(jnp.iscomplexobj(z), 1 + 1e-6, 1) * y),
    ],
)
def test_what_breaks_a_law_along_a_ray_is_found(monkeypatch, kind, mistake):
    right = ours.differentiated

    def wrong(function, static, index, *rest):
        f = right(function, static, index, *rest)
        return lambda *x: [mistake(x[-1], y) for y in f(*x)] if any(index) else f(*x)

    monkeypatch.setattr(ours, "differentiated", wrong)
    assert {b.kind for _, some in rays.breaks(catalogue()["erf"], 1) for b in some} == {kind}


@pytest.mark.skipif(not HAS_ARB, reason="python-flint is not installed")
@pytest.mark.rotating
@pytest.mark.parametrize("function", [catalogue()[n] for n in PLANE.split()], ids=name)
def test_in_the_plane_beside_arb(function):
    from tests.reference import plane

    found = list(plane.breaks(function, 1, count=100))
    assert sum(count for count, _ in found) > 20
    assert not [b for _, some in found for b in some]


@pytest.mark.skipif(not HAS_ARB, reason="python-flint is not installed")
@pytest.mark.parametrize("kind, mistake", [("off", 1 + 1e-7), ("zero", 0.0), ("nan", np.nan)])
def test_what_arb_contradicts_is_found(monkeypatch, kind, mistake):
    from tests.reference import plane

    right = ours.differentiated

    def wrong(function, static, index, *rest):
        f = right(function, static, index, *rest)
        return lambda *x: (
            [jnp.where(abs(x[-1]) > 1e4, mistake, 1) * y for y in f(*x)] if any(index) else f(*x)
        )

    monkeypatch.setattr(ours, "differentiated", wrong)
    found = [b for _, some in plane.breaks(catalogue()["loggamma"], 1, count=100) for b in some]
    assert found and {b.kind for b in found} == {kind} and all(abs(b.point[0]) > 1e4 for b in found)


def test_a_number_that_scipy_does_not_know_is_not_computed():
    """For some arguments it takes seconds to be NaN."""
    rows = np.arange(10.0).reshape(5, 2)
    padded = ladders._padded(rows, np.array([True, False, False, True, False]), 7)
    assert np.array_equal(padded, rows[[0, 0, 0, 3, 3, 0, 0]])
