"""int_0^1 x^l J_v(2 a x) dx by its power series."""


def besselpoly(mp, a, l, v):
    with mp.extradps(10 + int(abs(a))):
        term, total, k = a**v * mp.rgamma(v + 1), mp.mpf(0), 0
        small = mp.eps * mp.mpf(10) ** -20
        while k <= a or abs(term) > small * abs(total):
            total += term / (2 * k + v + l + 1)
            k += 1
            term = -term * a * a / (k * (k + v))
        return total


def besselpoly_hij(mp, a, l, v, h, i, j):
    """Its derivative, h times in a, i times in l and j times in v."""
    return mp.diff(lambda *args: besselpoly(mp, *args), (a, l, v), (h, i, j))
