"""Lame polynomials, and the integrals of ellipsoidal harmonics by quadrature."""

from hostwrap.special._numerics.mp_tridiagonal import eigenpair, remembered


def harmonic(mp, h2, k2, n, p, s, signm, signn):
    """The Lame polynomial number p of degree n, monic, in SciPy's order (Romain and Jean-Pierre 2001)."""
    (a, b, c), coefficients = polynomial(mp, h2, k2, n, p)
    size = mp.sqrt(mp.fabs(s * s - h2)) ** b * mp.sqrt(mp.fabs(s * s - k2)) ** c
    degree = len(coefficients) - 1
    value = mp.fsum(f * (s * s - h2) ** (degree - j) for j, f in enumerate(coefficients))
    return signm**b * signn**c * s**a * size * value


def squared(mp, h2, k2, n, p):
    """Its square as a function of s^2."""
    (a, b, c), coefficients = polynomial(mp, h2, k2, n, p)

    def square(t):
        x, value = t - h2, mp.mpf(0)
        for coefficient in coefficients:
            value = value * x + coefficient
        return t**a * mp.fabs(x) ** b * mp.fabs(t - k2) ** c * value * value

    return square


def kind(n, p):
    """Exponents of s, |s^2 - h2|^(1/2), |s^2 - k2|^(1/2), and the number of the polynomial factor among its kind."""
    r = n // 2
    for exponents, count in (
        ((n % 2, 0, 0), r + 1),
        ((1 - n % 2, 1, 0), n - r),
        ((1 - n % 2, 0, 1), n - r),
        ((n % 2, 1, 1), r),
    ):
        if p <= count:
            return exponents, p
        p -= count
    raise ValueError("p > 2 n + 1")


@remembered
def polynomial(mp, h2, k2, n, p):
    """The exponents, and the coefficients of a polynomial in x = s^2 - h2, the highest, 1, first.

    Heun's operator on powers of x is a tridiagonal matrix, made symmetric by scaling.
    """
    (a, b, c), number = kind(n, p)
    m, half = (n - a - b - c) // 2, mp.mpf(1) / 2
    diagonal = [j * (j - 1 + b + c + 1) * h2 - j * (j - 1 + a + b + 1) * (k2 - h2) for j in range(m + 1)]
    up = [(j - m) * (j + m + a + b + c + half) for j in range(m)]
    down = [-j * (j - half + b) * h2 * (k2 - h2) for j in range(1, m + 1)]
    off = [mp.sqrt(u * d) for u, d in zip(up, down, strict=True)]
    _, vector = eigenpair(mp, diagonal, off, m + 1 - number)
    scale = mp.mpf(1)
    coefficients = [vector[m]]
    for j in range(m - 1, -1, -1):
        scale *= off[j] / up[j]
        coefficients.append(vector[j] * scale)
    return (a, b, c), [v / vector[m] for v in coefficients]


def tail(mp, h2, k2, n, p, s):
    """The integral over 0 < u < 1/s of 1 / (E(1/u)^2 ((1 - u^2 k2) (1 - u^2 h2))^(1/2))."""

    square = squared(mp, h2, k2, n, p)

    def integrand(u):
        t = 1 / (u * u)
        return t / (square(t) * mp.sqrt((t - k2) * (t - h2)))

    return mp.quad(integrand, [0, 1 / s], method="gauss-legendre")


def normal(mp, h2, k2, n, p):
    """8 times the double integral of (y^2 - x^2) E(x)^2 E(y)^2, x = h sin and y^2 = h2 + (k2 - h2) sin^2."""
    count, square = 4 * mp.dps, squared(mp, h2, k2, n, p)
    sums = [mp.mpf(0)] * 4
    for sine2 in nodes(mp, count):
        x, y = h2 * sine2, h2 + (k2 - h2) * sine2
        inner, outer = square(x) / mp.sqrt(k2 - x), square(y) / mp.sqrt(y)
        sums = [a + b for a, b in zip(sums, (inner, x * inner, outer, y * outer), strict=True)]
    return 8 * (mp.pi / 2 / count) ** 2 * (sums[0] * sums[3] - sums[1] * sums[2])


@remembered
def nodes(mp, count):
    return [mp.sin(mp.pi * (2 * r + 1) / (4 * count)) ** 2 for r in range(count)]
