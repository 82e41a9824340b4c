"""Jacobi, Laguerre and Legendre functions of real degree, by their hypergeometric series."""


def gauss(mp, a, b, c, z):
    """2F1; within 1/2 of z = 1 by its connection formulas, where mpmath's own takes its time."""
    w = 1 - z
    if _terminates(mp, a) or _terminates(mp, b):
        return _polynomial(mp, a, b, c, z)
    if abs(w) >= 0.5:
        return mp.hyp2f1(a, b, c, z)
    excess = c - a - b
    if w == 0 and not excess > 0:
        raise ValueError("infinite at z = 1")
    if _terminates(mp, c - a) or _terminates(mp, c - b):
        return mp.power(w, excess) * _polynomial(mp, c - a, c - b, c, z)
    if mp.isint(excess):
        m = int(excess)
        return _logarithmic(mp, a, b, m, w) if m >= 0 else w**m * _logarithmic(mp, c - a, c - b, -m, w)
    off = abs(excess - mp.nint(mp.re(excess)))
    with mp.extradps(int(-2 * mp.log10(off))):  # which the two terms lose next to an integer
        return +_connected(mp, a, b, c, w)


def _terminates(mp, a):
    return mp.isint(a) and a <= 0


def _polynomial(mp, a, b, c, z):
    degree = int(-max(x for x in (a, b) if _terminates(mp, x)))
    with mp.extradps(2 * degree):
        terms = [mp.mpf(1)]
        for k in range(degree):
            terms.append(terms[-1] * (a + k) * (b + k) * z / ((c + k) * (k + 1)))
        return mp.fsum(terms)


def _connected(mp, a, b, c, w):
    """DLMF 15.8.4."""
    excess = c - a - b
    regular = mp.gammaprod([c, excess], [c - a, c - b]) * mp.hyp2f1(a, b, 1 - excess, w)
    factor = mp.gammaprod([c, -excess], [a, b])
    return regular + factor * mp.power(w, excess) * mp.hyp2f1(c - a, c - b, 1 + excess, w)


def _logarithmic(mp, a, b, m, w):
    """F(a, b; a + b + m; 1 - w), DLMF 15.8.10."""
    powers = (
        mp.rf(a, k) * mp.rf(b, k) * mp.factorial(m - k - 1) / mp.factorial(k) * (-w) ** k for k in range(m)
    )
    finite = mp.fsum(powers) * mp.gammaprod([a + b + m], [a + m, b + m])
    log = mp.log(w) + mp.euler - mp.psi(0, m + 1) + mp.psi(0, a + m) + mp.psi(0, b + m)
    term, total, k = 1 / mp.factorial(m), mp.mpf(0), 0
    while abs(term) * (1 + abs(log)) > mp.eps * abs(total) and k < 20 * mp.dps:
        total += term * log
        log += 1 / (a + m + k) + 1 / (b + m + k) - mp.mpf(1) / (k + 1) - mp.mpf(1) / (k + m + 1)
        term *= (a + m + k) * (b + m + k) * w / ((k + 1) * (k + m + 1))
        k += 1
    return finite - (-w) ** m * mp.gammaprod([a + b + m], [a, b]) * total


def jacobi(mp, n, alpha, beta, x):
    """DLMF 18.5.7."""
    return mp.binomial(n + alpha, n) * gauss(mp, -n, n + alpha + beta + 1, alpha + 1, (1 - x) / 2)


def gegenbauer(mp, n, alpha, x):
    """DLMF 18.5.9; the factor 1 / Gamma(2 alpha) makes it 0 at alpha = 0."""
    factor = mp.gammaprod([n + 2 * alpha], [n + 1, 2 * alpha])
    return factor * gauss(mp, -n, n + 2 * alpha, alpha + mp.mpf(1) / 2, (1 - x) / 2)


def legendre(mp, n, x):
    """DLMF 14.3.1."""
    return gauss(mp, -n, n + 1, 1, (1 - x) / 2)


def sh_jacobi(mp, n, p, q, x):
    """Abramowitz and Stegun 22.2.2, of which the power x^n has the coefficient 1."""
    return jacobi(mp, n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)


def chebyshev_t(mp, n, x):
    """DLMF 18.5.1; on x < -1 the cosine would be real, and is the polynomial's for integer n only."""
    return mp.cos(n * mp.acos(x))


def chebyshev_u(mp, n, x):
    """DLMF 18.5.2."""
    if x in (1, -1):
        return (n + 1) * x**n
    angle = mp.acos(x)
    return mp.sin((n + 1) * angle) / mp.sin(angle)


def laguerre(mp, n, alpha, x):
    """DLMF 18.5.12."""
    return mp.binomial(n + alpha, n) * mp.hyp1f1(-n, alpha + 1, x)


def associated_legendre(mp, m, v, x):
    """Ferrers' function, DLMF 14.3.4 and 14.3.5, also for |x| > 1 at m = 0."""
    k = abs(m)
    core = (1 - x * x) ** (mp.mpf(k) / 2) * gauss(mp, k - v, k + v + 1, k + 1, (1 - x) / 2)
    rising = mp.rf(v - k + 1, 2 * k) * (-1) ** k if m > 0 else 1
    return core * rising / (2**k * mp.factorial(k))
