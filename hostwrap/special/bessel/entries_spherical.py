"""Spherical Bessel functions of integer order."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import isinf, maximum, where
from hostwrap.special.bessel import spherical as kernels

__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]

# (2n + 1) f_n' = n f_(n-1) -+ (n + 1) f_(n+1), DLMF 10.51.2 and 10.51.5: unlike n/z f_n -+ f_(n+1), it holds at z = 0,
# and so do its own derivatives. For n = 0 the order -1 does not exist and is not evaluated.


def slope(f, n, z, above):
    """The derivative of an f_n that obeys the recurrence with sign `above`."""
    below = where(n > 0, n * f(maximum(n - 1, 0), z), 0)
    return (below + above * (n + 1) * f(n + 1, z)) / (2 * n + 1)


def curvature(f, n, z, above):
    """Its second derivative."""
    below = where(n > 0, n * slope(f, maximum(n - 1, 0), z, above), 0)
    return (below + above * (n + 1) * slope(f, n + 1, z, above)) / (2 * n + 1)


def j_slope(y, n, z, derivative):
    return (curvature if derivative else slope)(regular_jn, n, z, -1)


def y_slope(y, n, z, derivative):
    """At the pole z = 0, y_n and its derivatives are infinite, with signs in turn."""
    return where(isinf(y), -y, (curvature if derivative else slope)(spherical_yn, n, z, -1))


def i_slope(y, n, z, derivative):
    return (curvature if derivative else slope)(regular_in, n, z, 1)


def k_slope(y, n, z, derivative):
    """(-1)^n k_n obeys the recurrence of i_n."""
    return curvature(spherical_kn, n, z, 1) if derivative else -slope(spherical_kn, n, z, 1)


def sphere(mp, f, n, z, derivative):
    """sqrt(pi / (2 z)) f(n + 1/2, z), DLMF 10.47; one step aside of z = 0, where it is a limit."""
    value = lambda t: mp.sqrt(mp.pi / (2 * t)) * f(n + mp.mpf(1) / 2, t)
    return mp.diff(value, z) if derivative else value(z)


def spherical(name, slope, definition, see):
    return special(
        f"{name}(n, z, *, derivative=False)",
        host=kernels.spherical(name),
        loops=True,
        dn=discrete,
        dz=lambda y, n, z, *, derivative: slope(y, n, z, derivative),
        ref=lambda mp, n, z, *, derivative: sphere(mp, getattr(mp, definition), n, z, derivative),
        n=integer(0, 20),
        z=real(0.1, 50, im=8),
        at=[(0, 1e-10), (1, 1e-10), (2, 1e-3), (10, 0.5), (20, 3.0)],
        see=see,
    )


def regular(name, scipys, sign, definition, see):
    """The one of the two functions that is regular, with its digits next to z = 0."""
    found = kernel(
        f"{name}(n, z)",
        host=kernels.regular(scipys, sign),
        loops=True,
        dn=discrete,
        dz=lambda y, n, z: slope(found, n, z, sign),
        ref=lambda mp, n, z: sphere(mp, getattr(mp, definition), n, z, False),
        n=integer(0, 20),
        z=real(0.1, 50, im=8),
        at=[(0, 1e-10), (1, 1e-10), (2, 1e-4), (10, 0.5)],
        see=see,
    )
    return found


regular_jn = regular("regular_jn", "spherical_jn", -1, "besselj", "DLMF 10.51.2")
regular_in = regular("regular_in", "spherical_in", 1, "besseli", "DLMF 10.51.5")
spherical_jn = spherical("spherical_jn", j_slope, "besselj", "DLMF 10.51.2")
spherical_yn = spherical("spherical_yn", y_slope, "bessely", "DLMF 10.51.2")
spherical_in = spherical("spherical_in", i_slope, "besseli", "DLMF 10.51.5")
spherical_kn = spherical("spherical_kn", k_slope, "besselk", "DLMF 10.51.5")
