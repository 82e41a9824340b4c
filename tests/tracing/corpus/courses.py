"""Algorithms, physics, finance and epidemiology, as courses teach them."""

import bisect
import dataclasses
import functools
import itertools
import math

import numpy as np
from scipy import linalg, optimize, stats

from tests.tracing.corpus.row import Rows

add = Rows("courses")

A = np.array


@add.on(0.7, 1.3)
def nr_bessj_recurrence(x, y):
    # Miller downward
    def bess(n, x):
        m = 2 * ((n + int(math.sqrt(40.0 * n))) // 2)
        jsum = False
        bjp = ans = s = 0.0
        bj = 1.0
        for j in range(m, 0, -1):
            bjm = j * 2.0 / x * bj - bjp
            bjp = bj
            bj = bjm
            if abs(bj) > 1e10:
                bj *= 1e-10
                bjp *= 1e-10
                ans *= 1e-10
                s *= 1e-10
            if jsum:
                s += bj
            jsum = not jsum
            if j == n:
                ans = bjp
        s = 2.0 * s - bj
        return ans / s

    return bess(3, x) + bess(5, y)


@add.on(2.3, 4.1)
def nr_gser(a, x):
    gln = math.lgamma(a)
    ap, s = a, 1.0 / a
    de = s
    for _n in range(200):
        ap += 1
        de *= x / ap
        s += de
        if abs(de) < abs(s) * 1e-16:
            return s * math.exp(-x + a * math.log(x) - gln)
    raise RuntimeError


@add.on(2.3, 1.4, 0.4)
def nr_betacf(a, b, x):
    FPMIN = 1e-300
    qab, qap, qam = a + b, a + 1, a - 1
    c = 1.0
    d = 1 - qab * x / qap
    if abs(d) < FPMIN:
        d = FPMIN
    d = 1 / d
    h = d
    for m in range(1, 100):
        m2 = 2 * m
        aa = m * (b - m) * x / ((qam + m2) * (a + m2))
        d = 1 + aa * d
        if abs(d) < FPMIN:
            d = FPMIN
        c = 1 + aa / c
        if abs(c) < FPMIN:
            c = FPMIN
        d = 1 / d
        h *= d * c
        aa = -(a + m) * (qab + m) * x / ((a + m2) * (qap + m2))
        d = 1 + aa * d
        if abs(d) < FPMIN:
            d = FPMIN
        c = 1 + aa / c
        if abs(c) < FPMIN:
            c = FPMIN
        d = 1 / d
        de = d * c
        h *= de
        if abs(de - 1.0) <= 3e-16:
            break
    bt = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x)
    )
    return bt * h / a


@add.on(1.2, 0.5, 2.0)
def carlson_rf(x, y, z):
    while True:
        sx, sy, sz = math.sqrt(x), math.sqrt(y), math.sqrt(z)
        lam = sx * (sy + sz) + sy * sz
        x, y, z = 0.25 * (x + lam), 0.25 * (y + lam), 0.25 * (z + lam)
        ave = (x + y + z) / 3
        dx, dy, dz = (ave - x) / ave, (ave - y) / ave, (ave - z) / ave
        if max(abs(dx), abs(dy), abs(dz)) < 0.0025:
            break
    e2 = dx * dy - dz * dz
    e3 = dx * dy * dz
    return (1 + (e2 / 24 - 0.1 - 3 * e3 / 44) * e2 + e3 / 14) / math.sqrt(ave)


@add.on(A([1.0, 2.0, 4.0, 7.0]), A([0.3, 1.1, 0.2, -0.4]), 3.1)
def nr_polint(xa, ya, x):
    n = len(xa)
    c, d = list(ya), list(ya)
    ns = min(range(n), key=lambda i: abs(x - xa[i]))
    y = ya[ns]
    ns -= 1
    for m in range(1, n):
        for i in range(n - m):
            ho, hp = xa[i] - x, xa[i + m] - x
            w = c[i + 1] - d[i]
            den = ho - hp
            if den == 0:
                raise ZeroDivisionError
            den = w / den
            d[i], c[i] = hp * den, ho * den
        if 2 * (ns + 1) < n - m:
            dy = c[ns + 1]
        else:
            dy = d[ns]
            ns -= 1
        y = y + dy
    return y


@add.on(A([1.0, 2.0, 4.0, 7.0]), A([0.3, 1.1, 0.2, -0.4]), 3.1)
def nr_ratint(xa, ya, x):
    n = xa.size
    c, d = ya.copy(), ya + 1e-30
    ns = int(np.argmin(np.abs(x - xa)))
    y = ya[ns]
    ns -= 1
    for m in range(1, n):
        for i in range(n - m):
            w = c[i + 1] - d[i]
            h = xa[i + m] - x
            t = (xa[i] - x) * d[i] / h
            dd = t - c[i + 1]
            dd = w / dd
            d[i] = c[i + 1] * dd
            c[i] = t * dd
        if 2 * (ns + 1) < (n - m):
            y += c[ns + 1]
        else:
            y += d[ns]
            ns -= 1
    return y


@add.on(A([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]]))
def nr_tred2_tqli(a):
    # householder + QL implicit on small symmetric, by hand with numpy float ops
    a = a.copy()
    n = 3
    d = np.zeros(n)
    e = np.zeros(n)
    for i in range(n - 1, 0, -1):
        l = i - 1
        h = 0.0
        if l > 0:
            scale = sum(abs(a[i, k]) for k in range(l + 1))
            for k in range(l + 1):
                a[i, k] /= scale
                h += a[i, k] ** 2
            f = a[i, l]
            g = -math.sqrt(h) if f >= 0 else math.sqrt(h)
            e[i] = scale * g
            h -= f * g
            a[i, l] = f - g
            f = 0.0
            for j in range(l + 1):
                g = 0.0
                for k in range(j + 1):
                    g += a[j, k] * a[i, k]
                for k in range(j + 1, l + 1):
                    g += a[k, j] * a[i, k]
                e[j] = g / h
                f += e[j] * a[i, j]
            hh = f / (h + h)
            for j in range(l + 1):
                f = a[i, j]
                e[j] = g = e[j] - hh * f
                for k in range(j + 1):
                    a[j, k] -= f * e[k] + g * a[i, k]
        else:
            e[i] = a[i, l]
        d[i] = h
    for i in range(n):
        d[i] = a[i, i]
    e = np.roll(e, -1)
    for l in range(n):
        for _it in range(50):
            m = l
            while m < n - 1:
                dd = abs(d[m]) + abs(d[m + 1])
                if abs(e[m]) < 1e-15 * dd:
                    break
                m += 1
            if m == l:
                break
            g = (d[l + 1] - d[l]) / (2 * e[l])
            r = math.hypot(g, 1.0)
            g = d[m] - d[l] + e[l] / (g + math.copysign(r, g))
            s = c = 1.0
            p = 0.0
            for i in range(m - 1, l - 1, -1):
                f = s * e[i]
                b = c * e[i]
                e[i + 1] = r = math.hypot(f, g)
                if r == 0:
                    d[i + 1] -= p
                    e[m] = 0
                    break
                s = f / r
                c = g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2 * c * b
                d[i + 1] = g + (p := s * r)
                g = c * r - b
            else:
                d[l] -= p
                e[l] = g
                e[m] = 0.0
    return np.sort(d)


@add.on(A([0.5, 1.0, -0.3, 0.8, 0.1, -0.6, 0.2, 0.9]))
def nr_four1(data):
    data = list(data)
    n = len(data)
    nn = n // 2
    j = 0
    for i in range(0, n, 2):
        if j > i:
            data[j], data[i] = data[i], data[j]
            data[j + 1], data[i + 1] = data[i + 1], data[j + 1]
        m = nn
        while m >= 2 and j >= m:
            j -= m
            m >>= 1
        j += m
    mmax = 2
    while n > mmax:
        istep = mmax << 1
        theta = 2 * math.pi / mmax
        wpr, wpi = -2 * math.sin(theta / 2) ** 2, math.sin(theta)
        wr, wi = 1.0, 0.0
        for m in range(0, mmax, 2):
            for i in range(m, n, istep):
                j = i + mmax
                tr = wr * data[j] - wi * data[j + 1]
                ti = wr * data[j + 1] + wi * data[j]
                data[j] = data[i] - tr
                data[j + 1] = data[i + 1] - ti
                data[i] += tr
                data[i + 1] += ti
            wr, wi = wr * (1 + wpr) - wi * wpi, wi * (1 + wpr) + wr * wpi
        mmax = istep
    return np.array(data)


@add.on(A([3.0, 1.0, 2.5, 0.2, 1.7]))
def quickselect(a):
    a = list(a)

    def select(left, right, k):
        while True:
            if left == right:
                return a[left]
            pivot = a[(left + right) // 2]
            i, j = left, right
            while i <= j:
                while a[i] < pivot:
                    i += 1
                while a[j] > pivot:
                    j -= 1
                if i <= j:
                    a[i], a[j] = a[j], a[i]
                    i += 1
                    j -= 1
            if k <= j:
                right = j
            elif k >= i:
                left = i
            else:
                return a[k]

    return select(0, 4, 2) ** 2 + a[0]


@add.on(A([3.0, 1.0, 2.5, 0.2, 1.7]), A([1.0, 0.4, 2.0, 0.3, 0.9]))
def knapsack_fractional(value, weight):
    cap, total = 2.5, 0.0
    for i in sorted(range(len(value)), key=lambda k: value[k] / weight[k], reverse=True):
        if weight[i] <= cap:
            cap -= weight[i]
            total += value[i]
        else:
            total += value[i] * cap / weight[i]
            break
    return total


@add.on(A([0.4, 0.3, 0.2, 0.1]))
def huffman_expected_length(p):
    import heapq

    q = [(x, i) for i, x in enumerate(p)]
    heapq.heapify(q)
    total = 0
    k = len(p)
    while len(q) > 1:
        a = heapq.heappop(q)
        b = heapq.heappop(q)
        total += a[0] + b[0]
        heapq.heappush(q, (a[0] + b[0], k))
        k += 1
    return total


@add.on(A([[0.0, 1.0, 4.0, 9.0], [1.0, 0.0, 2.0, 6.0], [4.0, 2.0, 0.0, 3.0], [9.0, 6.0, 3.0, 0.0]]))
def floyd_warshall(d):
    d = d.copy()
    for k in range(4):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d.sum() + d[0, 3] ** 2


@add.on(A([[0.0, 1.0, 4.0, 9.0], [1.0, 0.0, 2.0, 6.0], [4.0, 2.0, 0.0, 3.0], [9.0, 6.0, 3.0, 0.0]]))
def prim_mst(d):
    n = len(d)
    intree = {0}
    total = 0.0
    while len(intree) < n:
        w, j = min((d[i, j], j) for i in intree for j in range(n) if j not in intree)
        total += w
        intree.add(j)
    return total


@add.on(A([0.1, 2.0, 1.5, 3.0, 2.2, 0.3]), A([0.0, 0.2, 1.7, 1.0, 2.5, 1.9]))
def convex_hull_monotone(x, y):
    pts = sorted(zip(x, y, strict=False))

    def cross(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    def half(ps):
        h = []
        for p in ps:
            while len(h) >= 2 and cross(h[-2], h[-1], p) <= 0:
                h.pop()
            h.append(p)
        return h

    hull = half(pts)[:-1] + half(pts[::-1])[:-1]
    return 0.5 * abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, hull[1:] + hull[:1], strict=False)))


@add.on(A([0.1, 2.0, 1.5, 3.0]), A([0.0, 0.2, 1.7, 1.0]))
def sutherland_hodgman(x, y):
    poly = list(zip(x, y, strict=False))
    clip = [(0.3, -1.0), (2.5, -1.0), (2.5, 1.2), (0.3, 1.2)]
    out = poly
    for (ax, ay), (bx, by) in zip(clip, clip[1:] + clip[:1], strict=False):
        inside = lambda p, ax=ax, ay=ay, bx=bx, by=by: (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) >= 0
        inp, out = out, []
        s = inp[-1]
        for e in inp:
            if inside(e) != inside(s):
                d1 = (bx - ax) * (s[1] - ay) - (by - ay) * (s[0] - ax)
                d2 = (bx - ax) * (e[1] - ay) - (by - ay) * (e[0] - ax)
                t = d1 / (d1 - d2)
                out.append((s[0] + t * (e[0] - s[0]), s[1] + t * (e[1] - s[1])))
            if inside(e):
                out.append(e)
            s = e
    xs, ys = np.array(out).T
    return 0.5 * (np.dot(xs, np.roll(ys, -1)) - np.dot(ys, np.roll(xs, -1)))


@add.on(0.3, -0.2)
def julia_potential(cr, ci):
    z = 0j
    c = complex(cr, ci) + 0.8
    n = 0
    while abs(z) < 100 and n < 50:
        z = z * z + c
        n += 1
    return n + 1 - math.log(math.log(abs(z))) / math.log(2)


@add.on(A([2.0, 1.0, 3.0]), A([1.0, 0.5, 0.2]))
def gram_points_muller(a, b):
    f = lambda x: a[0] * x**3 - a[1] * x - a[2] * math.cos(b[0] * x)
    x0, x1, x2 = 0.5, 1.0, 1.5
    for _ in range(50):
        h1, h2 = x1 - x0, x2 - x1
        d1, d2 = (f(x1) - f(x0)) / h1, (f(x2) - f(x1)) / h2
        d = (d2 - d1) / (h2 + h1)
        bb = d2 + h2 * d
        D = (bb * bb - 4 * f(x2) * d) ** 0.5
        E = bb + D if abs(bb - D) < abs(bb + D) else bb - D
        h = -2 * f(x2) / E
        x3 = x2 + h
        if abs(h) < 1e-10:
            return x3 + b[1] + b[2]
        x0, x1, x2 = x1, x2, x3
    return x3


@add.on(1.3)
def zeta_borwein(s):
    n = 20
    d = [
        n
        * sum(
            math.factorial(n + i - 1) * 4**i / (math.factorial(n - i) * math.factorial(2 * i))
            for i in range(k + 1)
        )
        for k in range(n + 1)
    ]
    return -1 / (d[n] * (1 - 2 ** (1 - s))) * sum((-1) ** k * (d[k] - d[n]) / (k + 1) ** s for k in range(n))


@add.on(0.5, 0.8)
def agm_elliptic(m, phi):
    a, b, c = 1.0, math.sqrt(1 - m), math.sqrt(m)
    n, p = 0, phi
    while abs(c) > 1e-16 and n < 12:
        p = p + math.atan(b / a * math.tan(p)) + math.pi * math.floor(p / math.pi + 0.5)
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        n += 1
    return p / (2**n * a)


@add.on(2.0, 3.0, 4.0)
def heron_and_inradius(a, b, c):
    s = (a + b + c) / 2
    area = math.sqrt(s * (s - a) * (s - b) * (s - c))
    return area, area / s, a * b * c / (4 * area)


@add.on(A([0.2, 0.9, 0.4]), A([1.0, 2.0]))
def lagrange_multiplier_newton(x0, p):
    x = np.array([0.5, 0.5, 0.1]) + 0 * x0
    for _ in range(20):
        u, v, l = x
        F = np.array([2 * u + l * p[0] - x0[0], 2 * v * x0[2] + l * p[1], p[0] * u + p[1] * v - x0[1]])
        J = np.array([[2.0, 0, p[0]], [0, 2 * x0[2], p[1]], [p[0], p[1], 0.0]])
        x = x - np.linalg.solve(J, F)
        if np.linalg.norm(F) < 1e-14:
            break
    return x


@add.on(1.7, 0.3)
def romberg_class(a, k):
    class Romberg:
        def __init__(self, f, eps=1e-12):
            self.f, self.eps, self.rows = f, eps, []

        def __call__(self, lo, hi):
            h = hi - lo
            self.rows.append([h / 2 * (self.f(lo) + self.f(hi))])
            for i in range(1, 15):
                h /= 2
                s = sum(self.f(lo + (2 * k + 1) * h) for k in range(2 ** (i - 1)))
                row = [self.rows[-1][0] / 2 + h * s]
                for j, old in enumerate(self.rows[-1], 1):
                    row.append(row[-1] + (row[-1] - old) / (4**j - 1))
                self.rows.append(row)
                if abs(row[-1] - self.rows[-2][-1]) < self.eps:
                    return row[-1]
            return self.rows[-1][-1]

    return Romberg(lambda x: math.exp(-k * x) * math.sin(a * x))(0.0, 2.0)


@add.on(A([0.1, 0.5, 0.9, 1.3]), A([1.0, 0.2, 0.4, -0.3]), 0.6)
def akima_by_hand(x, y, t):
    m = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(3)]
    m = [3 * m[0] - 2 * m[1], 2 * m[0] - m[1], *m, 2 * m[2] - m[1], 3 * m[2] - 2 * m[1]]
    s = []
    for i in range(4):
        a, b = abs(m[i + 3] - m[i + 2]), abs(m[i + 1] - m[i])
        s.append((a * m[i + 1] + b * m[i + 2]) / (a + b) if a + b > 1e-12 else 0.5 * (m[i + 1] + m[i + 2]))
    i = bisect.bisect_right(list(x), t) - 1
    h = x[i + 1] - x[i]
    u = (t - x[i]) / h
    return (
        (1 + 2 * u) * (1 - u) ** 2 * y[i]
        + u * (1 - u) ** 2 * h * s[i]
        + u * u * (3 - 2 * u) * y[i + 1]
        + u * u * (u - 1) * h * s[i + 1]
    )


@add.on(1.0, 0.5, 0.2)
def driven_oscillator_poincare(omega, gamma, F):
    def deriv(t, s):
        x, v = s
        return np.array([v, -gamma * v - np.sin(x) + F * np.cos(omega * t)])

    s, t, n = np.array([0.2, 0.0]), 0.0, 40
    dt = 2 * np.pi / omega / n
    for _i in range(n):
        k1 = deriv(t, s)
        k2 = deriv(t + dt / 2, s + dt / 2 * k1)
        k3 = deriv(t + dt / 2, s + dt / 2 * k2)
        k4 = deriv(t + dt, s + dt * k3)
        s += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += dt
    return s


@add.on(A([1.0, -1.0, 0.5]), A([[0.0, 0.0], [1.0, 0.0], [0.3, 0.8]]), A([0.5, 0.4]))
def electric_field(q, pos, at):
    r = at - pos
    d = np.linalg.norm(r, axis=1, keepdims=True)
    return (q[:, None] * r / d**3).sum(0)


@add.on(1.0, 0.3, 0.05)
def quantum_tunnelling(V0, E, w):
    k = np.sqrt(2 * E)
    q = np.sqrt(2 * (E - V0) + 0j)

    def interface(k1, k2, x):
        return 0.5 * np.array(
            [
                [(1 + k2 / k1) * np.exp(1j * (k2 - k1) * x), (1 - k2 / k1) * np.exp(-1j * (k2 + k1) * x)],
                [(1 - k2 / k1) * np.exp(1j * (k2 + k1) * x), (1 + k2 / k1) * np.exp(-1j * (k2 - k1) * x)],
            ]
        )

    M = interface(k, q, 0.0) @ interface(q, k, 1 + w)
    return 1 / abs(M[0, 0]) ** 2


@add.on(1.5, 0.7)
def finite_well_levels(depth, width):
    n = 30
    x, dx = np.linspace(-3, 3, n, retstep=True)
    V = depth * (1 - 1 / (1 + np.exp(-(np.abs(x) - width) / 0.2)))
    H = (
        np.diag(1 / dx**2 - V)
        + np.diag(np.full(n - 1, -0.5 / dx**2), 1)
        + np.diag(np.full(n - 1, -0.5 / dx**2), -1)
    )
    E, psi = np.linalg.eigh(H)
    return E[:2], np.sum(psi[:, 0] ** 2 * x**2)


@add.on(0.3, 0.2)
def ising_exact_enumeration(J, h):
    Z = E = 0
    for s in itertools.product([-1, 1], repeat=5):
        e = -J * sum(a * b for a, b in zip(s, s[1:] + s[:1], strict=False)) - h * sum(s)
        w = np.exp(-e)
        Z += w
        E += e * w
    return np.log(Z), E / Z


@add.on(0.5, 1.2)
def lorenz_boost(beta, E):
    g = 1 / np.sqrt(1 - beta**2)
    L = np.eye(4)
    L[0, 0] = L[1, 1] = g
    L[0, 1] = L[1, 0] = -g * beta
    p = np.array([E, 0.3 * E, 0.1, 0.0])
    eta = np.diag([1.0, -1, -1, -1])
    q = L @ p
    return q, q @ eta @ q


@add.on(1.1, 0.3, 0.02)
def orbit_precession(a, e, alpha):
    u, du = 1 / (a * (1 - e)), 0.0
    dphi = 0.05
    f = lambda u: 1 / (a * (1 - e * e)) - u + alpha * u * u
    for _ in range(80):
        du += 0.5 * dphi * f(u)
        u += dphi * du
        du += 0.5 * dphi * f(u)
    return u, du


@add.on(0.02, 300.0)
def blackbody_bands(eps, T):
    lam = np.linspace(3e-6, 14e-6, 60)
    h, c, kB = 6.62607015e-34, 299792458.0, 1.380649e-23
    B = 2 * h * c**2 / lam**5 / np.expm1(h * c / (lam * kB * T))
    resp = np.where(lam < 5e-6, 1.0, np.where(lam > 8e-6, 0.7, eps))
    return np.trapezoid(B * resp, lam), lam[np.argmax(B)] * T


@add.on(2.0, 0.1, 0.3)
def rocket_stages(isp, frac, payload):
    stages = [{"m0": 10.0, "f": frac, "isp": isp}, {"m0": 3.0, "f": frac * 1.2, "isp": isp + 0.5}]
    dv, above = 0.0, payload
    for s in reversed(stages):
        total = s["m0"] + above
        dv += s["isp"] * math.log(total / (total - s["m0"] * (1 - s["f"])))
        above = total
    return dv


@add.on(1.0, 0.5)
def two_level_master(gu, gd):
    L = np.array([[-gu, gd], [gu, -gd]])
    return linalg.expm(L * 0.7) @ np.array([0.9, 0.1]), linalg.null_space(
        np.array([[-1.0, 0.5], [1.0, -0.5]])
    )[:, 0].sum()


@add.on(1.0, 2.0, 0.3)
def stokes_drag_sediment(rho, d, mu):
    v = 0.1
    for _ in range(60):
        Re = rho * v * d / mu
        Cd = 24 / Re * (1 + 0.15 * Re**0.687) if Re < 1000 else 0.44
        vn = np.sqrt(4 * 9.81 * d * 0.3 / (3 * Cd * rho))
        if np.isclose(v, vn, rtol=1e-14, atol=0):
            break
        v = vn
    return v


@add.on(A([0.1, 0.3, -0.2]), A([0.0, 0.0, 1.0]), 0.8)
def boris_push(v, B, q):
    E = np.array([0.01, 0.0, 0.02])
    x = np.zeros(3)
    for _ in range(20):
        vm = v + q * E * 0.05
        t = q * B * 0.05
        s = 2 * t / (1 + t @ t)
        vp = vm + np.cross(vm + np.cross(vm, t), s)
        v = vp + q * E * 0.05
        x += v * 0.1
    return x


@add.on(A([1.0, 0.0, 0.0, 0.5, 0.2]), 1.4)
def sod_hll(params, gamma):
    n = 24
    x = np.linspace(0, 1, n)
    rho = np.where(x < 0.5, params[0], 0.125 + params[1] * 0)
    p = np.where(x < 0.5, 1.0 + params[2], 0.1)
    u = params[3] * 0.1 * np.ones(n) + params[4] * 0
    U = np.stack([rho, rho * u, p / (gamma - 1) + 0.5 * rho * u**2])

    def flux(U):
        r, m, E = U
        u = m / r
        p = (gamma - 1) * (E - 0.5 * m * u)
        return np.stack([m, m * u + p, (E + p) * u]), u, np.sqrt(gamma * p / r)

    for _ in range(8):
        F, u, c = flux(U)
        UL, UR, FL, FR = U[:, :-1], U[:, 1:], F[:, :-1], F[:, 1:]
        sl = np.minimum(u[:-1] - c[:-1], u[1:] - c[1:])
        sr = np.maximum(u[:-1] + c[:-1], u[1:] + c[1:])
        hll = np.where(
            sl >= 0, FL, np.where(sr <= 0, FR, (sr * FL - sl * FR + sl * sr * (UR - UL)) / (sr - sl))
        )
        U[:, 1:-1] -= 0.01 * n * (hll[:, 1:] - hll[:, :-1])
    return U[0, ::6], U[2, 12]


@add.on(100.0, 0.2, 0.03)
def asian_lattice_mc_fixed(S, sigma, r):
    rng = np.random.RandomState(3)
    z = rng.standard_normal((40, 6))
    paths = S * np.exp(np.cumsum((r - sigma**2 / 2) / 6 + sigma * np.sqrt(1 / 6) * z, axis=1))
    pay = np.maximum(paths.mean(1) - 98, 0)
    return np.exp(-r) * pay.mean(), np.exp(-r) * pay.std(ddof=1)


@add.on(A([0.02, 0.025, 0.03, 0.032]))
def zero_curve_bootstrap(swap):
    df = []
    for _i, s in enumerate(swap):
        df.append((1 - s * sum(df)) / (1 + s))
    z = [-np.log(d) / (i + 1) for i, d in enumerate(df)]
    fwd = np.diff(np.log(df), prepend=0.0)
    return np.array(z), -fwd


@add.on(A([0.02, 0.025, 0.03, 0.032]), 1.7)
def discount_loglinear(rates, t):
    nodes = np.array([0.5, 1, 2, 5.0])
    df = np.exp(-rates * nodes)
    return np.exp(np.interp(t, nodes, np.log(df)))


@add.on(0.05, 0.1, 0.03)
def hull_white_tree(a, sigma, r0):
    dt, n = 0.5, 4
    dr = sigma * math.sqrt(3 * dt)
    prices = dict.fromkeys(range(-n, n + 1), 1.0)
    for i in reversed(range(n)):
        new = {}
        for j in range(-i, i + 1):
            r = r0 + j * dr
            pu = 1 / 6 + (a * a * j * j * dt * dt - a * j * dt) / 2
            pd = 1 / 6 + (a * a * j * j * dt * dt + a * j * dt) / 2
            new[j] = math.exp(-r * dt) * (pu * prices[j + 1] + (1 - pu - pd) * prices[j] + pd * prices[j - 1])
        prices = new
    return prices[0]


@add.on(A([100.0, 5.0, 5.0, 105.0]), 0.04)
def bond_convexity_dataclass(cf, y):
    @dataclasses.dataclass
    class Bond:
        flows: list

        def price(self, y):
            return sum(c / (1 + y) ** t for t, c in self.flows)

        def duration(self, y):
            return sum(t * c / (1 + y) ** t for t, c in self.flows) / self.price(y)

        @property
        def n(self):
            return len(self.flows)

    b = Bond(list(enumerate(cf, 1)))
    return b.price(y), b.duration(y) / b.n


@add.on(1.0, 1.2, 0.3, 0.25, 0.4)
def margrabe_and_stulz(s1, s2, v1, v2, rho):
    v = np.sqrt(v1**2 + v2**2 - 2 * rho * v1 * v2)
    d1 = (np.log(s1 / s2) + v**2 / 2) / v
    N = stats.norm.cdf
    ex = s1 * N(d1) - s2 * N(d1 - v)
    biv = stats.multivariate_normal.cdf([0.3, -0.2], mean=[0, 0], cov=[[1, 0.5], [0.5, 1]])
    return ex * biv


@add.on(0.02, 1.5, 0.3, 0.04)
def cir_bond(r, kappa, sigma, theta):
    T = 2.0
    h = np.sqrt(kappa**2 + 2 * sigma**2)
    den = 2 * h + (kappa + h) * np.expm1(h * T)
    A_ = (2 * h * np.exp((kappa + h) * T / 2) / den) ** (2 * kappa * theta / sigma**2)
    B = 2 * np.expm1(h * T) / den
    df, nc = 4 * kappa * theta / sigma**2, 4 * kappa * r / sigma**2
    return A_ * np.exp(-B * r), stats.ncx2.cdf(3.0, df, nc)


@add.on(A([0.01, -0.02, 0.015, 0.003, -0.01, 0.02]), 0.94)
def riskmetrics_accumulate(r, lam):
    v = list(itertools.accumulate(r, lambda s, x: lam * s + (1 - lam) * x * x, initial=1e-4))
    return np.sqrt(v[-1]), functools.reduce(lambda a, b: a * (1 + b), r, 1.0) - 1


@add.on(A([0.1, 0.05, 0.07]), A([[0.04, 0.01, 0.0], [0.01, 0.02, 0.005], [0.0, 0.005, 0.03]]))
def tangency_and_frontier(mu, S):
    inv = np.linalg.inv(S)
    one = np.ones(3)
    A_, B, C = one @ inv @ one, one @ inv @ mu, mu @ inv @ mu
    w = inv @ (mu - 0.01) / (one @ inv @ (mu - 0.01))
    g = (C * inv @ one - B * inv @ mu) / (A_ * C - B**2)
    return w, g, np.sqrt(w @ S @ w)


@add.on(100.0, 95.0, 0.3, 0.05, 0.5)
def bs_greeks_switch(S, K, v, r, T, kind="put"):
    d1 = (math.log(S / K) + (r + v * v / 2) * T) / (v * math.sqrt(T))
    d2 = d1 - v * math.sqrt(T)
    cdf = lambda z: 0.5 * math.erfc(-z / math.sqrt(2))
    match kind:
        case "call":
            return S * cdf(d1) - K * math.exp(-r * T) * cdf(d2)
        case "put":
            return K * math.exp(-r * T) * cdf(-d2) - S * cdf(-d1)
        case _:
            raise ValueError(kind)


@add.on(100.0, 95.0, 0.3)
def american_longstaff_brennan(S, K, v):
    # Barone-Adesi Whaley
    r, q, T = 0.05, 0.02, 0.5
    N = lambda z: stats.norm.cdf(z)

    def euro(S):
        d1 = (np.log(S / K) + (r - q + v * v / 2) * T) / (v * np.sqrt(T))
        return S * np.exp(-q * T) * N(d1) - K * np.exp(-r * T) * N(d1 - v * np.sqrt(T)), d1

    M, Nn, k = 2 * r / v**2, 2 * (r - q) / v**2, 1 - np.exp(-r * T)
    q2 = (-(Nn - 1) + np.sqrt((Nn - 1) ** 2 + 4 * M / k)) / 2
    f = lambda s: s - K - euro(s)[0] - (1 - np.exp(-q * T) * N(euro(s)[1])) * s / q2
    sx = optimize.brentq(f, K, 5 * K, xtol=1e-13)
    if sx <= S:
        return S - K
    A2 = sx / q2 * (1 - np.exp(-q * T) * N(euro(sx)[1]))
    return euro(S)[0] + A2 * (S / sx) ** q2


@add.on(0.4, 0.1, 0.02)
def seirs_dict_state(beta, gamma, wane):
    state = {"S": 0.99, "E": 0.0, "I": 0.01, "R": 0.0}
    peak = 0.0
    for _ in range(60):
        inf = beta * state["S"] * state["I"]
        d = {
            "S": -inf + wane * state["R"],
            "E": inf - 0.2 * state["E"],
            "I": 0.2 * state["E"] - gamma * state["I"],
            "R": gamma * state["I"] - wane * state["R"],
        }
        state = {k: v + d[k] for k, v in state.items()}
        peak = max(peak, state["I"])
    return peak, state["R"]


@add.on(A([[2.0, 0.5], [0.5, 1.0]]), A([0.3, 0.2]))
def ngm_r0(contact, gamma):
    K = contact / gamma[None, :]
    lam, v = np.linalg.eig(K)
    i = np.argmax(lam.real)
    v = v[:, i].real
    return lam[i].real, v / v.sum()


@add.on(A([1.0, 3.0, 5.0, 8.0, 6.0, 4.0]), 2.0, 0.8)
def cori_rt(cases, mean, sd):
    shape, scale = (mean / sd) ** 2, sd**2 / mean
    t = np.arange(1, 6)
    w = np.diff(stats.gamma.cdf(np.r_[0, t], shape, scale=scale))
    w /= w.sum()
    lam = np.array([np.sum(cases[max(0, i - 5) : i][::-1] * w[:i]) for i in range(1, 6)])
    return (1 + cases[1:]) / (0.2 + lam)


@add.on(0.3, 0.5)
def chain_binomial_reed_frost(p, q):
    @functools.cache
    def prob(s, i):
        if i == 0:
            return 1.0 if s == 1 else 0.0
        out = 0.0
        for j in range(s + 1):
            out += math.comb(s, j) * (1 - q**i) ** j * (q**i) ** (s - j) * prob(s - j, j)
        return out

    return prob(4, 1) + p * prob(3, 1)


@add.on(A([0.9, 0.95, 0.8]), 0.1)
def sens_spec_bayes(tests, prev):
    odds = prev / (1 - prev)
    for t in tests:
        odds *= t / (1 - t)
    return odds / (1 + odds)


@add.on(A([0.02, 0.01, 0.015, 0.03, 0.1]))
def life_table(m):
    n = np.array([1, 4, 5, 10, np.inf])
    a = np.where(np.isinf(n), 0, n / 2)
    q = np.where(
        np.isinf(n), 1.0, np.where(np.isinf(n), 0, n) * m / (1 + np.where(np.isinf(n), 0, n - a) * m)
    )
    l = np.concatenate([[1.0], np.cumprod(1 - q)[:-1]])
    d = l * q
    L = np.empty_like(l)
    L[:-1] = n[:-1] * l[1:] + a[:-1] * d[:-1]
    L[-1] = l[-1] / m[-1]
    T = L[::-1].cumsum()[::-1]
    return T / l


@add.on(0.5, 0.1, 3.0)
def holling_numpy_piecewise(a, h, n):
    N = np.linspace(0.1, n, 5)
    return np.piecewise(
        N,
        [N < 1, (N >= 1) & (N < 2)],
        [lambda z: a * z, lambda z: a * z / (1 + a * h * z), lambda z: a * z**2 / (1 + h * z**2)],
    )


ROWS = list(add)
