"""Code as research users write it: data, classes and solvers around formulas, in twelve fields."""

import collections
import dataclasses
import functools
import itertools
import logging
import math
import operator
import warnings
from fractions import Fraction

import numpy as np
from scipy import (
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)

from tests.tracing.corpus.row import Rows

add = Rows("research")
LOG = logging.getLogger(__name__)
T = [0.1, 0.4, 0.9, 1.3, 1.9, 2.6]
Y = [2.9, 2.3, 1.6, 1.3, 0.8, 0.6]
S = [0.31, -0.72, 1.15, 0.58, -1.4, 0.9, 0.22, -0.45]
K = [[2.9, 0.3, -0.4], [0.2, 3.4, 0.5], [-0.1, 0.6, 1.7]]

# ---- astronomy


@dataclasses.dataclass(frozen=True)
class Cosmology:
    h: float
    omega_m: float
    w: float = -1.0

    @property
    def omega_de(self):
        return 1 - self.omega_m

    def efunc(self, z):
        return np.sqrt(self.omega_m * (1 + z) ** 3 + self.omega_de * (1 + z) ** (3 * (1 + self.w)))

    @functools.cached_property
    def hubble_distance(self):
        return 2997.92458 / self.h

    def distance(self, z):
        return self.hubble_distance * integrate.quad(lambda u: 1 / self.efunc(u), 0, z)[0]


def distance_modulus(h, omega_m, w):
    c = Cosmology(h, omega_m, w)
    return np.array([5 * np.log10((1 + z) * c.distance(z)) + 25 for z in (0.1, 0.5, 1.2)])


def radial_velocity(P, e, K, omega, t):
    M = 2 * np.pi * (t % P) / P
    E = M.copy()
    for _ in range(50):
        dE = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= dE
        if np.max(np.abs(dE)) < 1e-13:
            break
    nu = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(E / 2), np.sqrt(1 - e) * np.cos(E / 2))
    return K * (np.cos(nu + omega) + e * np.cos(omega))


def transit_overlap(z, p):
    out = np.zeros_like(z)
    full = z <= 1 - p
    part = (z < 1 + p) & ~full
    out[full] = p**2
    zz = z[part]
    k0 = np.arccos((p**2 + zz**2 - 1) / (2 * p * zz))
    k1 = np.arccos((1 - p**2 + zz**2) / (2 * zz))
    out[part] = (k0 * p**2 + k1 - 0.5 * np.sqrt(4 * zz**2 - (1 + zz**2 - p**2) ** 2)) / np.pi
    return 1 - out


def nbody_energy(positions, masses):
    e = 0.0
    for (i, p), (j, q) in itertools.combinations(enumerate(positions), 2):
        e -= masses[i] * masses[j] / np.linalg.norm(p - q)
    return e


def leapfrog(x, v, m):
    def acceleration(x):
        d = x[None, :, :] - x[:, None, :]
        r3 = (np.sum(d**2, axis=-1) + 1e-2) ** 1.5
        np.fill_diagonal(r3, np.inf)
        return np.einsum("j,ijk->ik", m, d / r3[..., None])

    a = acceleration(x)
    for _ in range(3):
        v = v + 0.005 * a
        x = x + 0.01 * v
        a = acceleration(x)
        v += 0.005 * a
    return x, v


# ---- chemistry


RATES = {"f": ("a", "b"), "g": ("b", "c"), "h": ("c", "a")}


def kinetics(k):
    rates = dict(zip(RATES, k, strict=True))

    def rhs(t, y):
        c = dict(zip("abc", y, strict=True))
        d = dict.fromkeys("abc", 0.0)
        for name, (src, dst) in RATES.items():
            flow = rates[name] * c[src]
            d[src] -= flow
            d[dst] += flow
        return [d[s] for s in "abc"]

    sol = integrate.solve_ivp(rhs, (0, 2), [1.0, 0.0, 0.0], t_eval=[1.0, 2.0], rtol=1e-9, atol=1e-11)
    if not sol.success:
        raise RuntimeError(sol.message)
    return sol.y


def ph_of_buffer(ka, total):
    kw = 1e-14
    f = lambda ph: 10**-ph - kw * 10**ph - total * ka / (ka + 10**-ph) + 0.03
    return optimize.brentq(f, 0, 14, xtol=1e-13, rtol=1e-14)


def peng_robinson(T, p):
    tc, pc, omega, R = 304.2, 7.38e6, 0.225, 8.314
    kappa = 0.37464 + 1.54226 * omega - 0.26992 * omega**2
    a = 0.45724 * R**2 * tc**2 / pc * (1 + kappa * (1 - np.sqrt(T / tc))) ** 2
    b = 0.0778 * R * tc / pc
    A, B = a * p / (R * T) ** 2, b * p / (R * T)
    roots = np.roots([1, -(1 - B), A - 2 * B - 3 * B**2, -(A * B - B**2 - B**3)])
    real = roots[np.abs(roots.imag) < 1e-9].real
    return real.max()


def lennard_jones(x, epsilon, sigma):
    r = spatial.distance.pdist(x)
    s6 = (sigma / r) ** 6
    return 4 * epsilon * np.sum(s6 * (s6 - 1))


def molecule(x, k):
    bonds, angles = [(0, 1), (1, 2)], [(0, 1, 2)]
    e = sum(0.5 * k * (np.linalg.norm(x[i] - x[j]) - 1.0) ** 2 for i, j in bonds)
    for i, j, m in angles:
        u, v = x[i] - x[j], x[m] - x[j]
        c = np.dot(u, v) / np.linalg.norm(u) / np.linalg.norm(v)
        e += 0.1 * (np.arccos(np.clip(c, -1, 1)) - 1.9) ** 2
    return e


def huckel(alpha, beta):
    H = np.diag(np.full(4, alpha)) + beta * (np.eye(4, k=1) + np.eye(4, k=-1))
    H[0, 3] = H[3, 0] = 0.3 * beta
    levels = np.sort(np.linalg.eigvalsh(H))
    return 2 * levels[:2].sum()


# ---- epidemiology, ecology, pharmacokinetics


class SEIR:
    names = ("s", "e", "i", "r")

    def __init__(self, **params):
        self.__dict__.update(params)

    def rhs(self, t, y):
        s, e, i, _ = y
        infect = self.beta * (1 + 0.2 * np.sin(t)) * s * i
        return np.array([-infect, infect - self.sigma * e, self.sigma * e - self.gamma * i, self.gamma * i])

    def run(self, times):
        return integrate.solve_ivp(
            self.rhs,
            (0, times[-1]),
            [0.98, 0.01, 0.01, 0.0],
            t_eval=times,
            method="DOP853",
            rtol=1e-10,
            atol=1e-12,
        )


def seir_loglik(beta, sigma, gamma):
    cases = np.array([3.0, 5.0, 9.0])
    sol = SEIR(beta=beta, sigma=sigma, gamma=gamma).run(np.array([1.0, 2.0, 3.0]))
    expected = 500 * sol.y[SEIR.names.index("i")]
    return np.sum(stats.poisson.logpmf(cases, expected))


def euler_sir(beta, gamma):
    state = collections.OrderedDict(s=0.99, i=0.01, r=0.0)
    history = []
    for _ in range(20):
        new = beta * state["s"] * state["i"]
        gone = gamma * state["i"]
        state["s"] -= new
        state["i"] += new - gone
        state["r"] += gone
        history.append(state.copy())
        if state["i"] < 1e-4:
            break
    return max(h["i"] for h in history), history[-1]["r"]


def next_generation(r):
    F = np.array([[0.0, r[0], r[1]], [0, 0, 0], [0, 0, 0]])
    V = np.array([[0.5, 0, 0], [-0.5, 0.3, 0], [0, -0.1, r[2]]])
    return np.max(np.abs(np.linalg.eigvals(F @ np.linalg.inv(V))))


def leslie(f, s):
    L = np.zeros((3, 3))
    L[0] = f
    L[range(1, 3), range(2)] = s
    w, v = np.linalg.eig(L)
    i = np.argmax(w.real)
    stable = np.abs(v[:, i].real)
    return w[i].real, stable / stable.sum()


def bateman(dose, ka, ke, V):
    def one(t):
        if t < 0:
            return 0.0
        if abs(ka - ke) < 1e-8:
            return dose / V * ka * t * math.exp(-ke * t)
        return dose / V * ka / (ka - ke) * (math.exp(-ke * t) - math.exp(-ka * t))

    times = np.linspace(-0.5, 6, 14)
    curve = np.array([sum(one(t - start) for start in (0.0, 2.0, 4.0)) for t in times])
    return np.trapezoid(curve, times), curve.max()


def two_compartment(k):
    M = np.array([[-(k[0] + k[1]), k[2]], [k[1], -k[2]]])
    return np.array([linalg.expm(M * t) @ [1.0, 0.0] for t in (0.5, 1.0, 4.0)])


def michaelis_menten_residuals(theta, s):
    vmax, km = theta[..., 0], theta[..., 1]
    with np.errstate(divide="raise"):
        try:
            return vmax * s / (km + s) - 0.4
        except FloatingPointError:
            return np.full_like(s, np.inf)


# ---- finance and econometrics


@functools.cache
def _binomials(n):
    return np.array([math.comb(n, k) for k in range(n + 1)], float)


def american_put(S, K, r, sigma):
    n, T = 8, 0.5
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    prices = S * u ** np.arange(-n, n + 1, 2)
    value = np.maximum(K - prices, 0)
    for i in range(n - 1, -1, -1):
        prices = S * u ** np.arange(-i, i + 1, 2)
        value = np.maximum(K - prices, np.exp(-r * dt) * (p * value[1:] + (1 - p) * value[:-1]))
    return value[0]


def implied_volatility(price, S, K):
    def bs(v):
        d = (np.log(S / K) + 0.5 * v * v) / v
        return S * special.ndtr(d) - K * special.ndtr(d - v) - price

    return optimize.newton(bs, 0.3, tol=1e-13)


def garch_loglik(omega, alpha, beta, returns):
    h = np.empty_like(returns)
    h[0] = returns.var()
    for t in range(1, len(returns)):
        h[t] = omega + alpha * returns[t - 1] ** 2 + beta * h[t - 1]
    return -0.5 * np.sum(np.log(2 * np.pi * h) + returns**2 / h)


def nelson_siegel(b, tau):
    m = np.array([0.5, 1, 2, 5, 10])
    x = m / tau
    load = np.column_stack([np.ones_like(x), -np.expm1(-x) / x, -np.expm1(-x) / x - np.exp(-x)])
    return load @ b


def xirr(flows):
    days = np.array([0, 90, 200, 300, 400, 600]) / 365
    npv = lambda r: np.sum(np.concatenate([[-6.0], flows]) / (1 + r) ** np.append(days, 700 / 365))
    return optimize.brentq(npv, -0.9, 10, xtol=1e-14)


def ols_table(X, y):
    X = np.c_[np.ones(len(X)), X]
    beta, *_ = np.linalg.lstsq(X, y, rcond=None)
    e = y - X @ beta
    dof = X.shape[0] - X.shape[1]
    cov = e @ e / dof * np.linalg.inv(X.T @ X)
    t = beta / np.sqrt(np.diag(cov))
    return {
        "beta": beta,
        "t": t,
        "p": 2 * stats.t.sf(np.abs(t), dof),
        "r2": 1 - e @ e / np.sum((y - y.mean()) ** 2),
    }


def newey_west(e):
    n, L = len(e), 3
    s = e @ e / n
    for lag in range(1, L + 1):
        w = 1 - lag / (L + 1)
        s += 2 * w * (e[lag:] @ e[:-lag]) / n
    return s


def kalman(y, q, r):
    m, P, ll = 0.0, 10.0, 0.0
    for obs in y:
        P = P + q
        if np.isnan(obs):
            continue
        S = P + r
        gain = P / S
        innovation = obs - m
        ll -= 0.5 * (np.log(2 * np.pi * S) + innovation**2 / S)
        m, P = m + gain * innovation, (1 - gain) * P
    return ll


def kalman_matrices(F, y):
    H, Q, R = np.array([[1.0, 0.0, 0.2]]), 0.1 * np.eye(3), np.array([[0.4]])
    x, P, ll = np.zeros((3, 1)), np.eye(3), 0
    for z in y:
        x, P = F @ x, F @ P @ F.T + Q
        S = H @ P @ H.T + R
        v = z - H @ x
        Kt = np.linalg.solve(S, H @ P).T
        x += Kt @ v
        P = (np.eye(3) - Kt @ H) @ P
        ll += (-0.5 * (v.T @ np.linalg.inv(S) @ v + np.linalg.slogdet(S)[1])).item()
    return ll


def kaplan_meier_area(times):
    order = np.argsort(times)
    event = np.array([1, 0, 1, 1, 0, 1])[order]
    at_risk = np.arange(len(times), 0, -1)
    survival = np.cumprod(1 - event / at_risk)
    return np.sum(np.diff(times[order], prepend=0) * np.r_[1, survival[:-1]])


def gini(x):
    x = np.sort(np.exp(x))
    n = x.size
    return (2 * np.arange(1, n + 1) - n - 1) @ x / (n * x.sum())


# ---- optics, signals and control


class Layer(collections.namedtuple("Layer", "index thickness")):
    def matrix(self, wavelength):
        d = 2 * np.pi * self.index * self.thickness / wavelength
        return np.array([[np.cos(d), 1j * np.sin(d) / self.index], [1j * self.index * np.sin(d), np.cos(d)]])


def thin_film(n, d):
    stack = [Layer(*pair) for pair in zip(n, d, strict=True)]
    out = []
    for wavelength in np.linspace(0.4, 0.7, 4):
        M = functools.reduce(operator.matmul, (layer.matrix(wavelength) for layer in stack))
        b, c = M @ np.array([1, 1.52])
        out.append(abs((b - c) / (b + c)) ** 2)
    return out


def fresnel_edge(x):
    s, c = special.fresnel(x)
    return 0.5 * ((c + 0.5) ** 2 + (s + 0.5) ** 2)


def gaussian_beam(z, w0):
    abcd = [[1, z], [0, 1]]
    lens = np.array([[1, 0], [-1 / 0.3, 1]])
    M = lens @ np.array(abcd)
    q = 1j * np.pi * w0**2 / 0.6328
    q = (M[0, 0] * q + M[0, 1]) / (M[1, 0] * q + M[1, 1])
    return np.sqrt(-0.6328 / np.pi / (1 / q).imag)


def lowpass(x, cut):
    X = np.fft.rfft(x)
    f = np.fft.rfftfreq(len(x), d=0.1)
    X *= 1 / (1 + (f / cut) ** 4)
    X[f > 4.5] = 0
    return np.fft.irfft(X, n=len(x))


def hilbert_envelope(x):
    analytic = signal.hilbert(x - np.mean(x))
    phase = np.unwrap(np.angle(analytic))
    return np.abs(analytic), np.diff(phase)


def step_overshoot(zeta, wn):
    _, y = signal.step(signal.TransferFunction([wn**2], [1, 2 * zeta * wn, wn**2]), T=np.linspace(0, 8, 40))
    return y[::10], np.max(y)


def lqr_gain(q, r):
    A, B = np.array([[0.0, 1.0], [0.0, -0.3]]), np.array([[0.0], [1.0]])
    P = linalg.solve_continuous_are(A, B, np.diag([q, 1.0]), np.array([[r]]))
    return (B.T @ P / r)[0]


def pid_loop(kp, ki, kd):
    y, integral, last, cost = 0.0, 0.0, None, 0.0
    for _ in range(10):
        error = 1.0 - y
        integral += error * 0.1
        derivative = 0.0 if last is None else (error - last) / 0.1
        u = max(-5.0, min(5.0, kp * error + ki * integral + kd * derivative))
        y += 0.1 * (u - y)
        last = error
        cost += error**2 * 0.1
    return cost


def welch_power(x):
    f, p = signal.welch(x, fs=10.0, nperseg=4, noverlap=2)
    return np.trapezoid(p, f), p


def butter_then_filter(x, cut):
    b, a = signal.butter(2, cut)
    return signal.lfilter(b, a, x)


def savgol_slope(x):
    return signal.savgol_filter(x, 5, 2, deriv=1, delta=0.1)


# ---- geophysics, images


def haversine(lat1, lon1, lat2, lon2):
    p1, l1, p2, l2 = map(math.radians, (lat1, lon1, lat2, lon2))
    h = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin((l2 - l1) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(h))


def vincenty(lat1, lat2, L):
    a, f = 6378.137, 1 / 298.257223563
    b = (1 - f) * a
    U1, U2 = math.atan((1 - f) * math.tan(lat1)), math.atan((1 - f) * math.tan(lat2))
    lam = L
    for _ in range(200):
        sin_s = math.hypot(
            math.cos(U2) * math.sin(lam),
            math.cos(U1) * math.sin(U2) - math.sin(U1) * math.cos(U2) * math.cos(lam),
        )
        cos_s = math.sin(U1) * math.sin(U2) + math.cos(U1) * math.cos(U2) * math.cos(lam)
        s = math.atan2(sin_s, cos_s)
        sin_a = math.cos(U1) * math.cos(U2) * math.sin(lam) / sin_s
        cos2_a = 1 - sin_a**2
        cos_2sm = cos_s - 2 * math.sin(U1) * math.sin(U2) / cos2_a if cos2_a else 0.0
        C = f / 16 * cos2_a * (4 + f * (4 - 3 * cos2_a))
        last, lam = (
            lam,
            L + (1 - C) * f * sin_a * (s + C * sin_s * (cos_2sm + C * cos_s * (2 * cos_2sm**2 - 1))),
        )
        if abs(lam - last) < 1e-13:
            break
    return b * s * (1 + cos2_a * (a * a - b * b) / (4 * b * b))


def travel_time(v, p):
    depth = np.array([0.5, 1.0, 2.0])
    q = np.sqrt(np.clip(1 / v**2 - p**2, 1e-12, None))
    return 2 * np.sum(depth / v**2 / q), 2 * p * np.sum(depth / q)


def ricker_synthetic(r, f):
    t = np.arange(-4, 5) * 0.02
    w = (1 - 2 * (np.pi * f * t) ** 2) * np.exp(-((np.pi * f * t) ** 2))
    return np.convolve(r, w, mode="same")


def diffusion(u, k):
    u = u.copy()
    for _ in range(4):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0], u[-1] = u[1], u[-2]
    return u


def crank_nicolson(u, k):
    n = len(u)
    L = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n)).toarray()
    A, B = np.eye(n) - 0.5 * k * L, np.eye(n) + 0.5 * k * L
    lu = linalg.lu_factor(A)
    for _ in range(3):
        u = linalg.lu_solve(lu, B @ u)
    return u


def crank_nicolson_banded(u, k):
    n = len(u)
    ab = np.zeros((3, n))
    ab[0, 1:] = ab[2, :-1] = -k / 2
    ab[1] = 1 + k
    for _ in range(3):
        rhs = u.copy()
        rhs[1:-1] += 0.5 * k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = linalg.solve_banded((1, 1), ab, rhs)
    return u


def gravity_prism(x, depth):
    xs = np.linspace(-1, 1, 5)
    return np.array([np.sum(depth / ((s - x) ** 2 + depth**2)) for s in xs])


def topographic_slope(z):
    gy, gx = np.gradient(z, 0.5, 0.25)
    return np.degrees(np.arctan(np.hypot(gx, gy)))


def blurred_sharpened(image, s):
    blur = ndimage.gaussian_filter(image, s, mode="nearest", truncate=2)
    return image + 0.5 * (image - blur)


def variogram(z):
    h = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    d2 = 0.5 * np.subtract.outer(z, z) ** 2
    return np.array([d2[h == lag].mean() for lag in range(1, 4)])


def kriging(z, length):
    x = np.array([0.0, 0.7, 1.1, 2.0, 2.4, 3.3, 3.9, 5.0])
    C = np.exp(-np.abs(x[:, None] - x) / length)
    c0 = np.exp(-np.abs(x - 1.7) / length)
    A = np.block([[C, np.ones((8, 1))], [np.ones((1, 8)), np.zeros((1, 1))]])
    w = np.linalg.solve(A, np.append(c0, 1))
    return w[:8] @ z, 1 - w @ np.append(c0, 1)


# ---- genetics, statistics, learning


def wright_fisher_sfs(theta, growth):
    n = 6
    i = np.arange(1, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folded = theta / i * np.exp(-growth * i / n)
    folded = (folded + folded[::-1]) / (1 + (i == n - i))
    return folded[: n // 2]


def felsenstein(t):
    Q = np.full((4, 4), 1 / 3) - np.eye(4) * 4 / 3
    tips = dict(zip("abc", np.eye(4)[[0, 0, 2]], strict=True))
    tree = (("a", "b"), "c")
    lengths = iter(t)

    def partial(node):
        if isinstance(node, str):
            return tips[node]
        out = np.ones(4)
        for child in node:
            out = out * (linalg.expm(Q * next(lengths)) @ partial(child))
        return out

    return np.log(partial(tree).mean())


def hidden_markov(A, pi):
    A = np.exp(A) / np.exp(A).sum(axis=1, keepdims=True)
    B = np.array([[0.7, 0.3], [0.4, 0.6], [0.1, 0.9]])
    log_alpha = np.log(special.softmax(pi)) + np.log(B[:, 0])
    for obs in [1, 0, 0, 1]:
        log_alpha = special.logsumexp(log_alpha[:, None] + np.log(A), axis=0) + np.log(B[:, obs])
    return special.logsumexp(log_alpha)


def smith_waterman(match, gap):
    a, b = "GATTACA", "GCATGCA"
    H = np.zeros((len(a) + 1, len(b) + 1))
    for i, j in np.ndindex(len(a), len(b)):
        s = match if a[i] == b[j] else -0.7
        H[i + 1, j + 1] = max(0, H[i, j] + s, H[i, j + 1] - gap, H[i + 1, j] - gap)
    return H.max()


def hierarchical_loglik(mu, tau, y):
    if tau <= 0:
        return -np.inf
    groups = np.array([0, 0, 1, 1, 2, 2])
    sums = np.bincount(groups, weights=y, minlength=3)
    n = np.bincount(groups)
    v = 1 / n + tau**2
    return stats.norm.logpdf(sums / n, mu, np.sqrt(v)).sum() + stats.halfcauchy.logpdf(tau, scale=2)


def mixture_em(y, mu):
    pi, sd = np.array([0.4, 0.6]), 0.8
    for _ in range(5):
        r = pi * stats.norm.pdf(y[:, None], mu, sd)
        r /= r.sum(1, keepdims=True)
        nk = r.sum(0)
        mu, pi = (r * y[:, None]).sum(0) / nk, nk / len(y)
    return mu, pi


def gp_marginal(y, length, noise):
    x = np.linspace(0, 1, len(y))
    Kxx = np.exp(-0.5 * spatial.distance.cdist(x[:, None], x[:, None], "sqeuclidean") / length**2)
    L = linalg.cholesky(Kxx + noise * np.eye(len(y)), lower=True)
    alpha = linalg.cho_solve((L, True), y)
    return -0.5 * y @ alpha - np.log(np.diag(L)).sum()


class Network:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for n, (W, b) in enumerate(self.layers):
            x = W @ x + b
            if n < len(self.layers) - 1:
                x = np.where(x > 0, x, 0.1 * x)
        return x


def two_layers(W, b, v):
    net = Network((W, b), (v[None], np.zeros(1)))
    return net(np.array([0.4, -1.2, 0.7])).item()


def logistic_newton(y):
    X = np.vander(np.linspace(-1, 1, 6), 2)
    w = np.zeros(2)
    for _ in range(30):
        p = special.expit(X @ w)
        g, H = X.T @ (p - y) + 0.1 * w, (X.T * (p * (1 - p))) @ X + 0.1 * np.eye(2)
        d = np.linalg.solve(H, g)
        w = w - d
        if np.linalg.norm(d) < 1e-12:
            break
    else:
        raise RuntimeError("no convergence")
    return w


def isotherm_fit(y):
    t = np.array(T)
    model = lambda t, a, k: a * np.exp(-k * t)
    slopes = lambda t, a, k: np.stack([np.exp(-k * t), -a * t * np.exp(-k * t)], axis=1)
    (a, k), cov = optimize.curve_fit(model, t, y, p0=(3, 1), jac=slopes, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return a, k, np.sqrt(np.diag(cov))


def robust_fit(y):
    class Model:
        def __init__(self, t, y):
            self.t, self.y = t, y

        def residuals(self, p):
            return self.y - p[0] * np.exp(-p[1] * self.t)

    m = Model(np.array(T), y)
    return optimize.least_squares(
        m.residuals, [3.0, 1.0], loss="soft_l1", xtol=1e-15, ftol=1e-15, gtol=1e-15
    ).x


def histogram_density(y):
    counts, edges = np.histogram(y, bins=4)
    return edges, counts / np.diff(edges)


def weighted_histogram(w):
    x = np.linspace(0, 1, len(w), endpoint=False)
    return np.histogram(x, bins=[0, 0.3, 0.6, 1], weights=w, density=True)[0]


def table_lookup(x, y):
    xs = np.array([0.0, 0.5, 1.5, 3.0])
    table = {"lo": y[:3], "hi": np.cumsum(np.exp(y[2:6]))}
    return np.interp(x, xs[:3], table["lo"]) * np.interp(x**2, xs, table["hi"])


def spectrum_of_path(x):
    y = integrate.cumulative_trapezoid(x, dx=0.1, initial=0)
    power = np.abs(fft.fft(y * signal.windows.hann(len(y)))) ** 2
    return np.log10(power[1:4]), special.entr(power / power.sum()).sum()


def arc_length(y):
    t = np.linspace(0, 1, len(y))
    s = interpolate.CubicSpline(t, y, bc_type="natural")
    return integrate.quad(lambda u: np.sqrt(1 + s(u, 1) ** 2), 0, 1, epsabs=1e-12, limit=200)[0]


def pendulum_period_by_event(length):
    def hit(t, y):
        return y[0]

    hit.terminal, hit.direction = True, -1
    sol = integrate.solve_ivp(
        lambda t, y: [y[1], -9.81 / length * np.sin(y[0])],
        (0, 10),
        [0.5, 0.0],
        events=hit,
        rtol=1e-11,
        atol=1e-12,
    )
    return 4 * sol.t_events[0][0]


def memoised_recursion(x):
    memo = {}

    def legendre(n):
        if n in memo:
            return memo[n]
        memo[n] = (
            1.0
            if n == 0
            else x
            if n == 1
            else ((2 * n - 1) * x * legendre(n - 1) - (n - 1) * legendre(n - 2)) / n
        )
        return memo[n]

    return sum(legendre(n) / (n + 1) for n in range(7))


def adaptive_simpson(a, k):
    f = lambda t: math.exp(-k * t) * math.cos(a * t)

    def rec(lo, hi, flo, fm, fhi, whole, depth):
        m = 0.5 * (lo + hi)
        l, r = f(0.5 * (lo + m)), f(0.5 * (m + hi))
        left, right = (m - lo) / 6 * (flo + 4 * l + fm), (hi - m) / 6 * (fm + 4 * r + fhi)
        if depth <= 0 or abs(left + right - whole) < 1e-7:
            return left + right
        return rec(lo, m, flo, l, fm, left, depth - 1) + rec(m, hi, fm, r, fhi, right, depth - 1)

    fa, fm, fb = f(0.0), f(1.0), f(2.0)
    return rec(0.0, 2.0, fa, fm, fb, (fa + 4 * fm + fb) / 3, 12)


def generator_of_estimates(x):
    def estimates():
        g = x
        while True:
            g = 0.5 * (g + x / g)
            LOG.debug("now at %s", g)
            yield g

    previous = math.inf
    for g in estimates():
        if abs(g - previous) < 1e-14 * abs(g):
            return g
        previous = g


def rational_weights(x):
    w = [Fraction(1, n) for n in range(1, 7)]
    return sum(float(a) * v for a, v in zip(w, x, strict=True))


def spike_train(current, tau):
    v, spikes, trace = 0.0, 0, []
    for _ in range(60):
        v += 0.1 * (current - v) / tau
        if v > 1.0:
            v -= 1.0
            spikes += 1
        trace.append(v)
    return np.mean(trace) + spikes


def sinkhorn(C):
    Kc = np.exp(-C / 0.9)
    u = np.ones(3) / 3
    for _ in range(40):
        u, before = (1 / 3) / (Kc @ ((1 / 3) / (Kc.T @ u))), u
        if np.allclose(u, before, rtol=1e-13, atol=0):
            break
    P = u[:, None] * Kc * ((1 / 3) / (Kc.T @ u))
    return np.sum(P * C)


def principal_angles(M):
    C = np.cov(M, rowvar=False)
    w, V = np.linalg.eigh(C)
    V = V[:, np.argsort(w)[::-1]]
    V *= np.sign(V[np.argmax(np.abs(V), axis=0), range(3)])
    return w[::-1] / w.sum(), V[:, 0]


def moving_average(x):
    c = np.cumsum(np.insert(x, 0, 0.0))
    return (c[3:] - c[:-3]) / 3


def ranked_power(x):
    order = np.argsort(-np.abs(x), kind="stable")
    top = np.take_along_axis(x, order, 0)[:4]
    return np.dot(top, 1 / np.arange(1, 5)), np.ptp(x), np.median(x), np.percentile(x, [25, 75])


def polygon(x, y):
    xy = np.stack([x, y], axis=1)
    xy = xy[np.argsort(np.arctan2(y - y.mean(), x - x.mean()))]
    nxt = np.roll(xy, -1, axis=0)
    cross = xy[:, 0] * nxt[:, 1] - nxt[:, 0] * xy[:, 1]
    area = cross.sum() / 2
    return area, ((xy + nxt) * cross[:, None]).sum(0) / (6 * area)


def rotations(q):
    r = spatial.transform.Rotation.from_quat(q)
    return r.apply([1.0, 2.0, 3.0]), r.as_euler("zyx")


def masked_fit(y):
    good = np.isfinite(y) & (np.abs(y - np.median(y)) < 3 * 1.4826 * np.median(np.abs(y - np.median(y))))
    return np.polyfit(np.array(T)[good], np.log(y[good]), 1)


def clipped_mean(x):
    keep = np.ones(len(x), bool)
    while True:
        m, s = x[keep].mean(), x[keep].std(ddof=1)
        new = np.abs(x - m) < 1.5 * s
        if (new == keep).all():
            return m, s
        keep = new


add(distance_modulus, 0.7, 0.3, -0.95)
add(radial_velocity, 3.1, 0.35, 12.0, 0.8, T)
add(transit_overlap, [0.2, 0.95, 1.05, 1.3], 0.1)
add(nbody_energy, K, [1.0, 0.7, 2.1])
add(leapfrog, K, [[0.1, 0.2, -0.1], [0.3, -0.2, 0.2], [0.0, 0.1, 0.4]], [1.0, 0.7, 2.1])
add(kinetics, [0.7, 0.4, 0.2])
add(ph_of_buffer, 1.8e-5, 0.1)
add(peng_robinson, 320.0, 2.0e6)
add(lennard_jones, K, 0.8, 2.2)
add(molecule, [[1.1, 0.1, 0.0], [0.0, 0.0, 0.1], [-0.4, 0.9, 0.0]], 2.3)
add(huckel, -6.7, -2.4)
add(seir_loglik, 1.4, 0.6, 0.3)
add(euler_sir, 0.9, 0.3)
add(next_generation, [1.4, 0.6, 0.8])
add(leslie, [0.2, 1.3, 1.1], [0.6, 0.4])
add(bateman, 100.0, 1.2, 0.35, 20.0)
add(two_compartment, [0.3, 0.5, 0.2])
add(michaelis_menten_residuals, [1.2, 0.6], T)
add(american_put, 97.0, 100.0, 0.04, 0.3)
add(implied_volatility, 10.0, 98.0, 100.0)
add(garch_loglik, 0.1, 0.2, 0.6, S)
add(nelson_siegel, [0.04, -0.02, 0.01], 1.8)
add(xirr, [1.1, 1.2, 1.4, 1.3, 1.5, 1.7])
add(ols_table, [0.3, 1.1, 1.9, 2.4, 3.3, 4.1], Y)
add(newey_west, S)
add(kalman, Y, 0.3, 0.5)
add(kalman_matrices, [[0.9, 0.1, 0.0], [-0.1, 0.8, 0.1], [0.0, 0.2, 0.7]], T)
add(kaplan_meier_area, [2.3, 1.1, 3.9, 0.8, 2.9, 4.4])
add(gini, S)
add(thin_film, [1.38, 2.1, 1.46], [0.1, 0.13, 0.09])
add(fresnel_edge, T)
add(gaussian_beam, 0.4, 0.8)
add(lowpass, S, 1.7)
add(hilbert_envelope, S)
add(step_overshoot, 0.4, 1.8)
add(lqr_gain, 2.0, 0.5)
add(pid_loop, 2.0, 0.7, 0.05)
add(welch_power, S)
add(butter_then_filter, S, 0.3)
add(savgol_slope, S)
add(haversine, 52.1, 13.3, 48.8, 2.3)
add(vincenty, 0.9, 0.85, 0.19)
add(travel_time, [1.5, 2.1, 3.0], 0.2)
add(ricker_synthetic, S, 11.0)
for function in (diffusion, crank_nicolson, crank_nicolson_banded):
    add(function, S, 0.3)
add(gravity_prism, [0.1, -0.4, 0.7], 0.6)
add(topographic_slope, K)
add(blurred_sharpened, K, 0.8)
add(variogram, S)
add(kriging, S, 1.3)
add(wright_fisher_sfs, 2.0, 0.4)
add(felsenstein, [0.3, 0.2, 0.15, 0.4])
add(hidden_markov, K, [0.2, 0.5, -0.3])
add(smith_waterman, 1.1, 0.6)
add(hierarchical_loglik, 1.4, 0.8, Y)
add(mixture_em, S, [-0.6, 0.7])
add(gp_marginal, S, 0.4, 0.2)
add(two_layers, K, [0.1, -0.2, 0.3], [0.7, -0.8, 1.2])
add(logistic_newton, [0.1, 0.3, 0.2, 0.7, 0.6, 0.9])
add(isotherm_fit, Y)
add(robust_fit, Y)
add(histogram_density, S)
add(weighted_histogram, T)
add(table_lookup, [0.3, 0.8, 1.2], S)
add(spectrum_of_path, S)
add(arc_length, Y)
add(pendulum_period_by_event, 1.3)
add(memoised_recursion, 0.63)
add(adaptive_simpson, 1.3, 0.8)
add(generator_of_estimates, 2.7)
add(rational_weights, Y)
add(spike_train, 1.7, 0.8)
add(sinkhorn, K)
add(principal_angles, [[0.3, 1.2, -0.4], [1.9, 0.2, 0.8], [-1.1, 0.7, 1.6], [0.4, -2.0, 0.1]])
for function in (moving_average, ranked_power, clipped_mean):
    add(function, S)
add(polygon, [0.1, 2.0, 2.4, 1.1, -0.3, -0.9], [0.2, -0.1, 1.4, 2.2, 1.9, 0.7])
add(rotations, [0.3, 0.1, -0.2, 0.8])
add(masked_fit, Y)

ROWS = list(add)
