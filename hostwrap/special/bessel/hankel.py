"""d^i/dv^i d^j/dz^j of the Hankel functions, scaled or not, at any real order and complex argument.

As H2_v(conj z) = conj H1_v(z), formulas are for Im z >= 0 and v >= 0; there e^-iz H1_v(z) comes from e^w K_v(w),
w = -iz. The branch cut is the negative real axis; it belongs to the upper side, as in SciPy.
"""

import numpy as np

from hostwrap.special._numerics.jets import (
    cosine,
    from_higher_orders,
    phase,
    times,
    times_exponential,
)
from hostwrap.special._numerics.parts import as_complex, turned
from hostwrap.special._numerics.pointwise import elsewhere, in_python, places, pointwise, stack_of
from hostwrap.special.bessel import _beyond, _macdonald
from hostwrap.special.bessel._minimal import scaled_i


def hankel1_order(v, z, *, n):
    """d^n/dv^n H1_v(z)."""
    return _unscaled(v, as_complex(z) + 0j, n=n, kind=1)


def hankel2_order(v, z, *, n):
    """d^n/dv^n H2_v(z)."""
    return _unscaled(v, as_complex(z) + 0j, n=n, kind=2)


def hankel1e_n(v, z, *, dv, dz):
    """d^i/dv^i d^j/dz^j e^-iz H1_v(z)."""
    return _scaled(v, as_complex(z) + 0j, i=dv, j=dz, kind=1)


def hankel2e_n(v, z, *, dv, dz):
    """d^i/dv^i d^j/dz^j e^iz H2_v(z)."""
    return _scaled(v, as_complex(z) + 0j, i=dv, j=dz, kind=2)


@pointwise
def _unscaled(v, z, *, n, kind):
    scaled = tower(v, z, n, 0, kind)[n, 0]
    result = turned(scaled, 1j * z if kind == 1 else -1j * z)
    better = in_python(lambda result, v, z: _by_values(result, v, z, n, kind))
    return elsewhere(result, _beyond.lost(v, scaled), better, result, v, z)


@pointwise
def _scaled(v, z, *, i, j, kind):
    result = tower(v, z, i, j, kind)[i, j]
    if j:
        return result
    scale = -1j if kind == 1 else 1j
    better = in_python(lambda result, v, z: _by_values(result, v, z, i, kind, scale))
    return elsewhere(result, _beyond.lost(v, result), better, result, v, z)


def _by_values(result, v, z, n, kind, scale=0j):
    """d^n/dv^n of e^(scale z) H_v(z) from its values where these are finite, else `result`; DLMF 10.4.6 for v < 0."""
    first, a = (z.imag >= 0) == (kind == 1), np.abs(v)
    upper = np.where(z.imag < 0, np.conj(z), z)
    jet = np.where(first, _beyond.h1(a, upper, n), _beyond.h2(a, upper, n))
    jet = np.where(z.imag < 0, np.conj(jet), jet)
    mirrored = (-1) ** n * times(phase(1 if kind == 1 else -1, a, n), jet)
    better = turned(np.where(v < 0, mirrored[n], jet[n]), scale * z)
    known = np.isfinite(v + z) & (z != 0) & np.isfinite(better)
    return np.where(known, better, result)


def tower(v, z, nv, nz, kind):
    """D[i, j] of e^-iz H1_v(z) (kind 1) or e^iz H2_v(z) (kind 2); DLMF 10.4.6 for v < 0."""
    first, second = (lambda a, z: _first(a, z, nv, nz)), (lambda a, z: _second(a, z, nv, nz))
    mirrored_first, mirrored_second = (lambda a, z, f=f: np.conj(f(a, np.conj(z))) for f in (first, second))
    on_axis = (z.imag == 0) & (z.real >= 0)  # where `_first`, from either side, is simpler
    upper, a = np.where(on_axis, kind == 1, z.imag >= 0), np.abs(v)
    result = stack_of(np.nan, (nv + 1, nz + 1), z)
    result = elsewhere(result, upper, first if kind == 1 else in_python(second), a, z)
    result = elsewhere(result, ~upper, in_python(mirrored_second) if kind == 1 else mirrored_first, a, z)
    turn = phase(1 if kind == 1 else -1, a, nv)
    mirrored = times(turn, result) * (-1.0) ** np.arange(nv + 1)[:, None, None]
    return np.where(v < 0, mirrored, result)


def _first(v, z, nv, nz):
    """DLMF 10.27.8: e^-iz H1_v(z) = 2/(pi i) e^(-i pi v/2) e^w K_v(w), w = -iz."""
    tower = _macdonald.tower(v, -1j * z, nv, nz)
    return _combined(tower, -1, v)


def _second(v, z, nv, nz):
    """e^iz H2_v(z) by DLMF 10.27.8 with w = iz, where K_v(w) can be computed directly in the left half-plane."""
    result = np.empty((nv + 1, nz + 1, v.size), complex)
    left = z.real < 0
    direct = _macdonald.is_turned(v, z) & ~left
    cases = ((_second_left, left), (_second_direct, direct), (_second_from_values, ~left & ~direct))
    for method, part in cases:
        here = places(part)
        if here.size:
            result[..., here] = method(v[here], z[here], nv, nz)
    return result


def _second_direct(v, z, nv, nz):
    return _combined(_macdonald.turned_tower(v, 1j * z, np.angle(z) + np.pi / 2, nv, nz), 1, v)


def _second_from_values(v, z, nv, nz):
    """The same from values of H2: each derivative loses a factor |z|^2 / v^2."""
    values = [scaled_h2(v + k, z, nv) for k in range(nz + 1)]
    return from_higher_orders(values, v, z, nv, nz, -1, 1j)


def _second_left(v, z, nv, nz):
    """DLMF 10.11.4: H2_v(-y) = e^(i pi v) H1_v(y) + 2 cos(pi v) H2_v(y) for y = -z, arg y in [-pi/2, 0]."""
    y = -z
    h1, h2 = np.conj(_second(v, np.conj(y), nv, nz)), np.conj(_first(v, np.conj(y), nv, nz))
    h2 = times_exponential(h2, -2j, y)
    result = times(phase(1, v, nv)[:, None], h1) + 2 * times(cosine(v, nv)[:, None], h2)
    return result * (-1.0) ** np.arange(nz + 1)[:, None]


def _combined(tower, s, v):
    """2 i s/pi e^(s i pi v/2) times e^w K_v(w), w = s i z, as a function of v and z."""
    result = times(phase(0.5 * s, v, len(tower) - 1), tower) * (2j * s / np.pi)
    return result * ((1j * s) ** np.arange(tower.shape[1]))[:, None]


def scaled_h1(v, z, n):
    """The jet in v of e^-iz H1_v(z); v >= 0, Im z >= 0."""
    return _first(v, z, n, 0)[:, 0]


def scaled_h2(v, z, n):
    """The jet in v of e^iz H2_v(z) = e^iz (2 J_v(z) - H1_v(z)); v >= 0, Im z >= 0. J by DLMF 10.27.6."""
    j = times(phase(0.5, v, n), scaled_i(v, -1j * z, n))
    return 2 * j - turned(scaled_h1(v, z, n), 2j * z)
