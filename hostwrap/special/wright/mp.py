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


def log_wright_far(mp, a, b, x):
    """Its logarithm for large x, by the integral over the imaginary axis about the saddle of e^(s + x s^-a) s^-b."""
    with mp.workdps(mp.dps + 30):
        a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
        z = (a * x) ** (1 / (1 + a))
        digits = 4.7 * mp.dps  # the trapezoids' error is e^(-digits / 2), and so are the last terms
        step, steps = 2 * mp.pi / mp.sqrt(digits * z * (1 + a)), int(digits / 6) + 2

        def term(t):  # at i t
            fall = z * (mp.sin(t / 2) ** 2 + mp.sin(a * t / 2) ** 2 / a)
            return mp.exp(-2 * fall) * mp.cos(z * (mp.sin(t) - mp.sin(a * t) / a) + (1 - b) * t)

        total = 1 + 2 * mp.fsum(term(k * step) for k in range(1, steps))
        return +(z * (1 + 1 / a) + (1 - b) * mp.log(z) + mp.log(total * step / (2 * mp.pi)))


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
