"""Engineering, signals, images, graphics and learning machines, as people write them."""

import math
from collections import deque
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from scipy import fft, integrate, linalg, ndimage, optimize, signal, sparse, spatial, special
from scipy.sparse.linalg import spsolve

from tests.tracing.corpus.row import Rows

add = Rows("machines")

# ---- structures


def beam(ei, load):
    """A cantilever of finite elements, assembled by np.ix_."""
    n_el, length = 4, 2.0
    le = length / n_el
    k = ei / le**3 * np.array([
        [12, 6 * le, -12, 6 * le], [6 * le, 4 * le**2, -6 * le, 2 * le**2],
        [-12, -6 * le, 12, -6 * le], [6 * le, 2 * le**2, -6 * le, 4 * le**2],
    ])  # fmt: skip
    ndof = 2 * (n_el + 1)
    K = np.zeros((ndof, ndof))
    for e in range(n_el):
        dofs = np.arange(2 * e, 2 * e + 4)
        K[np.ix_(dofs, dofs)] += k
    F = np.zeros(ndof)
    F[-2] = load
    free = np.setdiff1d(np.arange(ndof), [0, 1])
    u = np.zeros(ndof)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], F[free])
    return u[::2]


def truss(areas, height):
    """Bar forces of a plane truss, assembled by np.add.at."""
    nodes = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.5, 0.0], [1.5, 0.0]])
    nodes[3:, 1] = height
    bars = np.array([(0, 1), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (3, 4)])
    K = np.zeros((10, 10))
    for (i, j), area in zip(bars, areas, strict=False):
        d = nodes[j] - nodes[i]
        L = np.linalg.norm(d)
        c = d / L
        kb = area / L * np.outer(c, c)
        idx = np.array([2 * i, 2 * i + 1, 2 * j, 2 * j + 1])
        np.add.at(K, (idx[:, None], idx[None, :]), np.block([[kb, -kb], [-kb, kb]]))
    f = np.zeros(10)
    f[3] = -1.0
    fixed = [0, 1, 5]
    free = [i for i in range(10) if i not in fixed]
    u = np.zeros(10)
    u[free] = linalg.solve(K[free][:, free], f[free], assume_a="pos")
    U = u.reshape(-1, 2)
    elongation = [
        (U[j] - U[i]) @ (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i]) ** 2 for i, j in bars
    ]
    return areas * np.array(elongation)


def triangle_fem(kappa):
    """Heat conduction on a square of triangles, with a sparse matrix."""
    n = 4
    xs, ys = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    pts = np.column_stack([xs.ravel(), ys.ravel()])
    tris = []
    for r in range(n - 1):
        for c in range(n - 1):
            a = r * n + c
            tris += [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]
    rows, cols, vals = [], [], []
    for t, tri in enumerate(tris):
        p = pts[tri]
        B = np.linalg.inv(np.column_stack([np.ones(3), p]))
        area = 0.5 * abs(np.linalg.det(np.column_stack([np.ones(3), p])))
        Ke = kappa[t % len(kappa)] * area * B[1:].T @ B[1:]
        for i in range(3):
            for j in range(3):
                rows.append(tri[i])
                cols.append(tri[j])
                vals.append(Ke[i, j])
    K = sparse.coo_matrix((vals, (rows, cols)), shape=(n * n, n * n)).tocsr()
    boundary = np.where((pts[:, 0] == 0) | (pts[:, 0] == 1))[0]
    inner = np.setdiff1d(np.arange(n * n), boundary)
    g = pts[:, 0] ** 2
    u = g.copy()
    b = -K[inner][:, boundary] @ g[boundary]
    u[inner] = spsolve(K[inner][:, inner], b)
    return u[inner]


def buckling(i1, i2):
    """Critical load of a stepped column: a generalised eigenproblem."""
    n, L = 20, 1.0
    h = L / n
    ei = np.where(np.arange(1, n) < n // 2, i1, i2)
    D2 = np.diag(np.full(n - 1, -2.0)) + np.diag(np.ones(n - 2), 1) + np.diag(np.ones(n - 2), -1)
    A = -np.diag(ei) @ D2 / h**2
    w = linalg.eig(A, right=False)
    return np.sort(w.real)[0]


def mohr(s):
    sx, sy, txy = s
    c, r = (sx + sy) / 2, np.hypot((sx - sy) / 2, txy)
    principal = np.array([c + r, c - r])
    von_mises = np.sqrt(sx**2 - sx * sy + sy**2 + 3 * txy**2)
    angle = np.rad2deg(0.5 * np.arctan2(2 * txy, sx - sy))
    return principal, von_mises, angle


def tensor_invariants(F):
    """Neo-Hookean stress from a deformation gradient."""
    J = np.linalg.det(F)
    C = F.T @ F
    Cinv = np.linalg.inv(C)
    E = 0.5 * (C - np.eye(3))
    S = 1.0 * (np.eye(3) - Cinv) + 2.0 * np.log(J) * Cinv
    sigma = F @ S @ F.T / J
    dev = sigma - np.trace(sigma) / 3 * np.eye(3)
    return np.sqrt(1.5 * np.tensordot(dev, dev)), np.tensordot(S, E)


def return_mapping(strain, hardening):
    """Plasticity in one dimension, step by step."""
    E, sy = 200.0, 0.25
    ep, alpha, out = 0.0, 0.0, []
    for de in np.array([0.3, 0.5, 1.0, -0.8, -1.0]) * strain:
        eps = (out[-1][0] if out else 0.0) + de
        trial = E * (eps - ep)
        f = abs(trial) - (sy + hardening * alpha)
        if f <= 0:
            sig = trial
        else:
            dg = f / (E + hardening)
            sig = trial - dg * E * np.sign(trial)
            ep += dg * np.sign(trial)
            alpha += dg
        out.append((eps, sig))
    return np.array([s for _, s in out])


def newmark(k, c):
    """Response of a frame to a shake, average acceleration."""
    ag = np.sin(np.linspace(0, 6, 12)) * np.exp(-np.linspace(0, 2, 12))
    dt, beta, gamma = 0.1, 0.25, 0.5
    u = np.zeros(12)
    v, a = 0.0, -ag[0]
    kh = k + gamma / (beta * dt) * c + 1 / (beta * dt**2)
    for i in range(11):
        dp = (
            -(ag[i + 1] - ag[i])
            + (1 / (beta * dt) + gamma / beta * c) * v
            + (1 / (2 * beta) + dt * c * (gamma / (2 * beta) - 1)) * a
        )
        du = dp / kh
        dv = gamma / (beta * dt) * du - gamma / beta * v + dt * (1 - gamma / (2 * beta)) * a
        da = du / (beta * dt**2) - v / (beta * dt) - a / (2 * beta)
        u[i + 1] = u[i] + du
        v += dv
        a += da
    return np.abs(u).max(), u[::4]


# ---- power, control, fluids


def power_flow(load):
    """Newton-Raphson of three buses, with the Jacobian by hand."""
    Y = np.array(
        [[10 - 30j, -5 + 15j, -5 + 15j], [-5 + 15j, 9 - 27j, -4 + 12j], [-5 + 15j, -4 + 12j, 9 - 27j]]
    )
    P = np.array([0.0, -load[0], -load[1]])
    Q = np.array([0.0, -load[2], -load[3]])
    theta, V = np.zeros(3), np.ones(3)
    for _it in range(20):
        vc = V * np.exp(1j * theta)
        S = vc * np.conj(Y @ vc)
        mismatch = np.concatenate([(P - S.real)[1:], (Q - S.imag)[1:]])
        if np.max(np.abs(mismatch)) < 1e-12:
            break
        dS_dth = 1j * np.diag(vc) @ np.conj(np.diag(Y @ vc) - Y @ np.diag(vc))
        dS_dV = np.diag(vc) @ np.conj(Y @ np.diag(vc / V)) + np.conj(np.diag(Y @ vc)) @ np.diag(vc / V)
        J = np.block([[dS_dth.real[1:, 1:], dS_dV.real[1:, 1:]], [dS_dth.imag[1:, 1:], dS_dV.imag[1:, 1:]]])
        dx = np.linalg.solve(J, mismatch)
        theta[1:] += dx[:2]
        V[1:] += dx[2:]
    return np.r_[theta[1:], V[1:]]


def lqr(q, r):
    A = np.array([[0, 1.0, 0], [0, -0.1, 1.0], [0, 0, -2.0]])
    B = np.array([[0.0], [0.0], [1.0]])
    X = linalg.solve_continuous_are(A, B, np.diag(q), np.atleast_2d(r))
    K = np.linalg.solve(np.atleast_2d(r), B.T @ X)
    return K.ravel(), np.sort(np.linalg.eigvals(A - B @ K).real)


def riccati_iteration(q, r):
    A, B = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.005], [0.1]])
    P = np.diag(q)
    while True:
        K = linalg.inv(r + B.T @ P @ B) @ (B.T @ P @ A)
        new = np.diag(q) + A.T @ P @ (A - B @ K)
        if np.linalg.norm(new - P) < 1e-12 * np.linalg.norm(P):
            return K
        P = new


def gramian(a):
    A = -np.diag(a) + 0.1 * np.ones((3, 3))
    B = np.ones((3, 1))
    W = linalg.solve_continuous_lyapunov(A, -B @ B.T)
    Wd = linalg.solve_discrete_lyapunov(A / 5, B @ B.T)
    return np.trace(W), np.linalg.cond(Wd), np.sqrt(np.linalg.eigvals(W @ Wd)).real.sum()


def bode(wn, zeta):
    w = np.logspace(-1, 1, 5)
    sys = signal.TransferFunction([wn**2], [1, 2 * zeta * wn, wn**2])
    w, mag, phase = signal.bode(sys, w)
    return np.concatenate([mag, phase])


def step_response(wn, zeta):
    _t, y = signal.step(([wn**2], [1, 2 * zeta * wn, wn**2]), T=np.linspace(0, 3, 7))
    return y


def simulate_state_space(k, x0):
    A, B, C, D = np.array([[0, 1], [-1, -0.5]]) * k, np.array([[0], [1.0]]), np.eye(2), np.zeros((2, 1))
    Ad, Bd, _Cd, _Dd, _dt = signal.cont2discrete((A, B, C, D), 0.1, method="zoh")
    x = x0
    for i in range(10):
        x = Ad @ x + Bd[:, 0] * math.sin(0.3 * i)
    return x


def rlc(r, c):
    f = np.linspace(0.1, 2, 6)
    s = 2j * np.pi * f
    z = r + s * 0.3 + 1 / (s * c)
    h = 1 / (s * c) / z
    return 20 * np.log10(np.abs(h)), np.unwrap(np.angle(h))


def bridge(r):
    """Currents by nodal analysis."""
    g = 1 / r
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    A = np.zeros((5, 4))
    for row, (i, j) in enumerate(edges):
        A[row, i], A[row, j] = 1, -1
    G = A.T @ np.diag(g) @ A
    v = np.zeros(4)
    v[:3] = np.linalg.solve(G[:3, :3], [1.0, 0, 0])
    return g * (A @ v)


def hardy_cross(q):
    """Flows in a loop of pipes."""
    k = np.array([1.2, 0.8, 2.0])
    q = q.copy()
    for _ in range(30):
        h = k * q * np.abs(q) ** 0.852
        dq = -h.sum() / (1.852 * np.sum(k * np.abs(q) ** 0.852))
        q += dq
        if abs(dq) < 1e-14:
            break
    return q


def mach_from_area(ratio, gamma):
    f = lambda m: (
        ((2 / (gamma + 1)) * (1 + (gamma - 1) / 2 * m**2)) ** ((gamma + 1) / (2 * (gamma - 1))) / m - ratio
    )
    sub = optimize.brentq(f, 0.01, 1, xtol=1e-14)
    sup = optimize.brentq(f, 1, 10, xtol=1e-14)
    return {"sub": sub, "sup": sup, "p": (1 + (gamma - 1) / 2 * sup**2) ** (-gamma / (gamma - 1))}


def riemann(p_left, rho_left):
    """Pressure between two states of a shock tube."""
    g, p_r, rho_r = 1.4, 0.1, 0.125
    a_l, a_r = np.sqrt(g * p_left / rho_left), np.sqrt(g * p_r / rho_r)

    def side(p, pk, rhok, ak):
        if p > pk:
            return (p - pk) * np.sqrt(2 / ((g + 1) * rhok) / (p + (g - 1) / (g + 1) * pk))
        return 2 * ak / (g - 1) * ((p / pk) ** ((g - 1) / (2 * g)) - 1)

    p = optimize.root_scalar(
        lambda p: side(p, p_left, rho_left, a_l) + side(p, p_r, rho_r, a_r), bracket=(1e-6, 10), xtol=1e-14
    ).root
    u = 0.5 * (side(p, p_r, rho_r, a_r) - side(p, p_left, rho_left, a_l))
    return p, u


def godunov(u0):
    """Burgers' equation with a limiter."""
    u = u0.copy()

    def minmod(a, b):
        return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0)

    for _ in range(4):
        ue = np.pad(u, 2, mode="wrap")
        s = minmod(ue[1:-1] - ue[:-2], ue[2:] - ue[1:-1])
        left, right = ue[1:-2] + 0.5 * s[:-1], ue[2:-1] - 0.5 * s[1:]
        flux = np.maximum(np.maximum(left, 0) ** 2, np.minimum(right, 0) ** 2) / 2
        u -= 0.2 * np.diff(flux)
    return u


def poisson_fft(f):
    n = f.shape[0]
    k = np.fft.fftfreq(n, 1 / n)
    kx, ky = np.meshgrid(k, k, indexing="ij")
    k2 = kx**2 + ky**2
    k2[0, 0] = 1.0
    fh = np.fft.fft2(f)
    fh /= -k2
    fh[0, 0] = 0
    return np.real(np.fft.ifft2(fh))


def multigrid(f):
    """A V-cycle, recursive."""

    def smooth(u, f, h, n):
        for _ in range(n):
            u[1:-1] = 0.5 * (u[:-2] + u[2:] + h**2 * f[1:-1])
        return u

    def vcycle(u, f, h):
        if len(u) <= 3:
            u[1] = 0.5 * h**2 * f[1]
            return u
        u = smooth(u, f, h, 2)
        r = np.zeros_like(u)
        r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
        coarse = vcycle(np.zeros((len(u) + 1) // 2), r[::2], 2 * h)
        u += np.interp(np.arange(len(u)), np.arange(0, len(u), 2), coarse)
        return smooth(u, f, h, 2)

    return vcycle(np.zeros_like(f), f, 1 / (len(f) - 1))


def chebyshev_bvp(eps):
    n = 8
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.hstack([2, np.ones(n - 1), 2]) * (-1) ** np.arange(n + 1)
    X = np.tile(x, (n + 1, 1)).T
    D = np.outer(c, 1 / c) / (X - X.T + np.eye(n + 1))
    D -= np.diag(D.sum(axis=1))
    A = eps * (D @ D) + D
    A[0], A[-1] = np.eye(n + 1)[0], np.eye(n + 1)[-1]
    b = np.ones(n + 1)
    b[[0, -1]] = 0
    return np.linalg.solve(A, b)


class Pid:
    def __init__(self, kp, ki, kd, limit=2.0):
        self.kp, self.ki, self.kd, self.limit = kp, ki, kd, limit
        self.integral, self.last = 0.0, None

    def __call__(self, error, dt):
        self.integral += error * dt
        d = 0.0 if self.last is None else (error - self.last) / dt
        self.last = error
        u = self.kp * error + self.ki * self.integral + self.kd * d
        if abs(u) > self.limit:
            self.integral -= error * dt
            u = math.copysign(self.limit, u)
        return u


def pid(gains):
    c, x, v = Pid(*gains), 0.0, 0.0
    for _ in range(40):
        u = c(1.0 - x, 0.05)
        v += 0.05 * (u - 0.5 * v - x)
        x += 0.05 * v
    return x


def extended_kalman(q, r):
    """A pendulum observed by its sine."""
    z = [0.5, 0.62, 0.58, 0.3, -0.1]
    x, P = np.array([0.5, 0.3]), np.eye(2) * 0.1
    ll = 0.0
    for zi in z:
        x = np.array([x[0] + 0.1 * x[1], x[1] - 0.98 * np.sin(x[0])])
        F = np.array([[1, 0.1], [-0.98 * np.cos(x[0]), 1]])
        P = F @ P @ F.T + q * np.eye(2)
        H = np.array([[np.cos(x[0]), 0]])
        S = (H @ P @ H.T + r).item()
        K = P @ H.T / S
        y = zi - np.sin(x[0])
        x = x + K[:, 0] * y
        P = (np.eye(2) - K @ H) @ P
        ll -= 0.5 * (np.log(2 * np.pi * S) + y**2 / S)
    return ll


def unscented(P0):
    n, kappa = 2, 1.0
    m = np.array([1.0, 0.5])
    P = np.array([[P0[0], P0[1]], [P0[1], P0[2]]])
    L = linalg.cholesky((n + kappa) * P, lower=True)
    sigma = np.vstack([m, *(m + L[:, i] for i in range(n)), *(m - L[:, i] for i in range(n))])
    w = np.full(2 * n + 1, 0.5 / (n + kappa))
    w[0] = kappa / (n + kappa)
    y = np.array([[s[0] * np.cos(s[1]), s[0] * np.sin(s[1])] for s in sigma])
    mean = w @ y
    cov = sum(wi * np.outer(d, d) for wi, d in zip(w, y - mean, strict=False))
    return mean, cov


# ---- signals


def stft_features(x):
    """Spectral centroid, spread, flatness, rolloff of frames."""
    frames = sliding_window_view(x, 8)[::4] * np.hanning(8)
    S = np.abs(np.fft.rfft(frames, axis=1)) + 1e-9
    f = np.fft.rfftfreq(8)
    centroid = (S * f).sum(1) / S.sum(1)
    spread = np.sqrt((S * (f - centroid[:, None]) ** 2).sum(1) / S.sum(1))
    flatness = np.exp(np.log(S).mean(1)) / S.mean(1)
    return np.stack([centroid, spread, flatness])


def mel_cepstrum(x):
    S = np.abs(np.fft.rfft(x * np.hamming(len(x)), 32)) ** 2
    mel = lambda f: 2595 * np.log10(1 + f / 700)
    edges = np.linspace(mel(0), mel(4000), 6)
    hz = 700 * (10 ** (edges / 2595) - 1)
    bins = np.floor(33 * hz / 8000).astype(int)
    bank = np.zeros((4, 17))
    for m in range(1, 5):
        for k in range(bins[m - 1], bins[m]):
            bank[m - 1, k] = (k - bins[m - 1]) / (bins[m] - bins[m - 1])
        for k in range(bins[m], bins[m + 1]):
            bank[m - 1, k] = (bins[m + 1] - k) / (bins[m + 1] - bins[m])
    e = np.where(bank @ S == 0, np.finfo(float).eps, bank @ S)
    return fft.dct(np.log(e), type=2, norm="ortho")[1:]


def frames_by_strides(x):
    n, hop = 6, 3
    count = 1 + (len(x) - n) // hop
    f = as_strided(x, shape=(count, n), strides=(x.strides[0] * hop, x.strides[0]))
    return (f * np.blackman(n)).sum(axis=1)


def butterworth(x, fc):
    b, a = signal.butter(3, fc)
    return signal.filtfilt(b, a, x, padlen=5)


def chebyshev_response(fc, ripple):
    b, a = signal.cheby1(3, ripple, fc)
    _w, h = signal.freqz(b, a, worN=4)
    return np.abs(h)


def fir_design(fc):
    taps = signal.firwin(9, fc, window="hamming")
    return np.abs(np.fft.rfft(taps, 16))


def lpc(x):
    """Linear prediction by autocorrelation and Toeplitz."""
    x = x - x.mean()
    r = np.correlate(x, x, mode="full")[len(x) - 1 :]
    a = linalg.solve_toeplitz(r[:3], r[1:4])
    return np.concatenate([[1], -a])


def lms(x, mu):
    w = np.zeros(3)
    history = deque([0.0] * 3, maxlen=3)
    err = []
    for _n, v in enumerate(x):
        e = v - w @ np.array(history)
        w += mu * e * np.array(history)
        history.appendleft(v)
        err.append(e)
    return np.array(err[-3:]), w


def wavelet(x):
    """Haar, in place, three levels, soft thresholds."""
    c = x.copy()
    n = len(c)
    while n > 1:
        half = n // 2
        even, odd = c[:n:2].copy(), c[1:n:2].copy()
        c[:half] = (even + odd) / np.sqrt(2)
        c[half:n] = (even - odd) / np.sqrt(2)
        n = half
    c[1:] = np.sign(c[1:]) * np.maximum(np.abs(c[1:]) - 0.1, 0)
    return c


def zero_crossing_time(x):
    t = np.arange(len(x)) * 0.1
    s = np.signbit(x)
    i = np.nonzero(s[1:] != s[:-1])[0]
    return np.mean(t[i] - x[i] * (t[i + 1] - t[i]) / (x[i + 1] - x[i]))


def peaks(x):
    i, props = signal.find_peaks(x, prominence=0.1)
    left, mid, right = x[i - 1], x[i], x[i + 1]
    shift = 0.5 * (left - right) / (left - 2 * mid + right)
    return (mid - 0.25 * (left - right) * shift).sum() + props["prominences"].sum()


def doppler(x, f):
    """Demodulation, decimation, phase."""
    n = np.arange(len(x))
    iq = x * np.exp(-2j * np.pi * f * n)
    iq = np.convolve(iq, np.ones(4) / 4, mode="valid")[::2]
    return np.angle(iq[1:] * iq[:-1].conj())


def coherence(x):
    y = np.roll(x, 2) + 0.1 * x**2
    _f, c = signal.csd(x, y, nperseg=8)
    return np.abs(c)


def chirp_z(x, w):
    n = len(x)
    k = np.arange(n)
    chirp = np.exp(-1j * w * k**2 / 2)
    return np.abs(np.array([np.sum(x * np.exp(-1j * w * k * m)) for m in range(4)])), np.abs(
        np.sum(x * chirp)
    )


def resampled(x):
    return signal.resample_poly(x, 3, 2), signal.decimate(np.tile(x, 3), 2, ftype="fir", n=6)


def kaiser_beta(a, width):
    _n, _beta = signal.kaiserord(40, 0.3)
    return np.kaiser(9, a) * width


# ---- images


def optical_flow(x):
    """Lucas and Kanade at one point."""
    a = x.reshape(2, 5, 5)
    ix = (a[0, 1:-1, 2:] - a[0, 1:-1, :-2]) / 2
    iy = (a[0, 2:, 1:-1] - a[0, :-2, 1:-1]) / 2
    it = (a[1] - a[0])[1:-1, 1:-1]
    A = np.stack([ix.ravel(), iy.ravel()], axis=1)
    v, *_ = np.linalg.lstsq(A, -it.ravel(), rcond=None)
    return v


def hough(img):
    """Sums along lines by rotation and interpolation."""
    out = []
    for angle in (0, 30, 60):
        rot = ndimage.rotate(img, angle, reshape=False, order=1)
        out.append(rot.sum(axis=0))
    return np.array(out)


def harris(img):
    gx, gy = ndimage.sobel(img, axis=1), ndimage.sobel(img, axis=0)
    xx, xy, yy = (ndimage.gaussian_filter(v, 1.0) for v in (gx * gx, gx * gy, gy * gy))
    return xx * yy - xy**2 - 0.05 * (xx + yy) ** 2


def warp(img, p):
    rows, cols = np.indices(img.shape, dtype=float)
    r = p[0] + (1 + p[1]) * rows + p[2] * cols
    c = p[3] + (1 - p[1]) * cols - p[2] * rows
    return ndimage.map_coordinates(img, [r, c], order=1, mode="nearest")


def im2col_conv(img, k):
    """Convolution by strides, max pooling, dense."""
    s = img.strides
    v = np.lib.stride_tricks.as_strided(img, (3, 3, 3, 3), s + s)
    y = np.tensordot(v, k, axes=((2, 3), (0, 1)))
    y = np.maximum(y, 0.01 * y)
    return y


def nonlocal_means(img, h):
    p = np.pad(img, 1, mode="reflect")
    w = sliding_window_view(p, (3, 3)).reshape(25, 9)
    d = ((w[:, None] - w[None]) ** 2).sum(-1)
    k = np.exp(-d / h**2)
    return (k @ img.ravel() / k.sum(1)).reshape(img.shape)


def integral_image(img):
    s = np.pad(img, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    return s[3:, 3:] - s[:-3, 3:] - s[3:, :-3] + s[:-3, :-3]


def otsu_between(img, t):
    w = special.expit((img - t) / 0.05)
    m1, m0 = (w * img).sum() / w.sum(), ((1 - w) * img).sum() / (1 - w).sum()
    return w.mean() * (1 - w.mean()) * (m1 - m0) ** 2


def demosaic(img):
    out = np.zeros((*img.shape, 3))
    out[::2, ::2, 0] = img[::2, ::2]
    out[::2, 1::2, 1] = img[::2, 1::2]
    out[1::2, ::2, 1] = img[1::2, ::2]
    out[1::2, 1::2, 2] = img[1::2, 1::2]
    k = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 4
    for c in range(3):
        out[..., c] = signal.convolve2d(out[..., c], k, mode="same", boundary="symm")
    return out.reshape(-1, 3).mean(0)


def moments(img):
    y, x = np.mgrid[: img.shape[0], : img.shape[1]]
    m = img.sum()
    cx, cy = (x * img).sum() / m, (y * img).sum() / m
    mu = {
        (p, q): ((x - cx) ** p * (y - cy) ** q * img).sum() for p in range(3) for q in range(3) if p + q <= 2
    }
    theta = 0.5 * np.arctan2(2 * mu[1, 1], mu[2, 0] - mu[0, 2])
    return cx, cy, theta


# ---- graphics


class Quaternion(NamedTuple):
    w: float
    x: float
    y: float
    z: float

    def __mul__(self, o):
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def conj(self):
        return self._replace(x=-self.x, y=-self.y, z=-self.z)

    @classmethod
    def about(cls, axis, angle):
        s = math.sin(angle / 2)
        return cls(math.cos(angle / 2), *(s * a for a in axis))


def quaternion_rotation(v, angle):
    q = Quaternion.about([0.6, 0.0, 0.8], angle)
    r = q * Quaternion(0.0, *v) * q.conj()
    return np.array(r[1:])


def slerp(p, q, t):
    p, q = p / np.linalg.norm(p), q / np.linalg.norm(q)
    d = np.dot(p, q)
    if d < 0:
        q, d = -q, -d
    if d > 0.9995:
        r = p + t * (q - p)
        return r / np.linalg.norm(r)
    th = np.arccos(d)
    return (np.sin((1 - t) * th) * p + np.sin(t * th) * q) / np.sin(th)


def project(points, pose):
    """A pinhole camera with distortion."""
    R = spatial.transform.Rotation.from_rotvec(pose[:3])
    p = R.apply(points) + pose[3:]
    x, y = p[:, 0] / p[:, 2], p[:, 1] / p[:, 2]
    r2 = x**2 + y**2
    d = 1 + 0.1 * r2 - 0.02 * r2**2
    return np.column_stack([500 * x * d + 320, 500 * y * d + 240])


def look_at(eye):
    f = -eye / np.linalg.norm(eye)
    s = np.cross(f, [0, 1, 0])
    s /= np.linalg.norm(s)
    u = np.cross(s, f)
    M = np.eye(4)
    M[0, :3], M[1, :3], M[2, :3] = s, u, -f
    M[:3, 3] = -M[:3, :3] @ eye
    clip = (
        np.array([[1.2, 0, 0, 0], [0, 1.5, 0, 0], [0, 0, -1.02, -0.2], [0, 0, -1, 0]])
        @ M
        @ np.array([0.3, 0.2, 0.1, 1])
    )
    return clip[:3] / clip[3]


def bezier(P, t):
    n = len(P) - 1
    return sum(math.comb(n, i) * (1 - t) ** (n - i) * t**i * P[i] for i in range(n + 1))


def bezier_length(P):
    def speed(t):
        d = 3 * ((1 - t) ** 2 * (P[1] - P[0]) + 2 * t * (1 - t) * (P[2] - P[1]) + t**2 * (P[3] - P[2]))
        return np.sqrt(d @ d)

    return integrate.quad(speed, 0, 1)[0]


def catmull_rom(P):
    out = []
    for p0, p1, p2, p3 in zip(P, P[1:], P[2:], P[3:], strict=False):
        for t in np.linspace(0, 1, 3, endpoint=False):
            out.append(
                0.5
                * (
                    2 * p1
                    + (p2 - p0) * t
                    + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2
                    + (3 * p1 - p0 - 3 * p2 + p3) * t**3
                )
            )
    return np.array(out)


def ray_march(light):
    """The distance to a union of balls, sphere tracing."""

    def sdf(p):
        return min(
            np.linalg.norm(p - np.array([0, 0, 3.0])) - 1.0,
            np.linalg.norm(p - np.array([1.0, 0.4, 2.5])) - 0.5,
        )

    p, d = np.zeros(3), np.array([0.1, 0.05, 1.0])
    d = d / np.linalg.norm(d)
    d = d + 0.01 * light
    t = 0.0
    for _ in range(100):
        h = sdf(p + t * d)
        t += h
        if h < 1e-12 or t > 20:
            break
    return t


def phong(n, shininess):
    n = n / np.sqrt(n.dot(n))
    l, v = np.array([0.577, 0.577, 0.577]), np.array([0.0, 0.0, 1.0])
    r = 2 * n.dot(l) * n - l
    diffuse, spec = max(n.dot(l), 0.0), max(r.dot(v), 0.0) ** shininess
    return np.clip(0.1 + 0.7 * diffuse + 0.4 * spec, 0, 1)


def barycentric(tri, p):
    a, b, c = tri
    v0, v1, v2 = b - a, c - a, p - a
    d00, d01, d11, d20, d21 = v0 @ v0, v0 @ v1, v1 @ v1, v2 @ v0, v2 @ v1
    den = d00 * d11 - d01 * d01
    v, w = (d11 * d20 - d01 * d21) / den, (d00 * d21 - d01 * d20) / den
    return 1 - v - w, v, w


def mesh_normals(V):
    F = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    n = np.cross(V[F[:, 1]] - V[F[:, 0]], V[F[:, 2]] - V[F[:, 0]])
    out = np.zeros_like(V)
    for i in range(3):
        np.add.at(out, F[:, i], n)
    out /= np.linalg.norm(out, axis=1)[:, None]
    return out, np.sum(V[F[:, 0]] * n) / 6


def forward_kinematics(q, lengths):
    T, tips = np.eye(3), []
    for qi, li in zip(q, lengths, strict=False):
        c, s = np.cos(qi), np.sin(qi)
        T = T.dot([[c, -s, li * c], [s, c, li * s], [0, 0, 1]])
        tips.append(T[:2, 2])
    return np.array(tips)


def inverse_kinematics(target):
    q = np.array([0.3, 0.5, 0.4])
    L = np.array([1.0, 0.8, 0.5])
    for _ in range(60):
        a = np.cumsum(q)
        pos = np.array([np.sum(L * np.cos(a)), np.sum(L * np.sin(a))])
        J = np.array(
            [
                [-np.sum((L * np.sin(a))[i:]) for i in range(3)],
                [np.sum((L * np.cos(a))[i:]) for i in range(3)],
            ]
        )
        dq = np.linalg.pinv(J) @ (target - pos)
        q = q + dq
        if np.linalg.norm(dq) < 1e-13:
            break
    return q


# ---- learning


def conv_loops(x, w):
    """A layer as in a first course: four loops."""
    H, W = x.shape
    kh, kw = w.shape
    out = np.zeros((H - kh + 1, W - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(x[i : i + kh, j : j + kw] * w)
    pooled = np.zeros((out.shape[0] // 2, out.shape[1] // 2))
    for i in range(pooled.shape[0]):
        for j in range(pooled.shape[1]):
            pooled[i, j] = np.max(out[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    return pooled


def multi_head(x, w):
    T, d, heads = 4, 4, 2
    q, k, v = np.split(x @ w, 3, axis=-1)
    q, k, v = (z.reshape(T, heads, d // heads).transpose(1, 0, 2) for z in (q, k, v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // heads)
    mask = np.triu(np.ones((T, T), dtype=bool), k=1)
    s[:, mask] = -np.inf
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    return (a @ v).transpose(1, 0, 2).reshape(T, d)


class BatchNorm:
    def __init__(self, n):
        self.running = np.zeros(n)

    def forward(self, x, training=True):
        if training:
            mu, var = x.mean(axis=0), x.var(axis=0)
            self.running = 0.9 * self.running + 0.1 * mu
        else:
            mu, var = self.running, np.ones(x.shape[1])
        return (x - mu) / np.sqrt(var + 1e-5)


def batch_norm(x):
    layer = BatchNorm(x.shape[1])
    y = layer.forward(x)
    return y**3 + layer.forward(x, training=False)


def adam(x):
    """Ten steps of Adam on a loss with a gradient by hand."""
    w, m, v = np.zeros(2), np.zeros(2), np.zeros(2)
    A = x.reshape(-1, 2)
    b = np.sin(np.arange(len(A)))
    for t in range(1, 11):
        g = 2 * A.T @ (A @ w - b) / len(A)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        w -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w


def soft_kmeans(x):
    c = x[:2].copy()
    for _ in range(5):
        d = spatial.distance.cdist(x, c, "sqeuclidean")
        r = special.softmax(-d / 0.5, axis=1)
        c = (r.T @ x) / r.sum(axis=0)[:, None]
    return c


def lstm(x, w):
    h = c = np.zeros(2)
    W, U = w[:, :1], w[:, 1:]
    for xt in x:
        z = W[:, 0] * xt + U @ h
        i, f, o, g = np.split(z, 4)
        c = special.expit(f + 1) * c + special.expit(i) * np.tanh(g)
        h = special.expit(o) * np.tanh(c)
    return h


def rbf_svm(x, gamma):
    sv = np.array([[0.1, 0.4], [1.0, 0.2], [0.6, 0.9]])
    alpha = np.array([0.4, -0.9, 0.5])
    f = sum(a * np.exp(-gamma * np.linalg.norm(x - s) ** 2) for a, s in zip(alpha, sv, strict=False))
    return np.maximum(0, 1 - f) + np.log1p(np.exp(-f))


def focal(logits):
    target = np.array([0, 2, 1])
    logp = logits - special.logsumexp(logits, axis=1, keepdims=True)
    lp = logp[np.arange(3), target]
    return -((1 - np.exp(lp)) ** 2 * lp).mean()


def ctc(logits):
    """Log likelihood of a label sequence, dynamic programming in the logarithm."""
    logp = special.log_softmax(logits, axis=1)
    labels = [0, 1, 0, 2, 0]
    T, S = logp.shape[0], len(labels)
    alpha = np.full((T, S), -np.inf)
    alpha[0, 0], alpha[0, 1] = logp[0, labels[0]], logp[0, labels[1]]
    for t in range(1, T):
        for s in range(S):
            terms = [alpha[t - 1, s]]
            if s > 0:
                terms.append(alpha[t - 1, s - 1])
            if s > 1 and labels[s] != 0 and labels[s] != labels[s - 2]:
                terms.append(alpha[t - 1, s - 2])
            alpha[t, s] = np.logaddexp.reduce(terms) + logp[t, labels[s]]
    return np.logaddexp(alpha[-1, -1], alpha[-1, -2])


def decision_stump(x, y):
    """The split with the least squares, found by search."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    best, where = np.inf, None
    for i in range(1, len(x)):
        left, right = y[:i], y[i:]
        cost = ((left - left.mean()) ** 2).sum() + ((right - right.mean()) ** 2).sum()
        if cost < best:
            best, where = cost, 0.5 * (x[i - 1] + x[i])
    return SimpleNamespace(cost=best, where=where).cost + where


def tsne_loss(y):
    P = np.exp(
        -(spatial.distance.squareform(spatial.distance.pdist(np.arange(8.0).reshape(4, 2) ** 0.5)) ** 2)
    )
    np.fill_diagonal(P, 0)
    P = P / P.sum()
    sq = np.sum(np.square(y), 1)
    num = 1 / (1 + np.add(np.add(-2 * y @ y.T, sq).T, sq))
    num[range(4), range(4)] = 0.0
    Q = np.maximum(num / num.sum(), 1e-12)
    return np.sum(np.where(P > 0, P * np.log(np.maximum(P, 1e-12) / Q), 0))


def embedding_bag(table):
    ids, offsets = np.array([0, 2, 2, 1, 3]), np.array([0, 2, 3])
    return np.add.reduceat(table[ids], offsets, axis=0) / np.diff(np.append(offsets, len(ids)))[:, None]


def positional(x, base):
    d = x.shape[-1]
    pos = np.arange(x.shape[0])[:, None]
    freq = base ** (-np.arange(0, d, 2) / d)
    pe = np.empty_like(x)
    pe[:, 0::2] = np.sin(pos * freq)
    pe[:, 1::2] = np.cos(pos * freq)
    return x + pe


def message_passing(x):
    src, dst = np.array([0, 1, 2, 2, 3]), np.array([1, 2, 0, 3, 0])
    m = np.tanh(x[src]) * 0.5
    agg = np.zeros_like(x)
    np.add.at(agg, dst, m)
    deg = np.bincount(dst, minlength=len(x)).astype(float)
    top = np.full_like(x, -10.0)
    np.maximum.at(top, dst, m)
    return agg / np.maximum(deg, 1)[:, None] + np.where(top > -9, top, 0)


def page_rank(w):
    n = 4
    M = w.reshape(n, n)
    M = M / M.sum(axis=0)
    r = np.ones(n) / n
    for _ in range(200):
        new = 0.15 / n + 0.85 * M @ r
        if np.abs(new - r).sum() < 1e-14:
            break
        r = new
    return r


S = np.array([0.3, 1.1, 0.7, -0.4, -1.2, -0.6, 0.5, 1.4, 0.9, 0.1, -0.8, -1.1, -0.2, 0.8, 1.2, 0.4])
I5 = np.sin(np.arange(25.0).reshape(5, 5) * 1.3) * 0.4 + 0.5
T4 = np.cos(np.arange(16.0).reshape(4, 4) * 0.9) + 0.3

add(beam, 3.0, 0.7)
add(truss, [1.0, 1.2, 0.8, 0.9, 1.1, 0.7, 1.3], 0.8)
add(triangle_fem, [1.0, 2.0, 0.5])
add(buckling, 1.0, 0.6)
add(mohr, [80.0, -20.0, 30.0])
add(tensor_invariants, [[1.1, 0.2, 0.0], [0.1, 0.9, 0.3], [0.05, 0.0, 1.2]])
add(return_mapping, 0.004, 20.0)
add(newmark, 4.0, 0.3)
add(power_flow, [0.6, 0.8, 0.2, 0.3])
add(lqr, [1.0, 2.0, 0.5], 0.3)
add(riccati_iteration, [1.0, 0.5], 0.2)
add(gramian, [1.0, 2.0, 3.0])
add(bode, 2.0, 0.3)
add(step_response, 2.0, 0.3)
add(simulate_state_space, 1.2, [0.3, -0.2])
add(rlc, 0.8, 0.5)
add(bridge, [1.0, 2.0, 3.0, 0.5, 1.5])
add(hardy_cross, [1.0, -0.4, 0.3])
add(mach_from_area, 1.7, 1.4)
add(riemann, 1.0, 1.0)
add(godunov, S[:8])
add(poisson_fft, T4)
add(multigrid, S[:9])
add(chebyshev_bvp, 0.3)
add(pid, [2.0, 0.8, 0.3])
add(extended_kalman, 0.02, 0.05)
add(unscented, [0.2, 0.05, 0.3])
add(stft_features, S)
add(mel_cepstrum, S)
add(frames_by_strides, S)
add(butterworth, S, 0.3)
add(chebyshev_response, 0.3, 1.0)
add(fir_design, 0.3)
add(lpc, S)
add(lms, S[:8], 0.1)
add(wavelet, S[:8])
add(zero_crossing_time, S)
add(peaks, S)
add(doppler, S, 0.13)
add(coherence, S)
add(chirp_z, S[:6], 0.3)
add(resampled, S[:8])
add(kaiser_beta, 3.0, 0.7)
add(optical_flow, np.sin(np.arange(50.0) * 0.7))
add(hough, I5)
add(harris, I5)
add(warp, I5, [0.3, 0.04, 0.02, 0.4])
add(im2col_conv, I5, T4[:3, :3])
add(nonlocal_means, I5, 0.8)
add(integral_image, I5)
add(otsu_between, I5, 0.45)
add(demosaic, T4)
add(moments, I5)
add(quaternion_rotation, [0.3, 1.0, -0.4], 0.7)
add(slerp, [1.0, 0.2, 0.1, 0.0], [0.3, 0.8, -0.2, 0.4], 0.3)
add(project, [[0.1, 0.2, 0.5], [-0.3, 0.4, 0.8]], [0.1, 0.2, -0.1, 0.3, 0.1, 3.0])
add(look_at, [2.0, 1.0, 3.0])
add(bezier, [[0.0, 0.1], [1.0, 2.0], [2.0, 0.4], [3.0, 1.0]], 0.3)
add(bezier_length, [[0.0, 0.1], [1.0, 2.0], [2.0, 0.4], [3.0, 1.0]])
add(catmull_rom, [[0.0, 0.1], [1.0, 2.0], [2.0, 0.4], [3.0, 1.0], [3.5, 2.0]])
add(ray_march, [0.4, 0.2, 0.1])
add(phong, [0.3, 0.4, 0.8], 5.0)
add(barycentric, [[0.0, 0.1], [1.0, 0.2], [0.3, 1.0]], [0.4, 0.4])
add(mesh_normals, [[0.0, 0.1, 0.0], [1.0, 0.0, 0.1], [0.1, 1.0, 0.0], [0.2, 0.3, 1.0]])
add(forward_kinematics, [0.3, 0.5, -0.4], [1.0, 0.8, 0.5])
add(inverse_kinematics, [1.2, 1.1])
add(conv_loops, I5, T4[:2, :2])
add(multi_head, T4, np.sin(np.arange(48.0).reshape(4, 12)))
add(batch_norm, T4)
add(adam, S[:8])
add(soft_kmeans, S.reshape(8, 2))
add(lstm, S[:5], np.sin(np.arange(24.0).reshape(8, 3)))
add(rbf_svm, [0.4, 0.6], 1.3)
add(focal, T4[:3, :3])
add(ctc, T4[:, :3])
add(decision_stump, S[:6], S[6:12])
add(tsne_loss, T4[:, :2])
add(embedding_bag, T4)
add(positional, T4, 10.0)
add(message_passing, T4[:, :2])
add(page_rank, S**2 + 0.3)

ROWS = list(add)
