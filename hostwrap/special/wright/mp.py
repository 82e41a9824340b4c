"""Wright's functions from their definitions."""


def wright(mp, a, b, x):
    """sum of x^k / (k! Gamma(a k + b)), whose terms grow, then fall."""
    with mp.extraprec(20):
        total, power, before, k = mp.mpf(0), mp.mpf(1), mp.inf, 0
        while True:
            term = power * mp.rgamma(a * k + b)
            total += term
            if k > 1 and abs(term) <= min(before, mp.eps * abs(total)):
                return +total
            before, k = abs(term), k + 1
            power *= x / k


def omega(mp, z):
    """w with w + log w = z, on the sheet that SciPy chooses: W_k(e^z), k the winding number of z."""
    if not isinstance(z, mp.mpc) and z > 1:
        w = z - mp.log(z)
        while True:
            step = (w + mp.log(w) - z) / (1 + 1 / w)
            w -= step
            if abs(step) < abs(w) * mp.sqrt(mp.eps) ** 1.1:
                return w - (w + mp.log(w) - z) / (1 + 1 / w)
    return mp.lambertw(mp.exp(z), int(mp.ceil((mp.im(z) - mp.pi) / (2 * mp.pi))))
