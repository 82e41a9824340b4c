"""Integrals of Bessel, Airy and Struve functions, by their power series."""


def bessel_integrals(mp, x, c):
    """int_0^x of J_0 and Y_0 (c = -1), or of I_0 and K_0 (c = 1)."""
    plain, order = _sums(mp, x, c, 1)
    return x * plain, 2 / mp.pi * x * order if c < 0 else -x * order


def logarithmic_integrals(mp, x, c):
    """int_0^x (1 - J_0(t))/t dt and int_x^inf Y_0(t)/t dt (c = -1), or of (I_0 - 1)/t and K_0/t (c = 1).

    The second is d/dv of int_x^inf J_v(t)/t dt at v = 0, of whose first term 1/v - (x/2)^v / (v Gamma(v + 1)) no
    more than the coefficient of v remains.
    """
    plain, order = _sums(mp, x, c, 0)
    square = (mp.log(x / 2) + mp.euler) ** 2 / 2
    if c < 0:
        return -plain, 2 / mp.pi * (mp.pi**2 / 12 - square - order)
    return plain, square + mp.pi**2 / 24 + order


def _sums(mp, x, c, shift):
    """sum of c^k (x/2)^2k / (k!^2 (2k + shift)) without the term 1/0, and its derivative in the order of the function.

    That derivative leads from J_0 to pi/2 Y_0, and from I_0 to -K_0.
    """
    with mp.extradps(10 + int(abs(x))):
        log, term, psi = mp.log(x / 2) if x else mp.mpf(0), mp.mpf(1), -mp.euler
        plain = order = mp.mpf(0)
        for k in range(10_000):
            if k:
                term, psi = term * c * (x / (2 * k)) ** 2, psi + mp.mpf(1) / k
            if k + shift:
                weight = mp.mpf(1) / (2 * k + shift)
                plain += term * weight
                order += term * weight * (log - psi - weight)
            if abs(term) < mp.eps * mp.eps:
                break
        return plain, order


def struve_sum(mp, x, c, weight):
    """sum of c^k (x/2)^(2k+1) / Gamma(k + 3/2)^2 weight(k): Struve functions of order 0, integrated term by term."""
    with mp.extradps(10 + int(abs(x))):
        term = total = mp.mpf(0)
        for k in range(10_000):
            term = term * c * (x / (2 * k + 1)) ** 2 if k else 2 * x / mp.pi
            total += term * weight(k)
            if abs(term) < mp.eps * mp.eps:
                break
        return total


def airy_integrals(mp, x):
    """int_0^x of Ai(t), Bi(t), Ai(-t) and Bi(-t)."""
    return mp.airyai(x, -1), mp.airybi(x, -1), -mp.airyai(-x, -1), -mp.airybi(-x, -1)
