"""Optics, resonance, statistics, drugs, circuits, structures; and the less used parts of NumPy and SciPy."""

import cmath
import functools
import itertools
import math
import statistics

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
import scipy.spatial.distance
import scipy.special
import scipy.stats
from numpy.polynomial import Chebyshev, Legendre, Polynomial
from numpy.polynomial import polynomial as P

from tests.tracing.corpus.row import Rows

add = Rows("shelves")
A = np.array
Y = A([0.3, 0.9, 1.4, 1.1, 0.2, -0.6, -0.9, -0.2, 0.5])
M = A([[2.0, 0.3, -0.4], [0.1, 1.5, 0.6], [-0.2, 0.4, 1.1]])


# ---- light


@add.on(A([1.0, 1.38, 2.1, 1.52]), A([110.0, 60.0]), 0.3)
def transfer_matrices_of_a_coating(n, d, angle):
    out = np.zeros((3, 2))
    for k, lam in enumerate((450.0, 550.0, 650.0)):
        for pol in range(2):
            cosines = np.sqrt(1 - (n[0] * np.sin(angle) / n).astype(complex) ** 2)
            eta = n * cosines if pol == 0 else n / cosines
            m = np.eye(2, dtype=complex)
            for j, thick in enumerate(d, start=1):
                delta = 2 * np.pi * n[j] * thick * cosines[j] / lam
                layer = np.array(
                    [
                        [np.cos(delta), 1j * np.sin(delta) / eta[j]],
                        [1j * eta[j] * np.sin(delta), np.cos(delta)],
                    ]
                )
                m = m @ layer
            b, c = m @ [1, eta[-1]]
            out[k, pol] = abs((eta[0] * b - c) / (eta[0] * b + c)) ** 2
    return out


@add.on(A([0.3, 1.1]), 0.7)
def jones_and_stokes(angles, retardance):
    def rot(t):
        return np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])

    def plate(t, d):
        return rot(-t) @ np.diag(np.exp([-0.5j * d, 0.5j * d])) @ rot(t)

    e = functools.reduce(
        np.dot, (plate(angles[1], np.pi / 2), plate(angles[0], retardance), np.array([1, 0.2j]))
    )
    ex, ey = e
    return np.array(
        [
            abs(ex) ** 2 + abs(ey) ** 2,
            abs(ex) ** 2 - abs(ey) ** 2,
            2 * (ex * ey.conj()).real,
            -2 * (ex * ey.conj()).imag,
        ]
    )


@add.on(A([50.0, -80.0]), 10.0, A([2.0, 0.05]))
def lens_pair_by_abcd(f, gap, ray):
    lens = lambda f: np.matrix([[1, 0], [-1 / f, 1]])
    system = lens(f[1]) * np.matrix([[1, gap], [0, 1]]) * lens(f[0])
    out = system * np.matrix(ray).T
    q = 1j * 30.0
    q2 = (system[0, 0] * q + system[0, 1]) / (system[1, 0] * q + system[1, 1])
    return out.A1, -1 / system[1, 0], q2.real, np.sqrt(-1 / (1 / q2).imag)


@add.on(0.4, A([1.0, 0.6]), 5.0)
def fraunhofer_of_an_aperture(width, weights, wave):
    x = np.linspace(-1, 1, 32, endpoint=False)
    aperture = 1 / (1 + np.exp((np.abs(x) - width) * 30))
    field = aperture * np.exp(1j * wave * (weights[0] * x + weights[1] * x**2))
    far = np.fft.fftshift(np.fft.fft(np.fft.ifftshift(field), norm="ortho"))
    intensity = np.abs(far) ** 2
    k = np.fft.fftshift(np.fft.fftfreq(32, d=1 / 16))
    centre = np.average(k, weights=intensity)
    return centre, np.sqrt(np.average((k - centre) ** 2, weights=intensity))


@add.on(A([1.03961212, 0.231792344, 1.01046945]), A([0.00600069867, 0.0200179144, 103.560653]))
def sellmeier_abbe_and_group_index(b, c):
    def n(lam):
        return math.sqrt(1 + sum(bi * lam**2 / (lam**2 - ci) for bi, ci in zip(b, c, strict=True)))

    nd, nf, nc = n(0.5876), n(0.4861), n(0.6563)
    h = 1e-2
    group = n(0.8) - 0.8 * (n(0.8 + h) - n(0.8 - h)) / (2 * h)
    return (nd - 1) / (nf - nc), group


@add.on(A([0.1, 0.5, -0.2]), 2.0)
def gerchberg_saxton_steps(phase, level):
    near = np.abs(np.sin(np.arange(6.0)) + level)
    far = np.abs(np.cos(np.arange(6.0)) + 1.5)
    field = near * np.exp(1j * np.tile(phase, 2))
    for _ in range(3):
        g = np.fft.fft(field)
        g = far * g / np.abs(g)
        back = np.fft.ifft(g)
        field = near * np.exp(1j * np.angle(back))
    return np.angle(field), np.sum(np.abs(np.abs(np.fft.fft(field)) - far))


# ---- resonance


@add.on(A([0.0, 0.0, 1.0]), A([0.9, 0.08]), 0.3)
def bloch_by_rotations(m0, relax, offset):
    t1, t2 = relax
    m = m0.copy()
    signal = []

    def rx(a):
        return np.array([[1, 0, 0], [0, np.cos(a), np.sin(a)], [0, -np.sin(a), np.cos(a)]])

    def rz(a):
        return np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])

    tr, wait = 0.05, 0.01
    for pulse in range(6):
        m = rx(np.deg2rad(30) * (1 if pulse % 2 else -1)) @ m
        e1, e2 = np.exp(-wait / t1), np.exp(-wait / t2)
        echo = rz(2 * np.pi * offset * wait) @ (m * [e2, e2, e1]) + [0, 0, 1 - e1]
        signal.append(complex(echo[0], echo[1]))
        e1, e2 = np.exp(-tr / t1), np.exp(-tr / t2)
        m = rz(2 * np.pi * offset * tr) @ (m * np.array([e2, e2, e1])) + np.array([0, 0, 1 - e1])
    return np.abs(signal), np.angle(signal[-1])


@add.on(A([60.0, 60.0, 60.0, 60.0]), A([1000.0, 80.0]))
def extended_phase_graphs(flips, relax):
    n = len(flips)
    f = np.zeros((3, n + 1), dtype=complex)
    f[2, 0] = 1
    e1, e2 = np.exp(-10.0 / relax[0]), np.exp(-10.0 / relax[1])
    out = []
    for alpha in np.deg2rad(flips):
        c, s = np.cos(alpha / 2) ** 2, np.sin(alpha / 2) ** 2
        t = np.array(
            [
                [c, s, -1j * np.sin(alpha)],
                [s, c, 1j * np.sin(alpha)],
                [-0.5j * np.sin(alpha), 0.5j * np.sin(alpha), np.cos(alpha)],
            ]
        )
        f = t @ f
        out.append(np.abs(f[0, 0]))
        f[:2] *= e2
        f[2] *= e1
        f[2, 0] += 1 - e1
        f[0, 1:] = f[0, :-1].copy()
        f[1, :-1] = f[1, 1:]
        f[0, 0] = np.conj(f[1, 0])
    return out


@add.on(A([1.2, 0.4]), A([0.7, 0.3]), 0.05)
def ramsey_density_matrix(detunings, drive, decay):
    sx = np.array([[0, 1], [1, 0]], dtype=complex)
    sz = np.diag([1, -1])
    sm = np.array([[0, 1], [0, 0]])
    eye = np.eye(2)
    h = 0.5 * drive[0] * sx + 0.5 * detunings[0] * sz
    lindblad = -1j * (np.kron(h, eye) - np.kron(eye, h.T)) + decay * (
        np.kron(sm, sm.conj()) - 0.5 * np.kron(sm.T @ sm, eye) - 0.5 * np.kron(eye, (sm.T @ sm).T)
    )
    rho = np.diag([1.0, 0.0]).astype(complex)
    rho = (scipy.linalg.expm(lindblad * 2.0) @ rho.ravel()).reshape(2, 2)
    return rho.diagonal().real, np.abs(rho[0, 1]), np.trace(rho @ rho).real


# ---- statistics


@add.on(A([0.1, 0.2, 1.8, 2.1, 1.9, -0.1]), A([0.3, 1.5]))
def mixture_by_em(x, start):
    mu = np.array(start)
    sd = np.ones(2)
    share = np.array([0.5, 0.5])
    for _ in range(6):
        logp = scipy.stats.norm.logpdf(x[:, None], mu, sd) + np.log(share)
        resp = np.exp(logp - scipy.special.logsumexp(logp, axis=1, keepdims=True))
        n = resp.sum(0)
        mu = resp.T @ x / n
        sd = np.sqrt(np.einsum("ij,ij->j", resp, (x[:, None] - mu) ** 2) / n)
        share = n / len(x)
    return mu, sd, share


@add.on(A([[0.9, 0.1], [0.3, 0.7]]), A([0.0, 1.0]), 0.6)
def forward_backward(transition, means, sigma):
    obs = Y
    p = transition / transition.sum(1, keepdims=True)
    b = scipy.stats.norm(means, sigma).pdf(obs[:, None])
    n = len(obs)
    alpha, c = np.empty((n, 2)), np.empty(n)
    alpha[0] = 0.5 * b[0]
    c[0] = alpha[0].sum()
    alpha[0] /= c[0]
    for t in range(1, n):
        alpha[t] = alpha[t - 1] @ p * b[t]
        c[t] = alpha[t].sum()
        alpha[t] /= c[t]
    beta = np.ones((n, 2))
    for t in range(n - 2, -1, -1):
        beta[t] = p @ (b[t + 1] * beta[t + 1]) / c[t + 1]
    return np.log(c).sum(), (alpha * beta)[:, 0]


@add.on(A([1.2, -0.4, 0.3]), 0.5)
def logistic_by_newton(y_shift, ridge):
    x = np.column_stack([np.ones(6), [0.1, 0.5, 0.9, 1.4, 2.0, 2.6]])
    y = 1 / (1 + np.exp(-np.array([-1.0, 0.3, -0.2, 0.5, 1.5, 0.9]) * np.tile(y_shift, 2)))
    beta = np.zeros(2)
    for _ in range(25):
        p = scipy.special.expit(x @ beta)
        w = p * (1 - p)
        step = np.linalg.solve(x.T * w @ x + ridge * np.eye(2), x.T @ (y - p) - ridge * beta)
        beta += step
        if np.linalg.norm(step) < 1e-14:
            break
    return beta


@add.on(Y, 0.3)
def lowess_by_hand(y, share):
    x = np.arange(9.0)
    out = np.empty(9)
    for i in range(9):
        d = np.abs(x - x[i])
        h = np.sort(d)[5] * (1 + share)
        w = np.clip(1 - (d / h) ** 3, 0, 1) ** 3
        design = np.vander(x - x[i], 2)
        coef = np.linalg.lstsq(design * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0]
        out[i] = coef[1]
    return out


@add.on(Y, A([0.2, 0.5, 1.0, 0.4, 0.7, 0.3, 0.9, 1.1, 0.6]))
def weighted_median_and_gini(x, w):
    order = np.argsort(x)
    xs, ws = x[order], w[order]
    cum = np.cumsum(ws) - 0.5 * ws
    median = np.interp(0.5 * ws.sum(), cum, xs)
    shifted = xs - xs.min() + 1
    lorenz = np.insert(np.cumsum(shifted) / shifted.sum(), 0, 0)
    gini = 1 - 2 * np.trapezoid(lorenz, dx=1 / len(x))
    return median, gini


@add.on(Y, 1.3)
def jackknife_and_bootstrap(x, power):
    rng = np.random.default_rng(7)
    n = len(x)
    theta = lambda s: np.mean(np.abs(s) ** power)
    jack = np.array([theta(np.delete(x, i)) for i in range(n)])
    acceleration = np.sum((jack.mean() - jack) ** 3) / (6 * np.sum((jack.mean() - jack) ** 2) ** 1.5)
    picks = rng.integers(0, n, (20, n))
    boot = np.array([theta(x[p]) for p in picks])
    return acceleration, boot.std(ddof=1), np.quantile(boot, [0.1, 0.9])


@add.on(Y, Y[::-1] * 0.7 + 0.1)
def rank_correlations(x, y):
    r = scipy.stats.rankdata(x)
    s = scipy.stats.rankdata(y)
    rho = np.corrcoef(r, s)[0, 1]
    pearson = scipy.stats.pearsonr(x, y).statistic
    slope, intercept, *_ = scipy.stats.linregress(x, y)
    return pearson * (1 + rho), slope, intercept


@add.on(A([3.0, 1.5]), A([0.4, 2.2, 1.1, 3.0]))
def weibull_with_censoring(theta, t):
    k, lam = theta
    seen = np.array([1, 0, 1, 1], dtype=bool)
    z = t / lam
    ll = np.where(seen, np.log(k / lam) + (k - 1) * np.log(z), 0).sum() - np.sum(z**k)
    hazard = np.piecewise(
        t, [t < 1, (t >= 1) & (t < 2.5)], [lambda u: k * u, lambda u: k * u**0.5, lambda u: k + u]
    )
    return ll, hazard


@add.on(A([0.3, 1.2, -0.5]), A([0.8, 0.3]))
def gaussian_process_with_kernels(y, theta):
    x = np.array([0.0, 0.6, 1.5])

    class Kernel:
        def __init__(self, f):
            self.f = f

        def __call__(self, a, b):
            return self.f(np.subtract.outer(a, b))

        def __add__(self, other):
            return Kernel(lambda d: self.f(d) + other.f(d))

        def __mul__(self, other):
            return Kernel(lambda d: self.f(d) * (other.f(d) if isinstance(other, Kernel) else other))

    rbf = Kernel(lambda d: np.exp(-0.5 * (d / theta[0]) ** 2))
    periodic = Kernel(lambda d: np.exp(-2 * np.sin(np.pi * d) ** 2 / theta[1] ** 2))
    k = rbf * periodic + rbf * 0.5
    low = scipy.linalg.cholesky(k(x, x) + 0.05 * np.eye(3), lower=True)
    alpha = scipy.linalg.cho_solve((low, True), y)
    at = np.array([0.3, 1.0])
    v = scipy.linalg.solve_triangular(low, k(x, at), lower=True)
    return (
        k(at, x) @ alpha,
        np.diag(k(at, at)) - np.sum(v * v, axis=0),
        -0.5 * y @ alpha - np.log(np.diag(low)).sum(),
    )


@add.on(A([1.0, 2.0, 3.5]), A([0.5, 1.0, 2.0]))
def dirichlet_and_wishart(alpha, v):
    p = v / v.sum()
    ld = scipy.stats.dirichlet.logpdf(p, alpha)
    s = np.diag(v) + 0.1
    lw = scipy.stats.wishart.logpdf(s, df=5, scale=np.diag(alpha))
    kl = np.sum(scipy.special.rel_entr(p, alpha / alpha.sum()))
    return ld, lw, kl


# ---- drugs


@add.on(A([100.0, 1.2, 0.25, 30.0]), A([0.5, 2.0, 8.0]))
def superposed_doses(p, times):
    dose, ka, ke, v = p
    one = lambda t: np.where(t > 0, dose * ka / (v * (ka - ke)) * (np.exp(-ke * t) - np.exp(-ka * t)), 0.0)
    total = np.zeros_like(times)
    for n in itertools.takewhile(lambda k: k * 6.0 < 20, itertools.count()):
        total = total + one(times - 6.0 * n)
    tmax = np.log(ka / ke) / (ka - ke)
    auc = scipy.integrate.trapezoid(one(np.linspace(0, 24, 49)), np.linspace(0, 24, 49))
    return total, tmax, auc


@add.on(A([5.0, 0.8, 0.3]), 4.0)
def michaelis_elimination_by_odeint(p, c0):
    vmax, km, k12 = p

    def model(c, t):
        out = vmax * c[0] / (km + c[0])
        return [-out - k12 * (c[0] - c[1]), k12 * (c[0] - c[1])]

    c = scipy.integrate.odeint(model, [c0, 0.0], [0.0, 0.3, 0.9, 1.6], rtol=1e-11, atol=1e-12)
    return c[1:, 0], c[-1, 1]


@add.on(A([80.0, 1.5, 45.0]), A([10.0, 30.0, 60.0, 120.0]))
def hill_fit_and_bliss(p, doses):
    top, n, ec50 = p
    effect = top * doses**n / (ec50**n + doses**n)
    other = 100 * (1 - np.exp(-doses / 50))
    bliss = effect + other - effect * other / 100
    ic90 = scipy.optimize.bisect(lambda d: top * d**n / (ec50**n + d**n) - 0.4 * top, 1e-3, 1e4, xtol=1e-12)
    return bliss, ic90


# ---- circuits


@add.on(A([100.0, 220.0, 330.0, 470.0]), A([5.0, 1e-3]))
def modified_nodal_analysis(r, sources):
    g = np.zeros((4, 4))
    rhs = np.zeros(4)
    elements = [("R", 0, 1, r[0]), ("R", 1, 2, r[1]), ("R", 1, None, r[2]), ("R", 2, None, r[3])]
    for _kind, a, b, value in elements:
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            if i is not None and j is not None:
                g[i, j] += sign / value
    g[0, 3] = g[3, 0] = 1
    rhs[3] = sources[0]
    rhs[2] -= sources[1]
    v = np.linalg.solve(g, rhs)
    return v[:3], (v[0] - v[1]) ** 2 / r[0]


@add.on(5.0, 1000.0, A([1e-3, 0.7]))
def diode_by_damped_newton(supply, resistance, diode):
    thermal = 0.02585
    saturation = diode[0] * 1e-9

    v = diode[1]
    for _ in range(200):
        e = math.exp(min(v / thermal, 60.0))
        f = (supply - v) / resistance - saturation * (e - 1)
        df = -1 / resistance - saturation * e / thermal
        step = -f / df
        if abs(step) > 0.1:
            step = math.copysign(0.1, step)
        v += step
        if abs(step) < 1e-15:
            break
    return v, (supply - v) / resistance


@add.on(A([10.0, 1e-3, 1e-6]), A([50.0, 60.0]))
def rlc_and_power_factor(p, load):
    r, l, c = p
    w = 2 * math.pi * 50
    z = complex(r, w * l) + 1 / (1j * w * c * 1e2)
    zp = z * load[0] / (z + load[0])
    s = abs(230) ** 2 / zp.conjugate()
    return cmath.polar(zp), s.real / abs(s), (1j**0.5 * z).imag


@add.on(A([1.0, 0.5, 0.2]), A([0.1, 0.02]))
def buck_converter_switching(state, parts):
    i, v = state[0], state[1]
    duty = 0.4 + 0.1 * state[2]
    out = np.zeros((16, 2))
    for k in range(16):
        on = (k % 4) / 4 < duty
        vin = 12.0 if on else 0.0
        di = (vin - v) / parts[0] * 0.001
        dv = (i - v / 5) / parts[1] * 0.001
        i = max(i + di, 0.0)
        v += dv
        out[k] = i, v
    return out[-4:].ravel()


@add.on(A([0.2, 0.35, 0.5]), A([1.0, 0.4]))
def s_parameters_cascaded(lengths, z):
    def line(length, z0):
        b = 2j * np.pi * length
        return np.array([[np.cosh(b), z0 * np.sinh(b)], [np.sinh(b) / z0, np.cosh(b)]])

    abcd = np.linalg.multi_dot(
        [line(l, z0) for l, z0 in zip(lengths, (z[0], z[1], z[0] * z[1]), strict=True)]
    )
    a, b, c, d = abcd.ravel()
    den = a + b + c + d
    s = np.array([[a + b - c - d, 2 * (a * d - b * c)], [2, -a + b - c + d]]) / den
    return np.abs(s), np.angle(s[1, 0])


# ---- structures


@add.on(A([210.0, 200.0, 190.0, 205.0, 195.0]), A([0.0, -1.0]))
def truss_assembled_by_ix(stiffness, load):
    nodes = np.array([[0.0, 0], [1, 0], [0.5, 0.8], [1.5, 0.8]])
    bars = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    k = np.zeros((8, 8))
    for (i, j), ea in zip(bars, stiffness, strict=True):
        d = nodes[j] - nodes[i]
        length = np.sqrt(d @ d)
        c = d / length
        t = np.concatenate([-c, c])
        dofs = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]
        k[np.ix_(dofs, dofs)] += ea / length * np.outer(t, t)
    f = np.zeros(8)
    f[6:] = load
    free = np.setdiff1d(np.arange(8), [0, 1, 3])
    u = np.zeros(8)
    u[free] = np.linalg.solve(k[np.ix_(free, free)], f[free])
    return u, k[[0, 1, 3]] @ u


@add.on(A([1.0, 2.0, 0.5]), A([3.0, 1.0]))
def beam_modes_by_generalised_eigh(ei, mass):
    n = 3
    k, m = np.zeros((2 * n + 2, 2 * n + 2)), np.zeros((2 * n + 2, 2 * n + 2))
    l = 0.7
    ke = np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l**2, -6 * l, 2 * l**2],
                   [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l**2, -6 * l, 4 * l**2]]) / l**3  # fmt: skip
    me = np.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * l**2, 13 * l, -3 * l**2],
                   [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l**2, -22 * l, 4 * l**2]]) * l / 420  # fmt: skip
    for e in range(n):
        s = slice(2 * e, 2 * e + 4)
        k[s, s] += ei[e] * ke
        m[s, s] += mass[0] * me
    m[-2, -2] += mass[1]
    w2 = scipy.linalg.eigh(k[2:, 2:], m[2:, 2:], eigvals_only=True)
    return np.sqrt(w2[:3])


@add.on(A([1.0, 0.3]), A([0.2, 0.1, -0.3]))
def triangles_by_coo(material, source):
    points = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.45]])
    triangles = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    rows, cols, vals = [], [], []
    for n, t in enumerate(triangles):
        p = points[t]
        area = 0.5 * np.linalg.det(np.column_stack([np.ones(3), p]))
        grads = np.linalg.inv(np.column_stack([np.ones(3), p]))[1:]
        ke = material[n % 2] * area * grads.T @ grads
        for a in range(3):
            for b in range(3):
                rows.append(t[a])
                cols.append(t[b])
                vals.append(ke[a, b])
    k = scipy.sparse.coo_matrix((vals, (rows, cols)), shape=(5, 5)).tocsr()
    dense = k.toarray() + np.diag([1.0, 1, 0, 0, 0])
    return np.linalg.solve(dense, np.append(source, [1.0, 0.2]))


@add.on(A([30.0, 10.0, -5.0]), A([10.0, 4.0]))
def yield_and_mohr(stress, limits):
    sx, sy, txy = stress
    centre, radius = (sx + sy) / 2, math.hypot((sx - sy) / 2, txy)
    s1, s2 = centre + radius, centre - radius
    mises = math.sqrt(s1**2 - s1 * s2 + s2**2)
    match (s1 > 0, s2 > 0):
        case (True, True):
            failure = s1 / limits[0]
        case (True, False):
            failure = s1 / limits[0] - s2 / limits[1]
        case _:
            failure = -s2 / limits[1]
    return mises, failure, 0.5 * math.degrees(math.atan2(2 * txy, sx - sy))


@add.on(A([0.2, 0.5]), A([2.0, 0.3, 0.1]))
def return_mapping_plasticity(strains, p):
    e, y0, h = p
    plastic, alpha, out = 0.0, 0.0, []
    for eps in np.cumsum(np.concatenate([strains, -3 * strains])):
        trial = e * (eps - plastic)
        f = abs(trial) - (y0 + h * alpha)
        if f <= 0:
            out.append(trial)
            continue
        gamma = f / (e + h)
        plastic += gamma * np.sign(trial)
        alpha += gamma
        out.append(trial - e * gamma * np.sign(trial))
    return np.array(out), alpha


@add.on(A([1.0, 1.3]), 0.05, A([0.3, -0.2, 0.4, 0.1, -0.5, 0.2]))
def newmark_beta(km, damping, ground):
    k, m = km
    c = 2 * damping * np.sqrt(k * m)
    u, v = 0.0, 0.0
    a = -ground[0]
    dt, history = 0.1, []
    keff = k + 2 * c / dt + 4 * m / dt**2
    for g in ground[1:]:
        p = -m * g + m * (4 * u / dt**2 + 4 * v / dt + a) + c * (2 * u / dt + v)
        un = p / keff
        vn = 2 * (un - u) / dt - v
        a = 4 * (un - u) / dt**2 - 4 * v / dt - a
        u, v = un, vn
        history.append((u, v))
    return max(abs(u) for u, _ in history), history[-1]


# ---- ufuncs and their methods


@add.on(Y, A([0.5, 1.5, 2.5]))
def reduceat_accumulate_outer(x, k):
    starts = [0, 3, 5]
    return (
        np.add.reduceat(x, starts) * k,
        np.maximum.accumulate(x),
        np.logaddexp.accumulate(x[:4]),
        np.multiply.outer(k, x[:2]),
        np.logaddexp.reduce(x),
        np.hypot.reduce(k),
        np.subtract.accumulate(x)[-1],
        np.minimum.outer(k, x).sum(),
    )


@add.on(Y, 0.7)
def ufunc_at_and_where(x, k):
    out = np.zeros(4)
    np.add.at(out, [0, 1, 1, 2, 3, 3, 3, 0, 2], x)
    np.multiply.at(out, [0, 2], k)
    np.negative(out, out=out, where=out > 0.5)
    r = np.full(9, 2.0)
    np.log(x, out=r, where=x > 0)
    q = np.divide(k, x, out=np.zeros_like(x), where=np.abs(x) > 0.4)
    return out, r, q


@add.on(M)
def norms_of_all_orders(m):
    vectors = [np.linalg.norm(m[0], p) for p in (0.5, 1, 2, 3, np.inf, -np.inf)]
    matrices = [np.linalg.norm(m, p) for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)]
    return (
        vectors,
        matrices,
        np.linalg.norm(m, axis=1),
        np.linalg.cond(m),
        np.linalg.norm(m, ord=3, axis=0, keepdims=True),
    )


@add.on(M, A([0.3, -0.8, 0.5]))
def matrix_class_of_old_scripts(m, v):
    a = np.matrix(m)
    x = np.matrix(v).T
    b = a.T * a + 0.1 * np.identity(3)
    y = b.I * x
    return float((x.T * y)[0, 0]), np.asarray(a**2), np.ravel(y), (a * x).A.sum(), a.H.trace()[0, 0]


@add.on(A([1.0, -2.0, 0.5, 0.3]), 0.6)
def polynomial_classes(c, x):
    p = Polynomial(c)
    q = p.deriv() * Polynomial([0.5, 1]) - p // Polynomial([1, 1])
    t = Chebyshev(c)
    l = Legendre(c[:3])
    return (
        q(x), (p % Polynomial([1.0, 0.0, 1.0])).coef, t.integ()(x) - t.integ()(0), l.convert(kind=Polynomial).coef,
        (p**2)(x), p(q)(x), P.polyval2d(x, 0.2, np.outer(c, c)), t.linspace(4)[1],
    )  # fmt: skip


@add.on(Y, A([0.1, 0.45, 0.8]))
def digitize_search_and_interp(y, at):
    x = np.linspace(0, 1, 9)
    edges = np.array([-1.0, 0.0, 0.6, 1.5])
    which = np.digitize(y, edges)
    sums = np.array([y[which == k].sum() for k in range(1, 4)])
    i = np.searchsorted(x, at) - 1
    frac = (at - x[i]) / (x[i + 1] - x[i])
    by_hand = (1 - frac) * y[i] + frac * y[i + 1]
    return sums, by_hand - np.interp(at, x, y), np.interp([-1, 2], x, y, left=at[0], right=at[1])


@add.on(Y, 0.3)
def nan_functions_and_traps(x, k):
    z = np.where(x > 0, x, np.nan)
    safe = np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)
    trap = np.where(x > k, np.log(np.maximum(x - k, 1e-300)), 0.0)
    z[2] = np.nan
    return (
        np.nanmean(z), np.nanstd(z), np.nanmax(z), np.nanmedian(z), np.nancumsum(z), np.nanpercentile(z, 30),
        safe, trap, np.nan_to_num(z, nan=k).sum(), np.nanprod(z), np.nanvar(z, ddof=1),
    )  # fmt: skip


@add.on(Y, A([0.3, 0.5, 0.2]))
def convolutions_and_spectra(x, h):
    n = len(x) + len(h) - 1
    fast = np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(h, n), n)
    _f, p = scipy.signal.welch(x, nperseg=4)
    cepstrum = np.fft.irfft(np.log(np.abs(np.fft.rfft(x)) + 0.1))
    dct = scipy.fft.idct(scipy.fft.dct(x, norm="ortho")[:5], n=9, norm="ortho")
    return (
        fast - np.convolve(x, h),
        np.correlate(x, h, "same"),
        p,
        cepstrum,
        dct,
        scipy.signal.fftconvolve(x, h, "valid"),
    )


@add.on(Y, A([0.0, 0.4, 0.9, 1.7, 2.0, 2.2, 3.1, 3.3, 4.0]))
def gradients_on_uneven_grids(y, x):
    g = np.gradient(y, x, edge_order=2)
    area = scipy.integrate.cumulative_trapezoid(y, x, initial=0)
    simpson = scipy.integrate.simpson(y, x=x)
    curvature = np.gradient(g, x) / (1 + g**2) ** 1.5
    return g, area, simpson, curvature[3], np.ediff1d(y, to_begin=0), np.trapezoid(np.abs(y), x)


@add.on(np.sin(np.arange(24.0)).reshape(2, 3, 4), M)
def einsum_with_ellipses(t, m):
    return (
        np.einsum("...ij->...ji", t).sum((0, 1)), np.einsum("ij,...jk->...ik", m, t)[1], np.einsum("...ij,...ij", t, t),
        np.einsum("ii->i", m), np.tensordot(t, m, axes=([1], [0])).sum(),
        np.einsum(t, [0, 1, 2], m, [1, 3], [0, 3, 2])[0],
        np.einsum("aij,ik,akj->a", t, m, t), np.inner(m, m)[0], np.kron(m, [1, 2])[0], np.vdot(m, m),
    )  # fmt: skip


@add.on(Y)
def sorts_uniques_and_partitions(x):
    _u, inverse, counts = np.unique(np.round(x * 0) + np.sign(x), return_inverse=True, return_counts=True)
    groups = np.bincount(inverse, weights=x)
    top = np.partition(x, -3)[-3:].sum()
    lex = np.lexsort((x, np.sign(x)))
    tied = np.argsort(-x, kind="stable")[:3]
    return (
        groups / counts,
        top,
        x[lex] @ np.arange(9.0),
        x[tied],
        np.sort(x)[::-1].cumsum(),
        np.median(np.sort_complex(x).real),
    )


@add.on(Y, 2.0)
def histogram_weighted_and_density(x, k):
    w = np.exp(-x / k)
    h, _e = np.histogram(x, bins=[-1, -0.5, 0, 0.7, 2], weights=w)
    d, _ = np.histogram(x, bins=4, range=(-1, 1.5), weights=w, density=True)
    h2, *_ = np.histogram2d(x[:-1], x[1:], bins=[2, 2], range=[[-1, 1.5], [-1, 1.5]], weights=w[1:])
    mean, _, _ = scipy.stats.binned_statistic(x, w, "mean", bins=[-1, 0, 2])
    return h, d, h2, mean


@add.on(Y, 0.4)
def piecewise_and_select(x, k):
    a = np.piecewise(x, [x < 0, x >= 1], [lambda v: -k * v**3, 1.0, lambda v: v**2])
    b = np.select([x < -0.5, x < k, x < 1.2], [np.exp(x), x / k, x**k * 1.0], default=np.nan)
    return a, np.nansum(b), np.choose((x > 0).astype(int), [x * k, x**2]), np.heaviside(x, 0.5) * x


@add.on(Y, 0.5)
def vectorized_functions(x, k):
    @np.vectorize
    def f(v, k):
        if v > k:
            return math.sqrt(v - k)
        return v * k if v > 0 else -v

    g = np.vectorize(lambda v, n: v**n, excluded={"n"})
    h = np.vectorize(lambda a, b: np.dot(a, b), signature="(n),(n)->()")
    return f(x, k), g(x, n=2), h(x.reshape(3, 3), np.arange(3.0))


@add.on(M, Y)
def windows_and_views(m, x):
    s = np.lib.stride_tricks.sliding_window_view(x, 3)
    d = m.copy()
    d.flat[::4] += 1
    d[::2, 1:] *= 2
    d[[0, 2]] = d[[2, 0]]
    v = d.T[::-1]
    v[0] -= x[:3]
    return (
        s.mean(1),
        np.median(s, axis=1),
        d,
        np.diagonal(d, 1),
        np.trace(d, offset=-1),
        np.rot90(m, 1)[0],
        np.tri(3) @ x[:3],
    )


@add.on(A([2.0, 1.2, 0.7]))
def structured_records(x):
    particle = np.zeros(3, dtype=[("m", float), ("v", float, 2)])
    particle["m"] = x
    particle["v"][:, 0] = np.sqrt(x)
    particle["v"][:, 1] = 0.5
    return np.sum(0.5 * particle["m"] * np.sum(particle["v"] ** 2, axis=1))


@add.on(Y, 0.6)
def masked_statistics(x, k):
    m = np.ma.masked_where(x < 0, x * k)
    return m.mean(), m.filled(0.0).sum()


@add.on(Y)
def masked_invalid_values(x):
    with np.errstate(invalid="ignore"):
        m = np.ma.masked_invalid(np.sqrt(x))
    return np.ma.sum(m), np.ma.std(m)


@add.on(0.3, 1.7)
def fractions_inside(a, b):
    from fractions import Fraction

    return float(Fraction(a).limit_denominator(10**6) * Fraction(b))


@add.on(0.3, 1.7)
def decimals_inside(a, b):
    from decimal import Decimal

    return float(Decimal(float(a)) * Decimal(float(b)) + Decimal(1))


@add.on(A([0.3, 1.7]))
def constants_by_decimal_and_fraction(x):
    from decimal import Decimal
    from fractions import Fraction

    third, tenth = Fraction(1, 3), Decimal("0.1")
    return x * float(third) + float(tenth) * x**2


@add.on(A([0.5, 1.5]), 0.1)
def reparametrised_by_random_state(mu, s):
    state = np.random.RandomState(0)
    z = state.standard_normal((50, 2))
    w = np.exp(mu + s * z)
    return w.mean(axis=0), scipy.stats.norm.rvs(size=3, random_state=1) * s


@add.on(Y, 3.0)
def with_statistics_module(x, k):
    values = [float(v) for v in x]
    return (
        statistics.fmean(values) * k,
        statistics.median(values),
        math.fsum(values),
        math.prod(values[:3]),
        math.dist(values[:2], values[2:4]),
    )


@add.on(A([1.0, 2.0, 3.0]), 0.3)
def caches_and_partials(x, k):
    @functools.cache
    def binomial(n, j):
        return 1 if j in (0, n) else binomial(n - 1, j - 1) + binomial(n - 1, j)

    bern = functools.partial(lambda n, j, t: binomial(n, j) * t**j * (1 - t) ** (n - j), len(x) - 1)
    return sum(c * bern(j, k) for j, c in enumerate(x)), functools.reduce(lambda a, b: a * k + b, x)


@add.on(A([[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]]), A([0.4, 0.1]))
def pairwise_distances_of_all_kinds(p, w):
    d = scipy.spatial.distance
    return (
        d.pdist(p), d.cdist(p, w[None], "cityblock"), d.squareform(d.pdist(p, "minkowski", p=3))[0], d.cosine(p[0], w),
        d.mahalanobis(p[0], w, np.eye(2) * 2), d.canberra(p[1], w), d.jensenshannon(np.abs(p[0]), np.abs(w)),
        d.braycurtis(p[0], w),
    )  # fmt: skip


# ---- networks, modes and draws


@add.on(A([1.0, 2.0, 0.5, 1.5, 0.7, 3.0]))
def routes_and_spanning_tree(w):
    graph = scipy.sparse.csr_matrix((w, ([0, 0, 1, 1, 2, 3], [1, 2, 2, 3, 3, 4])), shape=(5, 5))
    lengths, before = scipy.sparse.csgraph.dijkstra(graph, indices=0, return_predecessors=True)
    path, node = [], 4
    while node >= 0:
        path.append(lengths[node])
        node = before[node]
    tree = scipy.sparse.csgraph.minimum_spanning_tree(graph)
    return np.array(path[:-1]), tree.sum(), (tree + tree.T).toarray()[1]


@add.on(A([2.0, 1.5, 1.0, 0.8]), A([1.0, 1.2, 0.9, 1.1]))
def lowest_modes_of_a_chain(k, m):
    off = -k[1:]
    stiffness = scipy.sparse.diags([k + np.append(k[1:], 0), off, off], [0, 1, -1], format="csc")
    mass = scipy.sparse.diags(m, format="csc")
    w2, modes = scipy.sparse.linalg.eigsh(stiffness, k=2, M=mass, sigma=0, v0=np.ones(4))
    return np.sqrt(w2), (modes.T @ m) ** 2


@add.on(100.0, 105.0, 0.2, 0.01)
def basket_of_seeded_paths(s0, strike, vol, rate):
    np.random.seed(42)  # noqa: NPY002
    z = np.random.randn(40, 6)  # noqa: NPY002
    paths = s0 * np.exp(np.cumsum((rate - vol**2 / 2) / 6 + vol * np.sqrt(1 / 6) * z, axis=1))
    payoff = np.logaddexp(0, paths.mean(axis=1) - strike)
    return np.exp(-rate) * payoff.mean(), payoff.std(ddof=1) / np.sqrt(len(payoff))


ROWS = list(add)
