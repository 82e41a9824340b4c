"""Code as somebody brings it on the first day: formulas with options, classes, generators, loops until a tolerance."""

import dataclasses
import functools
import itertools
import math
from collections import deque
from typing import NamedTuple

import numpy as np
from scipy import interpolate, linalg, optimize, signal, special, stats

from tests.tracing.corpus.row import Rows

add = Rows("everyday")
U = [0.31, -0.72, 1.15, 0.58, -1.4, 0.9]
P = [0.8, 1.7, 2.9, 3.1, 4.6, 5.2]
A = [[4.9, 0.3, -0.4], [0.2, 5.4, 0.5], [-0.1, 0.6, 3.7]]

# ---- finance


def black_scholes(S, K, T, r, sigma, kind="call"):
    d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    if kind == "call":
        return S * stats.norm.cdf(d1) - K * np.exp(-r * T) * stats.norm.cdf(d2)
    return K * np.exp(-r * T) * stats.norm.cdf(-d2) - S * stats.norm.cdf(-d1)


def implied_volatility(price, S, K, T, r):
    sigma = 0.3
    for _ in range(50):
        d1 = (math.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * math.sqrt(T))
        vega = S * math.sqrt(T) * math.exp(-0.5 * d1 * d1) / math.sqrt(2 * math.pi)
        diff = black_scholes(S, K, T, r, sigma) - price
        if abs(diff) < 1e-13:
            break
        sigma -= diff / vega
    return sigma


def binomial_tree(S, K, T, r, sigma, steps=12):
    dt = T / steps
    u = np.exp(sigma * np.sqrt(dt))
    q = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    values = np.maximum(K - S * u ** (2 * np.arange(steps + 1) - steps), 0)
    for n in range(steps - 1, -1, -1):
        values = np.exp(-r * dt) * (q * values[1:] + (1 - q) * values[:-1])
        exercise = K - S * u ** (2 * np.arange(n + 1) - n)
        values = np.where(exercise > values, exercise, values)
    return values[0]


def internal_rate_of_return(flows):
    rate = 0.1
    years = np.arange(len(flows))
    while True:
        value = np.sum(flows / (1 + rate) ** years)
        slope = -np.sum(years * flows / (1 + rate) ** (years + 1))
        new = rate - value / slope
        if np.isclose(new, rate, rtol=1e-14, atol=0):
            return new
        rate = new


def sharpe_ratio(returns, free=0.01):
    excess = returns - free
    return np.sqrt(252) * excess.mean() / excess.std(ddof=1)


def drawdown(prices):
    peak = np.maximum.accumulate(prices)
    return ((prices - peak) / peak).min()


def ewma(x, halflife):
    alpha = 1 - np.exp(np.log(0.5) / halflife)
    out = np.empty_like(x)
    out[0] = x[0]
    for t in range(1, len(x)):
        out[t] = alpha * x[t] + (1 - alpha) * out[t - 1]
    return out


add(black_scholes, 100.0, 105.0, 0.7, 0.03, 0.25)
add(black_scholes, 100.0, 105.0, 0.7, 0.03, 0.25, kind="put")
add(implied_volatility, 7.1, 100.0, 105.0, 0.7, 0.03)
add(binomial_tree, 100.0, 105.0, 0.7, 0.03, 0.25)
add(internal_rate_of_return, [-10.0, 3.0, 4.1, 5.2])
add(sharpe_ratio, [0.02, -0.01, 0.04, 0.013])
add(drawdown, [1.0, 1.3, 1.1, 1.6, 1.2, 1.5])
add(ewma, U, 2.3)

# ---- colours and images


def srgb_to_lab(rgb):
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    M = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = linear @ M.T / np.array([0.95047, 1.0, 1.08883])
    f = np.piecewise(xyz, [xyz > (6 / 29) ** 3], [np.cbrt, lambda t: t / (3 * (6 / 29) ** 2) + 4 / 29])
    return np.stack(
        [116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1
    )


def rgb_to_hsv(rgb):
    r, g, b = rgb
    high, low = max(r, g, b), min(r, g, b)
    d = high - low
    if d == 0:
        h = 0.0
    elif high == r:
        h = ((g - b) / d) % 6
    elif high == g:
        h = (b - r) / d + 2
    else:
        h = (r - g) / d + 4
    return h / 6, d / high, high


def hsv_to_rgb(h, s, v):
    i = int(h * 6)
    f = h * 6 - i
    p, q, t = v * (1 - s), v * (1 - f * s), v * (1 - (1 - f) * s)
    return [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][i % 6]


def unsharp(image, amount):
    padded = np.pad(image, 1, mode="edge")
    kernel = np.array([1.0, 2.0, 1.0])
    kernel = np.outer(kernel, kernel) / 16
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return np.clip(image + amount * (image - np.einsum("ijkl,kl->ij", windows, kernel)), 0, 1)


def bilinear(image, x, y):
    i, j = int(np.floor(y)), int(np.floor(x))
    fy, fx = y - i, x - j
    return (image[i, j] * (1 - fx) + image[i, j + 1] * fx) * (1 - fy) + (
        image[i + 1, j] * (1 - fx) + image[i + 1, j + 1] * fx
    ) * fy


RGB = 0.5 + 0.4 * np.sin(np.arange(1.0, 13.0) ** 1.7).reshape(4, 3)
add(srgb_to_lab, RGB)
add(rgb_to_hsv, [0.3, 0.8, 0.45])
add(hsv_to_rgb, 0.41, 0.6, 0.7)
add(unsharp, 0.5 + 0.2 * np.sin(np.arange(20.0)).reshape(4, 5), 0.7)
add(bilinear, RGB, 1.3, 2.4)

# ---- chemistry, biology, epidemics


def ph_of_a_weak_acid(Ka, c):
    low, high = 1e-14, 1.0
    for _ in range(80):
        mid = 0.5 * (low + high)
        if mid + Ka * 0 - 1e-14 / mid - c * Ka / (Ka + mid) > 0:
            high = mid
        else:
            low = mid
    h = 0.5 * (low + high)
    for _ in range(3):  # polished, so that it depends on Ka and c smoothly
        g = h - 1e-14 / h - c * Ka / (Ka + h)
        h = h - g / (1 + 1e-14 / h**2 + c * Ka / (Ka + h) ** 2)
    return -np.log10(h)


def van_der_waals(T, V, a, b, n=1.0):
    return n * 8.314 * T / (V - n * b) - a * n**2 / V**2


def michaelis_menten_progress(vmax, km, s0, t):
    return km * np.real(special.lambertw(s0 / km * np.exp((s0 - vmax * t) / km)))


def arrhenius(parameters, T):
    return parameters["A"] * np.exp(-parameters["Ea"] / (8.314 * T))


def sir(beta, gamma, days=20):
    S, I, R = [0.99], [0.01], [0.0]
    for _ in range(days):
        new, healed = beta * S[-1] * I[-1], gamma * I[-1]
        S.append(S[-1] - new)
        I.append(I[-1] + new - healed)
        R.append(R[-1] + healed)
    return np.array([S, I, R])[:, -1]


def final_size(r0):
    z = 0.5
    while True:
        new = 1 - np.exp(-r0 * z)
        if abs(new - z) < 1e-15:
            return new
        z = new


def hill(x, n, k):
    return np.divide(x**n, k**n + x**n, out=np.zeros_like(x), where=x > 0)


add(ph_of_a_weak_acid, 1.8e-5, 0.1)
add(van_der_waals, 300.0, 0.02, 0.36, 4e-5)
add(michaelis_menten_progress, 1.3, 0.7, 2.1, [0.2, 0.9, 1.7])
add(lambda A, Ea, T: arrhenius({"A": A, "Ea": Ea}, T), 1e3, 2e4, [300.0, 350.0], id="arrhenius")
add(sir, 0.4, 0.1)
add(final_size, 2.3)
add(hill, P, 2.3, 1.9)

# ---- the earth and the sky


def haversine(lat1, lon1, lat2, lon2):
    p1, p2 = np.radians(lat1), np.radians(lat2)
    a = np.sin((p2 - p1) / 2) ** 2 + np.cos(p1) * np.cos(p2) * np.sin(np.radians(lon2 - lon1) / 2) ** 2
    return 2 * 6371.0 * np.arctan2(np.sqrt(a), np.sqrt(1 - a))


def vincenty(lat1, lon1, lat2, lon2, a=6378.137, f=1 / 298.257223563):
    b = (1 - f) * a
    U1, U2 = (
        math.atan((1 - f) * math.tan(math.radians(lat1))),
        math.atan((1 - f) * math.tan(math.radians(lat2))),
    )
    L = lam = math.radians(lon2 - lon1)
    su1, cu1, su2, cu2 = math.sin(U1), math.cos(U1), math.sin(U2), math.cos(U2)
    for _ in range(100):
        s = math.sqrt((cu2 * math.sin(lam)) ** 2 + (cu1 * su2 - su1 * cu2 * math.cos(lam)) ** 2)
        c = su1 * su2 + cu1 * cu2 * math.cos(lam)
        sigma = math.atan2(s, c)
        sina = cu1 * cu2 * math.sin(lam) / s
        cos2 = 1 - sina**2
        cm = c - 2 * su1 * su2 / cos2 if cos2 else 0.0
        C = f / 16 * cos2 * (4 + f * (4 - 3 * cos2))
        last, lam = lam, L + (1 - C) * f * sina * (sigma + C * s * (cm + C * c * (-1 + 2 * cm**2)))
        if abs(lam - last) < 1e-15:
            break
    u2 = cos2 * (a**2 - b**2) / b**2
    k1 = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    k2 = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    d = k2 * s * (cm + k2 / 4 * (c * (-1 + 2 * cm**2) - k2 / 6 * cm * (-3 + 4 * s**2) * (-3 + 4 * cm**2)))
    return b * k1 * (sigma - d)


def ecef_to_geodetic(x, y, z):
    a, e2 = 6378.137, 6.69437999014e-3
    p = math.hypot(x, y)
    lat = math.atan2(z, p * (1 - e2))
    while True:
        N = a / math.sqrt(1 - e2 * math.sin(lat) ** 2)
        height = p / math.cos(lat) - N
        new = math.atan2(z, p * (1 - e2 * N / (N + height)))
        if abs(new - lat) < 1e-15:
            return np.array([math.degrees(new), math.degrees(math.atan2(y, x)), height])
        lat = new


def rotation(axis, angle):
    k = axis / np.linalg.norm(axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def mercator(lon, lat):
    return np.column_stack((np.deg2rad(lon), np.log(np.tan(np.pi / 4 + np.deg2rad(lat) / 2))))


def comoving_distance(z, om, h):
    grid = np.linspace(0, z, 101)
    e = np.sqrt(om * (1 + grid) ** 3 + 1 - om)
    return 299792.458 / (100 * h) * np.trapezoid(1 / e, grid)


add(haversine, 47.4, 8.5, 52.5, 13.4)
add(vincenty, 47.4, 8.5, 52.5, 13.4)
add(ecef_to_geodetic, 4278.0, 640.0, 4672.0)
add(rotation, [0.3, 0.5, -1.1], 0.7)
add(mercator, [8.5, 13.4], [47.4, 52.5])
add(comoving_distance, 0.8, 0.31, 0.68)

# ---- signals


def goertzel(x, k):
    w = 2 * math.pi * k / len(x)
    coefficient = 2 * math.cos(w)
    s1 = s2 = 0.0
    for sample in x:
        s1, s2 = sample + coefficient * s1 - s2, s1
    return s1**2 + s2**2 - coefficient * s1 * s2


def lowpass(x, cutoff):
    spectrum = np.fft.rfft(x)
    f = np.fft.rfftfreq(len(x))
    return np.fft.irfft(spectrum / (1 + 1j * f / cutoff), n=len(x))


def envelope(x):
    return np.abs(signal.hilbert(x))


def autocorrelation(x):
    x = x - x.mean()
    full = np.correlate(x, x, mode="full")
    return full[full.size // 2 :] / full[full.size // 2]


def biquad(x, f0, Q):
    w = 2 * np.pi * f0
    alpha = np.sin(w) / (2 * Q)
    b = np.array([(1 - np.cos(w)) / 2, 1 - np.cos(w), (1 - np.cos(w)) / 2])
    a = np.array([1 + alpha, -2 * np.cos(w), 1 - alpha])
    return signal.lfilter(b / a[0], a / a[0], x)


def moving_median(x, k=3):
    return np.array([np.median(x[max(0, i - k // 2) : i + k // 2 + 1]) for i in range(len(x))])


class Kalman:
    def __init__(self, q, r):
        self.q, self.r, self.x, self.p = q, r, 0.0, 1.0

    def step(self, z):
        self.p += self.q
        gain = self.p / (self.p + self.r)
        self.x += gain * (z - self.x)
        self.p *= 1 - gain
        return self.x


def kalman(zs, q, r):
    f = Kalman(q, r)
    return np.array([f.step(z) for z in zs])


def delay_line(x, feedback):
    line = deque([0.0] * 2, maxlen=2)
    out = []
    for v in x:
        y = v + feedback * line[0]
        line.append(y)
        out.append(y)
    return np.array(out)


add(goertzel, U, 1.3)
add(lowpass, U, 0.2)
add(envelope, U)
add(autocorrelation, U)
add(biquad, U, 0.11, 0.8)
add(moving_median, U)
add(kalman, U, 0.1, 0.4)
add(delay_line, U, 0.4)

# ---- the language: closures, classes, generators, recursion, functions of functions


@dataclasses.dataclass
class Lens:
    n: float
    r1: float
    r2: float

    @property
    def power(self):
        return (self.n - 1) * (1 / self.r1 - 1 / self.r2)

    def image(self, distance):
        return 1 / (self.power - 1 / distance)


class State(NamedTuple):
    position: np.ndarray
    velocity: np.ndarray


def verlet(x0, v0, k):
    s = State(x0, v0)
    for _ in range(5):
        half = s.velocity - 0.05 * k * s.position
        x = s.position + 0.1 * half
        s = s._replace(position=x, velocity=half - 0.05 * k * x)
    return np.concatenate(s)


def memoized_legendre(x):
    @functools.cache
    def p(n):
        if n < 2:
            return x if n else 1.0
        return ((2 * n - 1) * x * p(n - 1) - (n - 1) * p(n - 2)) / n

    return p(5)


def continued_fraction(x, depth=6):
    return x if depth == 0 else x + 1 / continued_fraction(x, depth - 1)


def generated(x):
    def terms():
        t, n = x, 1
        while True:
            yield t
            t, n = -t * x * x / ((n + 1) * (n + 2)), n + 2

    return sum(itertools.islice(terms(), 9))


def composed(x, a):
    steps = [np.sin, lambda y: a * y, np.tanh, functools.partial(np.power, 2.0)]
    return functools.reduce(lambda y, f: f(y), steps, x)


def sorted_pairs(x, w):
    order = np.argsort(x)
    c = np.cumsum(w[order]) / np.sum(w)
    return np.interp(0.4, c, x[order])


def with_try(x):
    try:
        low = np.linalg.cholesky(x @ x.T - 1e3 * np.eye(3))
    except np.linalg.LinAlgError:
        low = np.linalg.cholesky(x @ x.T + np.eye(3))
    return np.log(np.diag(low)).sum()


def by_vectorize(x, a):
    f = np.vectorize(lambda t: t * a if t > 0 else math.exp(t), otypes=[float])
    return f(x)


def by_frompyfunc(x):
    return np.frompyfunc(lambda t: t * t if t > 0.5 else 3 * t, 1, 1)(x).astype(float)


def along_axis(m):
    return np.apply_along_axis(lambda row: row / np.linalg.norm(row), 1, m)


def selected(x):
    return np.select([x < -1, x < 0.5, x >= 0.5], [x**2, np.sin(x), np.log(np.abs(x) + 1)], default=0.0)


def masked_in_place(x, floor):
    y = x.copy()
    y[y < 0] *= -0.5
    y[y < floor] = floor**2
    y[::2] += y[1::2].sum()
    return y


def histogram(x, w):
    counts, edges = np.histogram(x, bins=3, range=(0, 6), weights=w)
    return counts / np.diff(edges)


def binned_sum(values):
    out = np.zeros(3)
    np.add.at(out, [0, 1, 0, 2, 1, 2], values)
    return out + np.bincount([0, 0, 1, 2, 2, 2], weights=values**2)


def in_single_precision(x, y):
    return np.float64(np.sum(np.asarray(x, np.float64) * y))


def complex_inside(a, b, c):
    root = np.sqrt(b * b - 4 * a * c + 0j)
    return np.abs((-b + root) / (2 * a)), np.angle((-b + root) / (2 * a))


def mandelbrot_escape(cr, ci):
    z, c, n = 0j, complex(cr, ci), 0
    while abs(z) < 4 and n < 30:
        z, n = z * z + c, n + 1
    return n + 1 - math.log(math.log(abs(z))) / math.log(2)


def broadcasting(x, y):
    d = x[:, None, :] - y[None, :, :]
    return np.exp(-0.5 * np.sum(d**2, -1)).max(axis=1)


def softmax_loss(logits, W, labels=(0, 2)):
    z = logits @ W
    z = z - z.max(axis=1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -logp[np.arange(len(labels)), list(labels)].mean()


def polynomial_fit(x, y):
    c = np.polynomial.Polynomial.fit(x, y, 2).convert().coef
    return c


def spline(y, t):
    return interpolate.CubicSpline(np.arange(6.0), y, bc_type="natural")(t)


def golden_section(a):
    f = lambda x: (x - a) ** 2 + np.cos(3 * x)
    return optimize.minimize_scalar(f, bounds=(0, 2), method="bounded", options={"xatol": 1e-12}).fun


def gaussian_process(x, y, length, noise):
    K = np.exp(-0.5 * (np.subtract.outer(x, x) / length) ** 2)
    K[np.diag_indices_from(K)] += noise**2
    low, lower = linalg.cho_factor(K, lower=True)
    alpha = linalg.cho_solve((low, lower), y)
    return -0.5 * y.dot(alpha) - np.log(np.diagonal(low)).sum() - len(x) / 2 * np.log(2 * np.pi)


def power_iteration(A):
    v = np.ones(len(A))
    for _ in range(200):
        w = A @ v
        w /= np.linalg.norm(w)
        if np.allclose(v, w, rtol=0, atol=1e-15):
            break
        v = w
    return v @ A @ v


def trapezoid_until(a):
    n, last = 2, np.inf
    while True:
        x = np.linspace(0, a, n + 1)
        total = np.trapezoid(np.exp(-(x**2)), x)
        if abs(total - last) < 1e-4:
            return total
        n, last = 2 * n, total


def string_keys(x, kind="log1p"):
    return {"log1p": np.log1p, "sqrt": np.sqrt}[kind](x).sum()


add(lambda n, a, b, d: Lens(n, a, b).image(d), 1.5, 10.0, -12.0, 40.0, id="lens")
add(verlet, [0.3, -0.2], [1.0, 0.4], 2.3)
add(memoized_legendre, 0.37)
add(continued_fraction, 1.7)
add(generated, 0.8)
add(composed, 0.6, 1.4)
add(sorted_pairs, U, P)
add(with_try, A)
add(by_vectorize, U, 1.3)
add(by_frompyfunc, U)
add(along_axis, A)
add(selected, U)
add(masked_in_place, U, 0.4)
add(histogram, P, U)
add(binned_sum, U)
add(in_single_precision, U, P)
add(complex_inside, 1.3, 0.4, 2.1)
add(mandelbrot_escape, 0.61, 0.57)
add(broadcasting, [[0.1, 0.4], [0.9, -0.3]], [[0.5, 0.2], [-0.4, 0.8], [1.1, 0.6]])
add(softmax_loss, [[0.3, 0.5], [-0.2, 1.1]], [[0.4, -0.1, 0.7], [0.2, 0.9, -0.6]])
add(polynomial_fit, P, U)
add(spline, U, [0.4, 2.7])
add(golden_section, 0.9)
add(gaussian_process, P, U, 1.3, 0.4)
add(power_iteration, [[2.1, 0.3, 0.4], [0.3, 1.3, 0.2], [0.4, 0.2, 0.9]])
add(trapezoid_until, 1.3)
add(string_keys, P)
ROWS = list(add)
