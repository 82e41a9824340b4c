"""Finite elements, smoothers, ratings, epidemics, orbits, colours, tides, distances, soils, queues, options, warps."""

import itertools
import math

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial
from numpy.polynomial import Chebyshev, Hermite, Legendre, Polynomial
from scipy import integrate, optimize, special

from tests.tracing.corpus.row import Rows

add = Rows("trades")
A = np.array
Y = np.sin(np.arange(12.0) * 0.9) + 0.2 * np.arange(12.0)


# ---- finite elements and structures


@add.on(A([0.0, 0.3, 0.7, 1.0, 1.6]), 2.1, 0.4)
def bar_of_linear_elements(nodes, modulus, load):
    n = len(nodes)
    K, f = np.zeros((n, n)), np.zeros(n)
    for e in range(n - 1):
        h = nodes[e + 1] - nodes[e]
        K[e : e + 2, e : e + 2] += modulus / h * np.array([[1, -1], [-1, 1]])
        f[e : e + 2] += load * h / 2
    free = np.arange(1, n)
    return np.linalg.solve(K[np.ix_(free, free)], f[free])


@add.on(A([[0.0, 0.0], [1.1, 0.1], [0.9, 1.2], [-0.1, 0.8]]), 1.7)
def bilinear_quadrilateral_stiffness(corners, k):
    g = 1 / math.sqrt(3)
    K = np.zeros((4, 4))
    for xi, eta in itertools.product((-g, g), repeat=2):
        dn = 0.25 * np.array(
            [[-(1 - eta), 1 - eta, 1 + eta, -(1 + eta)], [-(1 - xi), -(1 + xi), 1 + xi, 1 - xi]]
        )
        J = dn @ corners
        B = np.linalg.inv(J) @ dn
        K += k * B.T @ B * np.linalg.det(J)
    return K


@add.on(A([1.0, 2.0, 1.5]), A([0.5, 0.7, 0.6]))
def beam_by_banded_solver(EI, length):
    n = len(EI)
    ab = np.zeros((2, n + 1))
    ab[1, :-1] += 4 * EI / length
    ab[1, 1:] += 4 * EI / length
    ab[0, 1:] = 2 * EI / length
    return scipy.linalg.solveh_banded(ab, np.linspace(1, 2, n + 1))


@add.on(A([1.0, 1.4, 2.2, 0.7]), A([0.3, 1.0, -0.2, 0.8]))
def assembled_sparse_laplacian(conductivity, source):
    n = len(source)
    rows, cols = np.arange(n), np.roll(np.arange(n), -1)
    L = scipy.sparse.coo_matrix((conductivity, (rows, cols)), shape=(n, n))
    L = L + L.T
    L = scipy.sparse.diags(np.asarray(L.sum(axis=1)).ravel() + 0.5) - L
    return scipy.sparse.linalg.spsolve(L.tocsc(), source)


# ---- estimation


@add.on(Y, 0.3, 0.8)
def local_level_smoother(y, q, r):
    n = len(y)
    m, p, mp, pp = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    mean, var = 0.0, 1e2
    for t in range(n):
        mp[t], pp[t] = mean, var + q
        gain = pp[t] / (pp[t] + r)
        mean, var = mp[t] + gain * (y[t] - mp[t]), (1 - gain) * pp[t]
        m[t], p[t] = mean, var
    smooth = m.copy()
    for t in reversed(range(n - 1)):
        c = p[t] / pp[t + 1]
        smooth[t] += c * (smooth[t + 1] - mp[t + 1])
    return smooth


@add.on(A([0.4, -0.3, 0.9, 0.2]), 0.24)
def elo_after_a_season(ratings, k):
    table = dict(enumerate(ratings))
    for a, b, won in [(0, 1, 1), (2, 3, 0), (0, 2, 0.5), (1, 3, 1), (0, 3, 1), (1, 2, 0)]:
        expected = 1 / (1 + 10 ** (table[b] - table[a]))
        table[a], table[b] = table[a] + k * (won - expected), table[b] - k * (won - expected)
    return np.array(list(table.values()))


@add.on(A([0.5, 0.2, -0.4]))
def bradley_terry_log_likelihood(strength):
    wins = np.array([[0, 3, 5], [2, 0, 4], [1, 1, 0]])
    gap = strength[:, None] - strength[None]
    return -np.sum(np.where(wins > 0, wins * np.logaddexp(0, -gap), 0.0))


@add.on(A([0.2, 0.5, 0.9]), 0.7)
def item_response_information(difficulty, ability):
    p = special.expit(1.7 * (ability - difficulty))
    return np.sum(1.7**2 * p * (1 - p)), np.prod(np.where([True, False, True], p, 1 - p))


# ---- epidemics, soils, queues


@add.on(A([0.35, 0.2, 0.1]), 0.95)
def seir_with_a_lockdown(rates, start):
    beta, sigma, gamma = rates
    s, e, i, r = start, 0.01, 0.04, 0.0
    locked = False
    ill = 0.0
    for _ in range(80):
        if not locked and i > 0.08:
            locked, beta = True, beta * 0.4
        new = beta * s * i
        s, e, i, r = s - new, e + new - sigma * e, i + sigma * e - gamma * i, r + gamma * i
        ill += i
    return np.array([s, i, r, ill])


@add.on(A([0.02, 0.1, 0.5, 2.0]), 0.43, 0.06, 1.8, 1.56)
def van_genuchten_conductivity(h, full, rest, alpha, n):
    m = 1 - 1 / n
    se = (1 + (alpha * h) ** n) ** -m
    return rest + (full - rest) * se, np.sqrt(se) * (1 - (1 - se ** (1 / m)) ** m) ** 2


@add.on(3.2, 0.6, 0.25)
def green_ampt_infiltration(time, suction, deficit):
    c = suction * deficit
    f = time
    for _ in range(30):
        f = time + c * np.log1p(f / c)
    return f


@add.on(22.0, 14.0, 2.1, 18.5)
def penman_monteith(t, net, wind, vapour):
    es = 0.6108 * np.exp(17.27 * t / (t + 237.3))
    slope = 4098 * es / (t + 237.3) ** 2
    g = 0.0665
    ea = es * vapour / 25
    top = 0.408 * slope * net + g * 900 / (t + 273) * wind * (es - ea)
    return top / (slope + g * (1 + 0.34 * wind))


@add.on(4.1, 1.3)
def erlang_c_wait(arrivals, service, servers=5):
    a = arrivals / service
    terms = [a**k / math.factorial(k) for k in range(servers)]
    last = a**servers / math.factorial(servers) * servers / (servers - a)
    p = last / (sum(terms) + last)
    return p / (servers * service - arrivals)


@add.on(A([[-1.0, 0.7, 0.3], [0.4, -0.9, 0.5], [0.2, 0.6, -0.8]]))
def stationary_of_a_chain(rates):
    Q = rates - np.diag(rates.sum(axis=1))
    M = np.vstack([Q.T, np.ones(3)])
    return np.linalg.lstsq(M, np.array([0.0, 0.0, 0.0, 1.0]), rcond=None)[0]


# ---- orbits, tides, cosmology


def _stumpff(z):
    if z > 1e-6:
        r = math.sqrt(z)
        return (1 - math.cos(r)) / z, (r - math.sin(r)) / r**3
    if z < -1e-6:
        r = math.sqrt(-z)
        return (1 - math.cosh(r)) / z, (math.sinh(r) - r) / r**3
    return 0.5 - z / 24, 1 / 6 - z / 120


@add.on(A([1.0, 0.1, 0.05]), A([-0.2, 1.1, 0.1]), 1.4)
def lambert_by_universal_variables(r1, r2, flight):
    n1, n2 = np.linalg.norm(r1), np.linalg.norm(r2)
    angle = np.arccos(r1 @ r2 / (n1 * n2))
    a = np.sin(angle) * np.sqrt(n1 * n2 / (1 - np.cos(angle)))
    y = lambda z: n1 + n2 + a * (z * _stumpff(z)[1] - 1) / math.sqrt(_stumpff(z)[0])

    def late(z):
        c, s = _stumpff(z)
        return (y(z) / c) ** 1.5 * s + a * math.sqrt(y(z)) - flight

    low, high = -4.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if late(middle) < 0 else (low, middle)
    z = (low + high) / 2
    for _ in range(3):
        z = z - late(z) / ((late(z + 1e-4) - late(z - 1e-4)) / 2e-4)
    g = a * np.sqrt(y(z))
    return (r2 - (1 - y(z) / n1) * r1) / g


@add.on(A([0.7, 0.2, 0.1]), A([0.3, 1.9, 4.0]), 5.3)
def tide_of_constituents(amplitude, phase, t):
    speed = np.deg2rad([28.984104, 30.0, 15.041069])
    return (amplitude * np.cos(speed * t - phase)).sum(), np.hypot(*amplitude[:2])


@add.on(0.31, 0.69, 0.72)
def luminosity_distance(matter, dark, z):
    curve = 1 - matter - dark
    e = lambda x: 1 / np.sqrt(matter * (1 + x) ** 3 + curve * (1 + x) ** 2 + dark)
    x, w = np.polynomial.legendre.leggauss(24)
    d = z / 2 * np.sum(w * e(z / 2 * (x + 1)))
    root = np.sqrt(np.abs(curve) + 1e-3)
    return (1 + z) * np.sinh(root * d) / root


@add.on(0.3, 1.1)
def lookback_time_by_quad(matter, z):
    f = lambda x: 1 / ((1 + x) * math.sqrt(matter * (1 + x) ** 3 + 1 - matter))
    return integrate.quad(f, 0, z)[0]


@add.on(0.6, -0.3, 2.2)
def altitude_and_azimuth(latitude, declination, hour):
    h = np.arcsin(
        np.sin(latitude) * np.sin(declination) + np.cos(latitude) * np.cos(declination) * np.cos(hour)
    )
    az = np.arctan2(-np.sin(hour), np.tan(declination) * np.cos(latitude) - np.sin(latitude) * np.cos(hour))
    return h, az % (2 * np.pi)


# ---- colours and pictures


@add.on(A([50.0, 2.6772, -79.7751]), A([52.0, 12.0, -70.7485]))
def ciede2000(one, two):
    c1, c2 = np.hypot(*one[1:]), np.hypot(*two[1:])
    mean = (c1 + c2) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    a1, a2 = (1 + g) * one[1], (1 + g) * two[1]
    p1, p2 = np.hypot(a1, one[2]), np.hypot(a2, two[2])
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, one[2]), (a2, two[2])))
    dh = h2 - h1
    if abs(dh) > 180:
        dh -= math.copysign(360, dh)
    dL, dC, dH = two[0] - one[0], p2 - p1, 2 * np.sqrt(p1 * p2) * np.sin(np.radians(dh) / 2)
    L, C, H = (one[0] + two[0]) / 2, (p1 + p2) / 2, h1 + dh / 2
    T = 1 - 0.17 * np.cos(np.radians(H - 30)) + 0.24 * np.cos(np.radians(2 * H))
    T += 0.32 * np.cos(np.radians(3 * H + 6)) - 0.2 * np.cos(np.radians(4 * H - 63))
    sl = 1 + 0.015 * (L - 50) ** 2 / np.sqrt(20 + (L - 50) ** 2)
    sc, sh = 1 + 0.045 * C, 1 + 0.015 * C * T
    turn = np.radians(60 * np.exp(-(((H - 275) / 25) ** 2)))
    rt = -2 * np.sqrt(C**7 / (C**7 + 25.0**7)) * np.sin(turn)
    return np.sqrt((dL / sl) ** 2 + (dC / sc) ** 2 + (dH / sh) ** 2 + rt * dC / sc * dH / sh)


@add.on(A([0.31, 0.62, 0.18]))
def rgb_to_hsv(rgb):
    high, low = rgb.max(), rgb.min()
    r, g, b = rgb
    span = high - low
    h = np.select([high == r, high == g], [((g - b) / span) % 6, (b - r) / span + 2], (r - g) / span + 4)
    return np.array([h * 60, span / high, high])


@add.on(A([[1.0, 0.3, 0.7], [0.2, 0.9, 0.4], [0.6, 0.5, 0.8]]), 0.35)
def warped_picture(picture, angle):
    y, x = np.mgrid[0:3, 0:3] - 1.0
    c, s = np.cos(angle), np.sin(angle)
    at = np.clip(np.stack([c * y - s * x, s * y + c * x]) + 1.0, 0.01, 1.99)
    low = np.floor(at).astype(int)
    u, v = at - low
    i, j = low
    top = picture[i, j] * (1 - v) + picture[i, j + 1] * v
    return top * (1 - u) + (picture[i + 1, j] * (1 - v) + picture[i + 1, j + 1] * v) * u


@add.on(A([[1.0, 0.3, 0.7, 0.1], [0.2, 0.9, 0.4, 0.6], [0.6, 0.5, 0.8, 0.3]]), 0.4)
def unsharp_mask(picture, amount):
    blurred = scipy.ndimage.gaussian_filter(picture, 0.8, mode="nearest")
    return picture + amount * (picture - blurred)


# ---- finance


@add.on(0.9, 0.05, 0.3, -0.4, 1.2)
def sabr_volatility(strike, forward_gap, nu, rho, alpha, beta=0.6):
    f = strike + forward_gap
    mid, log = (f * strike) ** ((1 - beta) / 2), np.log(f / strike)
    z = nu / alpha * mid * log
    x = np.log((np.sqrt(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho))
    ratio = np.where(np.abs(z) > 1e-6, z / x, 1.0)
    more = (1 - beta) ** 2 / 24 * alpha**2 / mid**2 + rho * beta * nu * alpha / (4 * mid)
    return alpha / mid * ratio * (1 + more + (2 - 3 * rho**2) / 24 * nu**2)


@add.on(1.0, 0.04, 1.5, 0.05, -0.5)
def heston_call_by_quadrature(spot, variance, kappa, theta, rho, sigma=0.4, t=1.0, strike=1.05):
    u, w = np.polynomial.laguerre.laggauss(24)

    def phi(u):
        d = np.sqrt((rho * sigma * 1j * u - kappa) ** 2 + sigma**2 * (1j * u + u**2))
        g = (kappa - rho * sigma * 1j * u - d) / (kappa - rho * sigma * 1j * u + d)
        e = np.exp(-d * t)
        c = kappa * theta / sigma**2
        C = c * ((kappa - rho * sigma * 1j * u - d) * t - 2 * np.log((1 - g * e) / (1 - g)))
        D = (kappa - rho * sigma * 1j * u - d) / sigma**2 * (1 - e) / (1 - g * e)
        return np.exp(C + D * variance + 1j * u * np.log(spot))

    shifted = np.exp(-1j * u * np.log(strike)) * phi(u - 0.5j) / (u**2 + 0.25)
    return spot - np.sqrt(strike) / np.pi * np.sum(w * np.exp(u) * shifted.real)


@add.on(A([2.0, 2.5, 103.0]), 98.5)
def yield_of_a_bond(cash, price):
    times = np.arange(1, len(cash) + 1)
    return optimize.brentq(lambda y: np.sum(cash * np.exp(-y * times)) - price, -0.5, 1.0)


@add.on(1.0, 0.25, 0.03)
def american_put_on_a_tree(spot, sigma, rate, strike=1.05, n=12):
    dt = 1 / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / u) / (u - 1 / u)
    s = spot * u ** np.arange(-n, n + 1, 2)
    v = np.maximum(strike - s, 0)
    for _ in range(n):
        s = s[1:] / u
        v = np.maximum(strike - s, np.exp(-rate * dt) * (p * v[1:] + (1 - p) * v[:-1]))
    return v[0]


# ---- NumPy's and SciPy's in one line

M = A([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [0.5, -0.2, 1.8]])
P = A([[0.0, 0.1], [1.0, 0.3], [0.4, 1.2], [-0.7, 0.6], [0.2, -0.9]])
add(lambda x: np.vectorize(lambda t: t**2 if t > 0.5 else math.sin(t))(x), A([0.2, 0.7, 1.1]), id="vectorize")
add(
    lambda x: np.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")(x, x[::-1]), M, id="vectorize of rows"
)
add(lambda x: np.piecewise(x, [x < 0.3, x > 0.8], [np.sin, lambda t: t**3, 0.5]), Y, id="piecewise")
add(
    lambda x: np.piecewise(x, [x < 1], [lambda t, k: k * t, lambda t, k: t / k], 2.5), Y, id="piecewise, more"
)
add(lambda a, b: np.einsum("ij,jk,kl->il", a, b, a, optimize="optimal"), M, M.T + 0.1, id="einsum, a path")
add(lambda a: np.einsum(a, [0, 1], a, [1, 0], []), M, id="einsum of lists")
add(lambda a: np.einsum("...ii->...i", a), M, id="einsum, a diagonal")
add(lambda c: (Polynomial(c) ** 2 - Polynomial([1, 0.5])).integ()(0.7), A([0.3, -0.2, 0.5]), id="Polynomial")
add(lambda c, x: Chebyshev(c, domain=[0, 2]).deriv()(x), A([0.3, -0.2, 0.5, 0.1]), 0.9, id="Chebyshev")
add(lambda c, x: Legendre(c).convert(kind=Hermite)(x), A([0.3, -0.2, 0.5]), 0.4, id="Legendre as Hermite")
add(lambda a, b: np.linalg.multi_dot([a, b, a.T, b]), M, M.T + 0.1, id="multi_dot")
add(lambda a: np.linalg.matrix_power(a, -3), M, id="matrix_power")
add(lambda a: scipy.linalg.logm(scipy.linalg.expm(a) @ scipy.linalg.expm(a.T)), 0.1 * M, id="logm of expm")
add(lambda a: scipy.linalg.block_diag(a, 2 * a[:2]).sum(axis=0), M, id="block_diag")
add(
    lambda c, r: scipy.linalg.solve_toeplitz((c, r), np.arange(3.0)),
    Y[:3] + 3,
    A([3, 0.1, -0.5]),
    id="toeplitz",
)
add(lambda a, q: scipy.linalg.solve_discrete_lyapunov(a, q), 0.2 * M, M + M.T, id="discrete Lyapunov")
add(lambda a: scipy.linalg.null_space(a) @ scipy.linalg.null_space(a).T, M[:2], id="projector of null_space")
add(lambda x: np.abs(scipy.fft.dctn(x, norm="ortho")) ** 2, M, id="dctn")
add(lambda x: scipy.fft.irfft(scipy.fft.rfft(x) * np.exp(-0.1 * np.arange(7))), Y, id="filtered by fft")
add(lambda p: scipy.spatial.distance.pdist(p, "mahalanobis", VI=M[:2, :2]), P, id="pdist")
add(lambda p: scipy.spatial.ConvexHull(p).volume, P, id="hull")
add(lambda p, q: scipy.spatial.procrustes(p, q)[2], P, P[::-1] + 0.1 * P**2, id="procrustes")
add(
    lambda v: scipy.spatial.transform.Rotation.from_rotvec(v).apply([1.0, 2.0, 3.0]),
    A([0.2, -0.4, 0.7]),
    id="turn",
)
add(lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1) * np.arange(3), M, id="take_along_axis")
add(lambda x: np.add.reduceat(np.multiply.accumulate(x), [0, 3, 7]), 0.3 + Y, id="reduceat")
add(lambda x: np.lib.stride_tricks.sliding_window_view(x, 4).std(axis=-1), Y, id="moving deviation")
add(
    lambda x: np.interp(np.linspace(0.5, 9.5, 7), np.arange(12.0), x) @ np.hanning(7), Y, id="interp, hanning"
)
add(lambda x: np.cov(x, rowvar=False, bias=True)[np.triu_indices(3)], M, id="cov")
add(lambda x, w: np.histogram(np.arange(12) % 5, bins=5, weights=x * w)[0], Y, 0.3, id="histogram of weights")
add(lambda x: np.gradient(x, 0.1, edge_order=2), Y, id="gradient")
add(lambda x: np.polyfit(np.arange(12.0) / 12, x, 3, w=np.linspace(1, 2, 12)), Y, id="polyfit, weights")
add(lambda x: np.unwrap(np.cumsum(x)), Y, id="unwrap")
add(lambda x: np.r_[x[:3], 0.5, np.c_[x[3:6], x[6:9]].ravel()], Y, id="r_ and c_")


ROWS = list(add)
