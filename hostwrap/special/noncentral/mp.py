"""The noncentral chi-square, F and t distributions as sums over Poisson weights, at any precision.

The sums run in integers, units of 2^-p of their first term; they have hundreds of terms.
"""

GUARD = 64


def gamma_mixture(mp, x, a, l):
    """sum_j p_j(l) P(a + j, x) = sum_m T(a + m) (p_0 + .. + p_m)."""
    if x <= 0:
        return mp.mpf(0)
    with mp.extraprec(20):
        first = mp.exp(-x - l) * x**a * mp.rgamma(a + 1)
        p = mp.prec + GUARD + int(1.5 * l)
        x, a, l = _fixed(mp, p, x, a, l)
        return +mp.ldexp(_cumulated(p, l, lambda m, u: u * x // (a + (m << p))), -p) * first


def beta_mixture(mp, a, b, l, r):
    """sum_j p_j(l) I_y(a + j, b), y = r / (1 + r)."""
    if r <= 0:
        return mp.mpf(0)
    with mp.extraprec(20 + int(1.5 * l)):
        if r > 1:
            return mp.exp(-l) * _decreasing(mp, a, b, l, r, 0)
        first = mp.exp(-l) * _beta_term(mp, a, b, r)
        p = mp.prec + GUARD + int(1.5 * l)
        a, c, y, l = _fixed(mp, p, a, a + b - 1, r / (1 + r), l)
        return (
            +mp.ldexp(_cumulated(p, l, lambda m, u: (u * y >> p) * (c + (m << p)) // (a + (m << p))), -p)
            * first
        )


def beta_mixture_held(mp, a, b, l, r, in_a):
    """Its derivative in a or b where r b / a is held."""
    if in_a:
        return mp.diff(lambda t: beta_mixture(mp, t, b, l, r * t / a), a)
    return mp.diff(lambda t: beta_mixture(mp, a, t, l, r * b / t), b)


def gamma_term(mp, x, a, l):
    """sum_j p_j(l) x^(a+j) e^-x / Gamma(a + j + 1)."""
    if x == 0:
        return mp.exp(-l) if a == 0 else mp.inf if a < 0 else mp.mpf(0)
    return mp.exp(-x - l) * x**a * _series(mp, lambda m: x * l / (m * (a + m)), l) * mp.rgamma(a + 1)


def beta_term(mp, a, b, l, r):
    """sum_j p_j(l) y^(a+j) (1-y)^b Gamma(a + b + j) / (Gamma(a + j + 1) Gamma(b))."""
    if r == 0:
        return mp.exp(-l) if a == 0 else mp.inf if a < 0 else mp.mpf(0)
    y = r / (1 + r)
    total = _series(mp, lambda m: l * y * (a + b + m - 1) / (m * (a + m)), l)
    return mp.exp(-l) * _beta_term(mp, a, b, r) * total


def t_cdf(mp, v, d, t):
    """Phi(-d) + sum_j (p_j I_y(j + 1/2, v/2) + q_j I_y(j + 1, v/2)) / 2, y = t^2 / (v + t^2)."""
    if t < 0:
        return 1 - t_cdf(mp, v, -d, -t)
    if t == 0:
        return mp.ncdf(-d)
    with mp.extraprec(20 + int(1.5 * d * d)):
        l, b, r, half = d * d / 2, v / 2, t * t / v, mp.mpf(0.5)
        odd = d * mp.sqrt(2 / mp.pi) * _decreasing(mp, mp.mpf(1), b, l, r, half)
        return mp.ncdf(-d) + mp.exp(-l) / 2 * (_decreasing(mp, half, b, l, r, 0) + odd)


def t_moment(mp, v, d, t, k):
    """The integral of s^k phi(t s - d) over the density of s, v s^2 chi-square of v degrees, by powers of t d s."""
    with mp.extraprec(20 + int(1.5 * d * d)):
        scale = mp.sqrt(2 / (v + t * t))
        z, half = (t * d * scale) ** 2, (v + k) / 2
        even = _series(mp, lambda m: z * (half + m - 1) / (2 * m * (2 * m - 1)), d * d)
        odd = _series(mp, lambda m: z * (half + m - mp.mpf(0.5)) / (2 * m * (2 * m + 1)), d * d)
        total = mp.gamma(half) * even + t * d * scale * mp.gamma(half + mp.mpf(0.5)) * odd
        density = (v / 2) ** (v / 2) / mp.gamma(v / 2) * scale ** (v + k)
        return mp.npdf(d) * density * total


def _fixed(mp, p, *numbers):
    return [int(mp.ldexp(x, p)) for x in numbers]


def _cumulated(p, l, step):
    """sum of u_m (w_0 + .. + w_m), u_0 = w_0 = 1, w_m = w_(m-1) l / m."""
    u = w = 1 << p
    total = cumulated = m = 0
    while m << p <= l or u * (cumulated + w) >> p:
        cumulated += w
        total += u * cumulated >> p
        m += 1
        u, w = step(m, u), w * l // (m << p)
    return total


def _decreasing(mp, a, b, l, r, shift):
    """sum of w_j I_y(a + j, b), w_0 = 1, w_j = w_(j-1) l / (j + shift)."""
    p = mp.prec + GUARD
    first, y, yc = _beta_term(mp, a, b, r), r / (1 + r), 1 / (1 + r)
    if r <= 1:
        whole = first * _tail(mp, y, a + b, a + 1)
    else:
        whole = 1 - a / b * first * _tail(mp, yc, a + b, b + 1)
    u, whole, a, c, y, l, shift = _fixed(mp, p, first, whole, a, a + b - 1, y, l, shift)
    w, total, j = 1 << p, 0, 0
    while j << p <= l or w:
        total += w * whole >> p
        whole -= u
        j += 1
        u = (u * y >> p) * (c + (j << p)) // (a + (j << p))
        w = w * l // ((j << p) + shift)
    return mp.ldexp(total, -p)


def _beta_term(mp, a, b, r):
    return (r / (1 + r)) ** a * (1 + r) ** -b * mp.gammaprod([a + b], [a + 1, b])


def _tail(mp, y, c, a):
    """sum of (c)_n / (a)_n y^n, DLMF 8.17.20."""
    return _series(mp, lambda m: y * (c + m - 1) / (a + m - 1), 0)


def _series(mp, ratio, least):
    """1 + ratio(1) + ratio(1) ratio(2) + ..., positive, at least so many terms."""
    with mp.extraprec(20):
        total, term, m = mp.mpf(0), mp.mpf(1), 0
        while m <= least or abs(term) > mp.eps * abs(total):
            total += term
            m += 1
            term *= ratio(m)
        return total


def chi2_cdf(mp, x, df, nc):
    return gamma_mixture(mp, x / 2, df / 2, nc / 2)


def f_cdf(mp, dfn, dfd, nc, f):
    return beta_mixture(mp, dfn / 2, dfd / 2, nc / 2, dfn * f / dfd)
