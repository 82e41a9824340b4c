"""Physics, chemistry, biology and geodesy, as people write it."""

import functools
import itertools
import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from scipy import constants, integrate, interpolate, linalg, optimize, special
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq, newton

from tests.tracing.corpus.row import Rows

add = Rows("nature")

# ---- light


def ray_transfer(f1, f2, d):
    """ABCD matrices of two thin lenses."""
    lens = lambda f: np.array([[1, 0], [-1 / f, 1]])
    space = lambda s: np.array([[1, s], [0, 1]])
    system = functools.reduce(np.matmul, [lens(f2), space(d), lens(f1)])
    return np.array([-1 / system[1, 0], system[0, 0], np.linalg.det(system)])


@dataclass
class Surface:
    z: float
    radius: float
    n: float


def trace_rays(r1, r2, n):
    """Skew rays through a lens of two spheres."""
    surfaces = [Surface(0.0, r1, n), Surface(0.4, -r2, 1.0)]
    heights = np.linspace(0.05, 0.5, 5)
    p = np.stack([heights, np.zeros(5), np.full(5, -1.0)], axis=1)
    d = np.tile([0.0, 0.05, 1.0], (5, 1))
    d = d / np.linalg.norm(d, axis=1, keepdims=True)
    n_now = 1.0
    for s in surfaces:
        center = np.array([0, 0, s.z + s.radius])
        oc = p - center
        b = np.einsum("ij,ij->i", oc, d)
        c = np.einsum("ij,ij->i", oc, oc) - s.radius**2
        root = np.sqrt(b**2 - c)
        t = -b - root if s.radius > 0 else -b + root
        p = p + t[:, None] * d
        normal = (p - center) / s.radius
        mu = n_now / s.n
        cos_i = -np.sum(normal * d, axis=1)
        sign = np.sign(cos_i)
        cos_i = np.abs(cos_i)
        cos_t = np.sqrt(1 - mu**2 * (1 - cos_i**2))
        d = mu * d + (mu * cos_i - cos_t)[:, None] * normal * sign[:, None]
        n_now = s.n
    return p[:, 0] - d[:, 0] / d[:, 2] * (p[:, 2] - 3.0)


def transfer_matrix(n, d, wavelength):
    """Reflectance of a stack of layers."""
    m = np.eye(2, dtype=complex)
    for n_j, d_j in zip(n[1:-1], d, strict=False):
        delta = 2 * np.pi * n_j * d_j / wavelength
        m = m @ np.array(
            [[np.cos(delta), 1j * np.sin(delta) / n_j], [1j * n_j * np.sin(delta), np.cos(delta)]]
        )
    b, c = m @ np.array([1.0, n[-1]])
    r = (n[0] * b - c) / (n[0] * b + c)
    return np.abs(r) ** 2


def jones(theta, delta):
    def rotate(a):
        c, s = np.cos(a), np.sin(a)
        return np.array([[c, s], [-s, c]])

    plate = np.diag([np.exp(-0.5j * delta), np.exp(0.5j * delta)])
    e = rotate(-theta) @ plate @ rotate(theta) @ np.array([1, 0.3j])
    ex, ey = e
    return np.array([
        abs(ex) ** 2 + abs(ey) ** 2,
        abs(ex) ** 2 - abs(ey) ** 2,
        2 * (ex * ey.conjugate()).real,
        -2 * (ex * np.conj(ey)).imag,
    ])  # fmt: skip


def sellmeier(wavelength):
    b = (1.03961212, 0.231792344, 1.01046945)
    c = (6.00069867e-3, 2.00179144e-2, 1.03560653e2)
    n2 = 1 + sum(bi * wavelength**2 / (wavelength**2 - ci) for bi, ci in zip(b, c, strict=False))
    return n2**0.5


def two_stream(tau, w0, g):
    """Radiative transfer: reflectance of a layer by Eddington's approximation."""
    g1 = (7 - w0 * (4 + 3 * g)) / 4
    g2 = -(1 - w0 * (4 - 3 * g)) / 4
    k = np.sqrt(g1**2 - g2**2)
    gamma = g2 / (g1 + k)
    e = np.exp(-2 * k * tau)
    return gamma * (1 - e) / (1 - gamma**2 * e)


def formal_solution(source, kappa):
    """Feautrier's three-term recurrence on a grid, in place."""
    n = len(source)
    tau = np.cumsum(kappa) * 0.3
    dtau = np.diff(tau)
    A = np.zeros(n)
    B = np.ones(n)
    C = np.zeros(n)
    for i in range(1, n - 1):
        mean = 0.5 * (dtau[i - 1] + dtau[i])
        A[i] = 1 / (dtau[i - 1] * mean)
        C[i] = 1 / (dtau[i] * mean)
        B[i] = 1 + A[i] + C[i]
    B[0] = 1 + 1 / dtau[0]
    C[0] = 1 / dtau[0]
    A[-1] = 1 / dtau[-1]
    B[-1] = 1 + 1 / dtau[-1]
    ab = np.vstack([-np.roll(C, 1), B, -np.roll(A, -1)])
    return linalg.solve_banded((1, 1), ab, source)


def curve_of_growth(n, b):
    """Equivalent width of a line: an integral over a Voigt profile by Faddeeva's function."""
    x = np.linspace(-20, 20, 401)
    profile = special.wofz((x + 1j * 0.01) / b).real / (b * np.sqrt(np.pi))
    return np.trapezoid(1 - np.exp(-n * profile), x)


# ---- mechanics and orbits

Elements = namedtuple("Elements", "a e i raan argp nu")


def elements(r, v, mu):
    """Of an orbit, from position and velocity."""
    h = np.cross(r, v)
    n = np.cross([0, 0, 1], h)
    rn = np.linalg.norm(r)
    evec = ((np.dot(v, v) - mu / rn) * r - np.dot(r, v) * v) / mu
    e = np.linalg.norm(evec)
    energy = np.dot(v, v) / 2 - mu / rn
    if abs(e - 1.0) < 1e-10:
        raise ValueError(f"parabolic orbit, e={e:.3f}")
    a = -mu / (2 * energy)
    i = np.arccos(h[2] / np.linalg.norm(h))
    raan = np.arccos(n[0] / np.linalg.norm(n))
    if n[1] < 0:
        raan = 2 * np.pi - raan
    argp = np.arccos(np.dot(n, evec) / (np.linalg.norm(n) * e))
    if evec[2] < 0:
        argp = 2 * np.pi - argp
    nu = np.arccos(np.clip(np.dot(evec, r) / (e * rn), -1, 1))
    if np.dot(r, v) < 0:
        nu = 2 * np.pi - nu
    return Elements(a, e, i, raan, argp, nu)


def stumpff(psi):
    if psi > 1e-6:
        s = math.sqrt(psi)
        return (1 - math.cos(s)) / psi, (s - math.sin(s)) / s**3
    if psi < -1e-6:
        s = math.sqrt(-psi)
        return (1 - math.cosh(s)) / psi, (math.sinh(s) - s) / s**3
    return 1 / 2, 1 / 6


def universal_kepler(r0, v0, dt):
    """Position after a time, by universal variables."""
    rn = np.linalg.norm(r0)
    vr = r0 @ v0 / rn
    alpha = 2 / rn - v0 @ v0
    chi = abs(alpha) * dt
    for _ in range(50):
        psi = alpha * chi**2
        c2, c3 = stumpff(psi)
        f = rn * vr * chi**2 * c2 + (1 - alpha * rn) * chi**3 * c3 + rn * chi - dt
        df = rn * vr * chi * (1 - psi * c3) + (1 - alpha * rn) * chi**2 * c2 + rn
        step = f / df
        chi -= step
        if abs(step) < 1e-13:
            break
    f = 1 - chi**2 / rn * c2
    g = dt - chi**3 * c3
    return f * r0 + g * v0


def hohmann(r1, r2):
    mu = 398600.4418
    dv1 = np.sqrt(mu / r1) * (np.sqrt(2 * r2 / (r1 + r2)) - 1)
    dv2 = np.sqrt(mu / r2) * (1 - np.sqrt(2 * r1 / (r1 + r2)))
    return {"total": dv1 + dv2, "time": np.pi * np.sqrt((r1 + r2) ** 3 / (8 * mu))}


def lagrange_point(mu):
    def f(x):
        return x - (1 - mu) * (x + mu) / abs(x + mu) ** 3 - mu * (x - 1 + mu) / abs(x - 1 + mu) ** 3

    guess = 1 - (mu / 3) ** (1 / 3)
    return newton(f, guess, tol=1e-14)


def double_pendulum(theta, l2):
    g = 9.81

    def rhs(y, t, m1, m2, l1, l2):
        t1, z1, t2, z2 = y
        c, s = np.cos(t1 - t2), np.sin(t1 - t2)
        z1dot = (
            (m2 * g * np.sin(t2) * c - m2 * s * (l1 * z1**2 * c + l2 * z2**2) - (m1 + m2) * g * np.sin(t1))
            / l1
            / (m1 + m2 * s**2)
        )
        z2dot = (
            ((m1 + m2) * (l1 * z1**2 * s - g * np.sin(t2) + g * np.sin(t1) * c) + m2 * l2 * z2**2 * s * c)
            / l2
            / (m1 + m2 * s**2)
        )
        return z1, z1dot, z2, z2dot

    sol = odeint(
        rhs, [theta, 0, theta / 2, 0], np.linspace(0, 1, 5), args=(1.0, 1.0, 1.0, l2), rtol=1e-10, atol=1e-10
    )
    return sol[-1]


def rigid_body(w0, inertia):
    """Euler's equations with a quaternion, by RK4."""

    def rhs(s):
        w, q = s[:3], s[3:]
        dw = np.cross(inertia * w, w) / inertia
        wx, wy, wz = w
        omega = np.array([[0, -wx, -wy, -wz], [wx, 0, wz, -wy], [wy, -wz, 0, wx], [wz, wy, -wx, 0]])
        return np.r_[dw, 0.5 * omega @ q]

    s, h = np.r_[w0, 1.0, 0, 0, 0], 0.05
    for _ in range(10):
        k1 = rhs(s)
        k2 = rhs(s + h / 2 * k1)
        k3 = rhs(s + h / 2 * k2)
        k4 = rhs(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        s[3:] /= np.linalg.norm(s[3:])
    return s


def normal_modes(k, m):
    n = len(m)
    K = np.zeros((n, n))
    for i in range(n):
        K[i, i] += k[i] + k[i + 1]
        if i + 1 < n:
            K[i, i + 1] -= k[i + 1]
            K[i + 1, i] -= k[i + 1]
    w2 = linalg.eigh(K, np.diag(m), eigvals_only=True)
    return np.sqrt(w2) / (2 * np.pi)


def catenary(length, span):
    """Sag of a hanging chain."""
    a = brentq(lambda a: 2 * a * math.sinh(span / (2 * a)) - length, 0.05, 100.0, xtol=1e-14)
    return a * (math.cosh(span / (2 * a)) - 1)


def barnes_hut_free(pos, mass):
    """Accelerations by broadcasting, with a softening."""
    d = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    r2 = (d**2).sum(axis=-1) + 0.01
    inv = r2**-1.5
    np.fill_diagonal(inv, 0)
    return (d * (mass[None, :] * inv)[..., None]).sum(axis=1)


# ---- heat and matter


def soave(T, P):
    """Compressibility of CO2 by Soave-Redlich-Kwong, the largest real root."""
    Tc, Pc, w, R = 304.13, 7.3773e6, 0.22394, constants.R
    m = 0.48 + 1.574 * w - 0.176 * w**2
    alpha = (1 + m * (1 - np.sqrt(T / Tc))) ** 2
    A = 0.42748 * alpha * R**2 * Tc**2 / Pc * P / (R * T) ** 2
    B = 0.08664 * R * Tc / Pc * P / (R * T)
    roots = np.roots([1, -1, A - B - B**2, -A * B])
    real = roots[np.abs(roots.imag) < 1e-9].real
    return real.max()


def rachford_rice(z, K):
    """Vapour fraction of a flash."""
    f = lambda V: np.sum(z * (K - 1) / (1 + V * (K - 1)))
    V = optimize.brentq(f, 1e-9, 1 - 1e-9, xtol=1e-14)
    x = z / (1 + V * (K - 1))
    return {"V": V, "x": x, "y": K * x}


def wilson(x1, a12, a21):
    x2 = 1 - x1
    t1, t2 = x1 + a12 * x2, x2 + a21 * x1
    d = a12 / t1 - a21 / t2
    return math.exp(-math.log(t1) + x2 * d), math.exp(-math.log(t2) - x1 * d)


def debye_heat(T, theta):
    x = theta / T
    val, _err = quad(lambda t: t**4 * np.exp(t) / np.expm1(t) ** 2, 0, x)
    return 9 * val / x**3


def einstein_and_debye(T):
    T = np.atleast_1d(T)
    out = np.empty_like(T)
    for i, t in enumerate(T):
        out[i] = integrate.quad(lambda u: u**3 / (math.exp(u) - 1), 0, 5.0 / t)[0] * (t / 5.0) ** 3
    return out


def ising_transfer(J, h):
    Tm = np.array([[np.exp(J + h), np.exp(-J)], [np.exp(-J), np.exp(J - h)]])
    w = np.linalg.eigvals(Tm)
    return np.log(np.max(w))


def ising_2d(beta):
    """Energy by Onsager's solution."""
    k = 2 * np.sinh(2 * beta) / np.cosh(2 * beta) ** 2
    return -1 / np.tanh(2 * beta) * (1 + 2 / np.pi * (2 * np.tanh(2 * beta) ** 2 - 1) * special.ellipk(k**2))


def fermi_level(n, T):
    def excess(mu):
        return quad(lambda e: np.sqrt(e) * special.expit(-(e - mu) / T), 0, 30)[0] - n

    return optimize.bisect(excess, -5, 5, xtol=1e-12)


def partition_levels(T):
    j = np.arange(30)
    g, e = 2 * j + 1, 2.0 * j * (j + 1)
    z = np.sum(g * np.exp(-e / T))
    u = np.sum(g * e * np.exp(-e / T)) / z
    c = (np.sum(g * e**2 * np.exp(-e / T)) / z - u**2) / T**2
    return z, u, c


def van_laar_heat(T):
    """NASA polynomials, by range of temperature."""
    low = [3.53100528, -1.23660988e-4, -5.02999433e-7, 2.43530612e-9, -1.40881235e-12]
    high = [2.95257637, 1.3969004e-3, -4.92631603e-7, 7.86010195e-11, -4.60755204e-15]
    a = low if T < 1000.0 else high
    return constants.R * sum(c * T**i for i, c in enumerate(a))


def steam(T):
    """Saturation pressure of water, IAPWS-IF97 region 4."""
    n = [0, 0.11670521452767e4, -0.72421316703206e6, -0.17073846940092e2, 0.12020824702470e5,
         -0.32325550322333e7, 0.14915108613530e2, -0.48232657361591e4, 0.40511340542057e6,
         -0.23855557567849, 0.65017534844798e3]  # fmt: skip
    th = T + n[9] / (T - n[10])
    A = th**2 + n[1] * th + n[2]
    B = n[3] * th**2 + n[4] * th + n[5]
    C = n[6] * th**2 + n[7] * th + n[8]
    return (2 * C / (-B + np.sqrt(B**2 - 4 * A * C))) ** 4


def molecular_dynamics(x):
    """Lennard-Jones in a periodic box, velocity Verlet with minimum image."""
    pos, box = x.reshape(4, 2).copy(), 3.0
    vel = np.zeros_like(pos)

    def forces(p):
        f = np.zeros_like(p)
        for i in range(len(p)):
            for j in range(i + 1, len(p)):
                r = p[i] - p[j]
                r -= box * np.rint(r / box)
                r2 = r @ r
                inv6 = 1 / r2**3
                fij = 24 * (2 * inv6**2 - inv6) / r2 * r
                f[i] += fij
                f[j] -= fij
        return f

    f = forces(pos)
    for _ in range(3):
        vel += 0.5e-2 * f
        pos += 1e-2 * vel
        f = forces(pos)
        vel += 0.5e-2 * f
    return pos.ravel()


def ewald_like(q, alpha):
    pos = np.array([[0.1, 0.2, 0.3], [0.6, 0.7, 0.2], [0.4, 0.1, 0.8]])
    e = 0.0
    for i, j in itertools.combinations(range(3), 2):
        r = np.linalg.norm(pos[i] - pos[j])
        e += q[i] * q[j] * special.erfc(alpha * r) / r
    for k in itertools.product(range(-2, 3), repeat=3):
        if k == (0, 0, 0):
            continue
        kv = 2 * np.pi * np.array(k)
        k2 = kv @ kv
        s = np.sum(q * np.exp(1j * pos @ kv))
        e += 2 * np.pi / k2 * np.exp(-k2 / (4 * alpha**2)) * abs(s) ** 2
    return e - alpha / np.sqrt(np.pi) * (q**2).sum()


def radial_distribution(x):
    pos = x.reshape(-1, 2)
    r = np.array([np.hypot(*(a - b)) for a, b in itertools.combinations(pos, 2)])
    grid = np.linspace(0.1, 2, 7)
    return np.exp(-((grid[:, None] - r) ** 2) / 0.1).sum(1) / grid


# ---- waves, quanta, spins


def bloch(t1, t2, dw):
    """Bloch equations of a pulse and free precession."""

    def rhs(t, m, t1, t2, dw):
        w1 = 2.0 if t < 0.5 else 0.0
        mx, my, mz = m
        return [dw * my - mx / t2, -dw * mx + w1 * mz - my / t2, -w1 * my - (mz - 1) / t1]

    first = solve_ivp(rhs, (0, 0.5), [0, 0, 1], args=(t1, t2, dw), rtol=1e-9, atol=1e-10, t_eval=[0.4999])
    return solve_ivp(
        rhs, (0.5, 1.5), first.y[:, -1], args=(t1, t2, dw), rtol=1e-9, atol=1e-10, t_eval=[1.0, 1.5]
    ).y


def bloch_expm(t1, t2, dw):
    M = np.array([0.0, 0.0, 1.0, 1.0])
    for angle in (np.pi / 2, np.pi):
        c, s = np.cos(angle), np.sin(angle)
        R = np.eye(4)
        R[1:3, 1:3] = [[c, s], [-s, c]]
        L = np.array([[-1 / t2, dw, 0, 0], [-dw, -1 / t2, 0, 0], [0, 0, -1 / t1, 1 / t1], [0, 0, 0, 0]])
        M = linalg.expm(0.3 * L) @ R @ M
    return M[:3]


def spin_echo(t2, sigma):
    offsets = np.linspace(-3, 3, 31) * sigma
    w = np.exp(-0.5 * (offsets / sigma) ** 2)
    w /= w.sum()
    t = np.arange(0, 2, 0.25)
    phase = np.where(t < 1, t, t - 2)
    s = np.exp(1j * np.outer(phase, offsets)) @ w
    return np.abs(s) * np.exp(-t / t2)


def rabi(omega, delta):
    sx = np.array([[0, 1], [1, 0]], dtype=complex)
    sz = np.array([[1, 0], [0, -1]], dtype=complex)
    H = 0.5 * (omega * sx + delta * sz)
    U = linalg.expm(-1j * H * 2.0)
    psi = U @ np.array([1, 0], dtype=complex)
    return np.abs(psi) ** 2


def heisenberg_chain(J, h):
    """Ground state energy of four spins by kron."""
    sx, sy, sz = (np.array(m) / 2 for m in ([[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]))

    def op(s, i):
        return functools.reduce(np.kron, [s if k == i else np.eye(2) for k in range(4)])

    H = sum(J * op(s, i) @ op(s, i + 1) for s in (sx, sy, sz) for i in range(3))
    H = H + h * sum((k + 1) * op(sz, k) for k in range(4))
    return np.linalg.eigvalsh(H)[0]


def lindblad(gamma, omega):
    a = np.array([[0, 1], [0, 0]], dtype=complex)
    H = omega / 2 * (a + a.T)
    rho = np.array([[1, 0], [0, 0]], dtype=complex)

    def rhs(r):
        return -1j * (H @ r - r @ H) + gamma * (
            a @ r @ a.conj().T - 0.5 * (a.conj().T @ a @ r + r @ a.conj().T @ a)
        )

    dt = 0.1
    for _ in range(15):
        k1 = rhs(rho)
        k2 = rhs(rho + dt * k1 / 2)
        rho = rho + dt * k2
    return rho[1, 1].real


def harmonic_well(depth, width):
    """Lowest energies of a well on a grid."""
    x = np.linspace(-5, 5, 41)
    h = x[1] - x[0]
    V = -depth * np.exp(-((x / width) ** 2))
    w = linalg.eigh_tridiagonal(
        1 / h**2 + V, -0.5 / h**2 * np.ones(len(x) - 1), eigvals_only=True, select="i", select_range=(0, 1)
    )
    return w


def numerov(energy):
    n, h = 60, 0.1
    x = np.arange(n) * h
    k2 = 2 * (energy - 0.5 * x**2)
    psi = np.zeros(n)
    psi[0], psi[1] = 1.0, 1 - h**2 * k2[0] / 2
    f = 1 + h**2 / 12 * k2
    for i in range(1, n - 1):
        psi[i + 1] = ((12 - 10 * f[i]) * psi[i] - f[i - 1] * psi[i - 1]) / f[i + 1]
    return psi[20] / psi[10]


def split_step(k0, sigma):
    """A wave packet through a barrier by FFTs."""
    n = 64
    x = np.linspace(-8, 8, n, endpoint=False)
    k = 2 * np.pi * np.fft.fftfreq(n, x[1] - x[0])
    psi = np.exp(-((x + 2) ** 2) / (2 * sigma**2) + 1j * k0 * x)
    psi /= np.sqrt(np.sum(np.abs(psi) ** 2))
    V = np.where(np.abs(x) < 0.5, 2.0, 0.0)
    for _ in range(8):
        psi *= np.exp(-0.5j * 0.05 * V)
        psi = np.fft.ifft(np.exp(-0.5j * 0.05 * k**2) * np.fft.fft(psi))
        psi *= np.exp(-0.5j * 0.05 * V)
    return np.sum(np.abs(psi[x > 0]) ** 2)


def clebsch_wigner(beta):
    """Wigner's small d matrix for j = 2."""

    def d(j, m1, m2):
        pre = math.sqrt(
            math.factorial(j + m1) * math.factorial(j - m1) * math.factorial(j + m2) * math.factorial(j - m2)
        )
        total = 0.0
        for s in range(max(0, m2 - m1), min(j + m2, j - m1) + 1):
            den = (
                math.factorial(j + m2 - s)
                * math.factorial(s)
                * math.factorial(m1 - m2 + s)
                * math.factorial(j - m1 - s)
            )
            total += (
                (-1) ** (m1 - m2 + s)
                / den
                * math.cos(beta / 2) ** (2 * j + m2 - m1 - 2 * s)
                * math.sin(beta / 2) ** (m1 - m2 + 2 * s)
            )
        return pre * total

    return np.array([[d(2, m1, m2) for m2 in range(-2, 3)] for m1 in range(-2, 3)])


# ---- the sky


def luminosity_distance(z, om, w):
    c, h0 = 299792.458, 70.0
    E = lambda u: np.sqrt(om * (1 + u) ** 3 + (1 - om) * (1 + u) ** (3 * (1 + w)))
    d, _ = quad(lambda u: 1 / E(u), 0, z)
    return c / h0 * (1 + z) * d


def distance_moduli(om, ol):
    """With curvature, for several redshifts."""
    ok = 1 - om - ol
    z = np.array([0.1, 0.5, 1.2])
    dc = np.array(
        [quad(lambda u: (om * (1 + u) ** 3 + ok * (1 + u) ** 2 + ol) ** -0.5, 0, zi)[0] for zi in z]
    )
    if ok > 0:
        s = np.sqrt(ok)
        dm = np.sinh(s * dc) / s
    elif ok < 0:
        s = np.sqrt(-ok)
        dm = np.sin(s * dc) / s
    else:
        dm = dc
    return 5 * np.log10((1 + z) * dm * 4282.7) + 25


class Cosmology:
    def __init__(self, h0, om):
        self.h0, self.om = h0, om
        self._cache = {}

    def efunc(self, z):
        return np.sqrt(self.om * (1 + z) ** 3 + 1 - self.om)

    @functools.cached_property
    def hubble_distance(self):
        return constants.c / 1000 / self.h0

    def age(self):
        return quad(lambda a: 1 / (a * self.efunc(1 / a - 1)), 0, 1)[0] * 977.8 / self.h0

    def comoving(self, z):
        if z not in self._cache:
            self._cache[z] = self.hubble_distance * integrate.romb(
                1 / self.efunc(np.linspace(0, z, 65)), dx=z / 64
            )
        return self._cache[z]


def cosmology(h0, om):
    c = Cosmology(h0, om)
    return np.array([c.age(), c.comoving(0.7), c.comoving(1.4) - c.comoving(0.7)])


def growth(om):
    a = np.linspace(1e-3, 1, 50)
    share = lambda lna: om / (om + (1 - om) * np.exp(3 * lna))
    rhs = lambda lna, d: [d[1], 1.5 * share(lna) * d[0] - (2 - 1.5 * share(lna)) * d[1]]
    sol = solve_ivp(
        rhs, (np.log(a[0]), 0), [a[0], a[0]], t_eval=np.log(a[[10, 30, 49]]), rtol=1e-8, atol=1e-10
    )
    return sol.y[0]


def press_schechter(m, sigma8):
    s = sigma8 * m**-0.3
    nu = 1.686 / s
    return np.sqrt(2 / np.pi) * nu * np.exp(-(nu**2) / 2) * 0.3 / m**2


def lane_emden(n):
    def surface(xi, y):
        return y[0]

    surface.terminal = True
    f = lambda xi, y: [y[1], -(abs(y[0]) ** n) - 2 / xi * y[1]]
    s = solve_ivp(f, (1e-4, 10), [1 - 1e-8 / 6, -1e-4 / 3], events=surface, rtol=1e-9, atol=1e-11)
    return s.t[-1]


def lensing(b, q):
    """Deflection by an isothermal ellipsoid, on a grid."""
    y, x = np.mgrid[-1:1:4j, -1.1:1:4j]
    psi = np.hypot(q * x, y)
    fq = np.sqrt(1 - q**2)
    ax = b * q / fq * np.arctan(fq * x / psi)
    ay = b * q / fq * np.arctanh(fq * y / (psi + 1e-9))
    return np.stack([ax, ay])


def saha(T):
    kT = 8.617333e-5 * T
    n = 1e20
    rhs = 2.4146830e21 * T**1.5 * np.exp(-13.6 / kT) / n
    x = (-rhs + np.sqrt(rhs**2 + 4 * rhs)) / 2
    return x


def julian_sun(n):
    """Right ascension and declination of the sun, n days after noon on 1 January 2000."""
    L = (280.46 + 0.9856474 * n) % 360
    g = np.deg2rad((357.528 + 0.9856003 * n) % 360)
    lam = np.deg2rad(L + 1.915 * np.sin(g) + 0.02 * np.sin(2 * g))
    eps = np.deg2rad(23.439 - 4e-7 * n)
    return np.arctan2(np.cos(eps) * np.sin(lam), np.cos(lam)), np.arcsin(np.sin(eps) * np.sin(lam))


# ---- chemistry

REACTIONS = [
    ({"A": 1}, {"B": 1}, (30.0, 20.0)),
    ({"A": 1, "B": 1}, {"C": 1}, (20.0, 15.0)),
    ({"C": 1}, {"A": 1, "B": 1}, (20.0, 18.0)),
]


def network(T, a0):
    """Mass action from a table of reactions."""
    species = sorted({s for left, right, _ in REACTIONS for s in (*left, *right)})
    index = {s: i for i, s in enumerate(species)}
    k = [A * math.exp(-E / (0.0083145 * T)) for *_, (A, E) in REACTIONS]

    def rhs(t, c):
        dc = np.zeros(len(c))
        for ki, (left, right, _) in zip(k, REACTIONS, strict=False):
            rate = ki
            for s, nu in left.items():
                rate *= c[index[s]] ** nu
            for s, nu in left.items():
                dc[index[s]] -= nu * rate
            for s, nu in right.items():
                dc[index[s]] += nu * rate
        return dc

    s = solve_ivp(rhs, (0, 2), [a0, 0, 0], method="LSODA", t_eval=[1, 2], rtol=1e-9, atol=1e-12)
    return s.y[:, -1]


def robertson(k):
    f = lambda t, y: [
        -k[0] * y[0] + k[1] * y[1] * y[2],
        k[0] * y[0] - k[1] * y[1] * y[2] - k[2] * y[1] ** 2,
        k[2] * y[1] ** 2,
    ]
    s = solve_ivp(f, (0, 10), [1.0, 0, 0], method="BDF", t_eval=[1.0, 10.0], rtol=1e-8, atol=1e-10)
    return s.y.T


def debye_hueckel(I, charges):
    """Mean activity by the extended law."""
    A, B = 0.509, 0.328
    log_gamma = -A * charges**2 * np.sqrt(I) / (1 + B * 4.5 * np.sqrt(I)) + 0.1 * I
    return 10**log_gamma


def titration(volumes, ka):
    kw = 1e-14

    def charge(ph, vb):
        h = 10.0**-ph
        v = 50.0 + vb
        na = 0.1 * vb / v
        ca = 0.1 * 50.0 / v
        return h + na - kw / h - ca * ka / (ka + h)

    return np.array([brentq(charge, 0, 14, args=(vb,), xtol=1e-13) for vb in volumes])


def polyprotic(ph, pka):
    h = 10**-ph
    ks = np.cumprod(10**-pka)
    terms = np.concatenate([[1.0], ks]) * h ** -np.arange(len(pka) + 1.0)
    return terms / terms.sum()


def equilibrium(K1, K2):
    def eqs(x):
        a, b = x
        return [a * (a + b) - K1 * (1 - a - b), b * (a + b) - K2 * (1 - a - b)]

    sol, _info, ier, msg = optimize.fsolve(eqs, [0.3, 0.3], full_output=True, xtol=1e-13)
    if ier != 1:
        raise RuntimeError(f"no equilibrium: {msg}")
    return sol


def nernst_goldman(k_out, p_na):
    ions = {"K": (1.0, k_out, 140.0), "Na": (p_na, 145.0, 12.0), "Cl": (0.45, 4.0, 110.0)}
    num = sum(p * out for p, out, _ in ions.values())
    den = sum(p * inside for p, _, inside in ions.values())
    return (
        1000 * constants.R * 310.15 / constants.physical_constants["Faraday constant"][0] * np.log(num / den)
    )


def marcus(lam, dg):
    kT = constants.k * 298.15 / constants.e
    return 2 * np.pi / np.sqrt(4 * np.pi * lam * kT) * np.exp(-((lam + dg) ** 2) / (4 * lam * kT))


def huckel_band(alpha, beta):
    n = 6
    H = np.diag(np.full(n, alpha)) + np.diag(np.full(n - 1, beta), 1) + np.diag(np.full(n - 1, beta), -1)
    H[0, -1] = H[-1, 0] = beta * 0.9
    e, c = np.linalg.eigh(H)
    occ = np.array([0, 0, 0, 2, 2, 2]) if beta > 0 else np.array([2, 2, 2, 0, 0, 0])
    P = np.einsum("ik,k,jk->ij", c, occ, c)
    return np.array([e @ occ, P[0, 1], P[0, 5]])


def gaussian_overlap(a, b, r):
    """Hartree-Fock integrals of s orbitals: overlap, kinetic, nuclear with Boys' function."""
    p = a + b
    mu = a * b / p
    S = (np.pi / p) ** 1.5 * np.exp(-mu * r**2)
    T = mu * (3 - 2 * mu * r**2) * S
    t = p * (a * r / p) ** 2
    boys = 0.5 * np.sqrt(np.pi / t) * special.erf(np.sqrt(t)) if t > 1e-8 else 1 - t / 3
    return S, T, -2 * np.pi / p * np.exp(-mu * r**2) * boys


def scf(r):
    """A self-consistent field of two levels, mixed until it stands."""
    p = np.array([0.6, 0.4])
    for _it in range(200):
        h = np.array([[-1.0 + r * p[0], -0.4], [-0.4, -0.6 + r * p[1]]])
        w, v = np.linalg.eigh(h)
        new = v[:, 0] ** 2
        if np.abs(new - p).max() < 1e-13:
            break
        p = 0.5 * p + 0.5 * new
    return w[0], p


def chromatogram(params):
    t = np.linspace(0, 10, 40)
    signal = np.zeros_like(t)
    for area, mu, sigma, tau in params.reshape(-1, 4):
        z = (mu - t) / sigma + sigma / tau
        signal += (
            area
            / (2 * tau)
            * np.exp(0.5 * (sigma / tau) ** 2 + (mu - t) / tau)
            * special.erfc(z / np.sqrt(2))
        )
    return signal[::5]


def flory_huggins(phi, chi, n):
    mix = phi / n * np.log(phi) + (1 - phi) * np.log1p(-phi) + chi * phi * (1 - phi)
    return mix, np.log(phi) / n + 1 / n - np.log1p(-phi) - 1 + chi * (1 - 2 * phi)


# ---- life


def sir_odeint(beta, gamma):
    def deriv(y, t, N, beta, gamma):
        S, I, _R = y
        dSdt = -beta * S * I / N
        dIdt = beta * S * I / N - gamma * I
        dRdt = gamma * I
        return dSdt, dIdt, dRdt

    t = np.linspace(0, 40, 9)
    _S, I, _R = odeint(deriv, (999.0, 1.0, 0.0), t, args=(1000.0, beta, gamma), rtol=1e-9, atol=1e-9).T
    return I


def sir_fit(data):
    t = np.arange(8.0)

    def residual(p):
        i, out = p[1], []
        for _ in t:
            out.append(i)
            i = i + p[0] * i * (1 - i / 100)
        return np.array(out) - data

    r = optimize.least_squares(residual, [0.4, 2.0], xtol=1e-14, ftol=1e-14, gtol=1e-12)
    return r.x


def lineweaver(v):
    s = np.array([0.5, 1.0, 2.0, 4.0, 8.0])
    slope, intercept = np.polyfit(1 / s, 1 / v, 1)
    return {"vmax": 1 / intercept, "km": slope / intercept}


def jukes_cantor_tree(t, kappa):
    """Likelihood of a site on a tree by expm and recursion (HKY)."""
    pi = np.array([0.3, 0.2, 0.2, 0.3])
    Q = np.outer(np.ones(4), pi)
    for i, j in ((0, 2), (2, 0), (1, 3), (3, 1)):
        Q[i, j] *= kappa
    np.fill_diagonal(Q, 0)
    np.fill_diagonal(Q, -Q.sum(axis=1))
    Q = Q / -(pi @ np.diag(Q))
    tree = ((("A", "C"), "A"), "G")
    lengths = iter(t)

    def prune(node):
        if isinstance(node, str):
            return np.eye(4)["ACGT".index(node)]
        partial = np.ones(4)
        for child in node:
            partial = partial * (linalg.expm(Q * next(lengths)) @ prune(child))
        return partial

    return np.log(pi @ prune(tree))


def coalescent(times, theta):
    k = np.arange(len(times) + 1, 1, -1)
    dt = np.diff(np.concatenate(([0.0], times)))
    rate = k * (k - 1) / theta
    return np.sum(np.log(rate) - rate * dt)


def fitzhugh(I, eps):
    s = solve_ivp(lambda t, y: [y[0] - y[0] ** 3 / 3 - y[1] + I, eps * (y[0] + 0.7 - 0.8 * y[1])], [0, 8], [-1.0, 1.0],
                  dense_output=True, rtol=1e-8, atol=1e-9)  # fmt: skip
    return s.sol([3.0, 7.5])


def lif_neuron(current, tau):
    """Integrate and fire, with a reset."""
    v, spikes, dt = 0.0, [], 0.05
    for step in range(120):
        dv = (-v + current) / tau
        v_new = v + dt * dv
        if v_new >= 1.0:
            frac = (1.0 - v) / (v_new - v)
            spikes.append((step + frac) * dt)
            v_new = 0.0
        v = v_new
    return np.mean(np.diff(spikes)) + v


def hill_repressilator(alpha, n):
    p = np.array([1.0, 2.0, 3.0])
    m = np.array([0.5, 0.2, 0.1])
    for _ in range(40):
        dm = alpha / (1 + np.roll(p, 1) ** n) - m
        dp = 0.5 * (m - p)
        m, p = m + 0.05 * dm, p + 0.05 * dp
    return np.concatenate((m, p))


def age_structured(f, s):
    L = np.diag(s, k=-1)
    L[0, :] = f
    w, v = np.linalg.eig(L)
    k = np.argmax(np.abs(w))
    stable = v[:, k].real
    return np.append(stable / stable.sum(), w[k].real)


def allometric(mass, temp):
    return np.where(temp > 0, 3.5 * mass**0.75 * np.exp(-0.65 / (8.617e-5 * (temp + 273.15))) * 1e9, np.nan)


def photosynthesis(par, ci):
    """Farquhar: the smaller of two rates, smoothed by a quadratic."""
    vcmax, j = 60.0, None
    theta, alpha, jmax = 0.7, 0.3, 110.0
    a, b, c = theta, -(alpha * par + jmax), alpha * par * jmax
    j = (-b - (b * b - 4 * a * c) ** 0.5) / (2 * a)
    wc = vcmax * (ci - 42.75) / (ci + 404.9 * (1 + 210 / 278.4))
    wj = j * (ci - 42.75) / (4 * ci + 8 * 42.75)
    return min(wc, wj) - 1.5


def pk_doses(ka, ke, v):
    """Repeated doses by superposition."""
    t = np.linspace(0.5, 30, 8)
    conc = np.zeros(t.size)
    for dose_time in range(0, 24, 8):
        mask = t >= dose_time
        tad = t[mask] - dose_time
        conc[mask] += 100 * ka / (v * (ka - ke)) * (np.exp(-ke * tad) - np.exp(-ka * tad))
    return conc


def needleman(s):
    """Global alignment with a soft score of gaps."""
    a, b = "GATTA", "GCATT"
    match, mismatch, gap = s
    H = np.zeros((6, 6))
    H[:, 0] = gap * np.arange(6)
    H[0, :] = gap * np.arange(6)
    for i in range(1, 6):
        for j in range(1, 6):
            diag = H[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            H[i, j] = max(diag, H[i - 1, j] + gap, H[i, j - 1] + gap)
    return H[-1, -1]


# ---- the earth


def vincenty_inverse(lat1, lon1, lat2, lon2):
    a, f = 6378137.0, 1 / 298.257223563
    b = (1 - f) * a
    u1, u2 = (math.atan((1 - f) * math.tan(math.radians(x))) for x in (lat1, lat2))
    L = math.radians(lon2 - lon1)
    lam = L
    for _iteration in range(200):
        sl, cl = math.sin(lam), math.cos(lam)
        ss = math.hypot(math.cos(u2) * sl, math.cos(u1) * math.sin(u2) - math.sin(u1) * math.cos(u2) * cl)
        if ss == 0:
            return 0.0
        cs = math.sin(u1) * math.sin(u2) + math.cos(u1) * math.cos(u2) * cl
        sigma = math.atan2(ss, cs)
        sa = math.cos(u1) * math.cos(u2) * sl / ss
        c2a = 1 - sa**2
        try:
            c2sm = cs - 2 * math.sin(u1) * math.sin(u2) / c2a
        except ZeroDivisionError:
            c2sm = 0
        C = f / 16 * c2a * (4 + f * (4 - 3 * c2a))
        lam_prev = lam
        lam = L + (1 - C) * f * sa * (sigma + C * ss * (c2sm + C * cs * (-1 + 2 * c2sm**2)))
        if abs(lam - lam_prev) < 1e-13:
            break
    else:
        raise ValueError("no convergence")
    u_sq = c2a * (a**2 - b**2) / b**2
    A = 1 + u_sq / 16384 * (4096 + u_sq * (-768 + u_sq * (320 - 175 * u_sq)))
    B = u_sq / 1024 * (256 + u_sq * (-128 + u_sq * (74 - 47 * u_sq)))
    ds = (
        B
        * ss
        * (c2sm + B / 4 * (cs * (-1 + 2 * c2sm**2) - B / 6 * c2sm * (-3 + 4 * ss**2) * (-3 + 4 * c2sm**2)))
    )
    return b * A * (sigma - ds)


def utm(lat, lon):
    """Transverse Mercator by Krueger's series."""
    a, f = 6378137.0, 1 / 298.257223563
    n = f / (2 - f)
    A = a / (1 + n) * (1 + n**2 / 4 + n**4 / 64)
    alpha = np.array([n / 2 - 2 * n**2 / 3 + 5 * n**3 / 16, 13 * n**2 / 48 - 3 * n**3 / 5, 61 * n**3 / 240])
    lat, lon = np.radians([lat, lon])
    k = 2 * np.sqrt(n) / (1 + n)
    t = np.sinh(np.arctanh(np.sin(lat)) - k * np.arctanh(k * np.sin(lat)))
    xi = np.arctan2(t, np.cos(lon))
    eta = np.arctanh(np.sin(lon) / np.sqrt(1 + t**2))
    j = np.arange(1, 4)
    east = eta + np.sum(alpha * np.cos(2 * j * xi) * np.sinh(2 * j * eta))
    north = xi + np.sum(alpha * np.sin(2 * j * xi) * np.cosh(2 * j * eta))
    return 500000 + 0.9996 * A * east, 0.9996 * A * north


def geodetic(x, y, z):
    """From Cartesian coordinates, until the latitude stands."""
    a, e2 = 6378137.0, 6.69437999014e-3
    p = np.hypot(x, y)
    lat = np.arctan2(z, p * (1 - e2))
    while True:
        N = a / np.sqrt(1 - e2 * np.sin(lat) ** 2)
        h = p / np.cos(lat) - N
        new = np.arctan2(z, p * (1 - e2 * N / (N + h)))
        if abs(new - lat) < 1e-14:
            break
        lat = new
    return np.degrees(new), np.degrees(np.arctan2(y, x)), h


def legendre_gravity(lat, r):
    """Zonal harmonics with scipy's polynomials."""
    J = {2: 1.08263e-3, 3: -2.54e-6, 4: -1.61e-6}
    s = np.sin(lat)
    return -1 / r * (1 - sum(Jn * (1 / r) ** n * special.eval_legendre(n, s) for n, Jn in J.items()))


def mogi(depth, dv):
    x = np.linspace(0, 5, 6)
    r = np.sqrt(x**2 + depth**2)
    return (1 - 0.25) * dv / np.pi * np.vstack((depth / r**3, x / r**3))


def moho_ray(v1, v2, h):
    x = np.array([10.0, 60.0, 140.0])
    direct = x / v1
    ic = np.arcsin(v1 / v2)
    head = x / v2 + 2 * h * np.cos(ic) / v1
    reflected = np.sqrt(x**2 + 4 * h**2) / v1
    head[x < 2 * h * np.tan(ic)] = np.inf
    return np.min([direct, head, reflected], axis=0)


def muskingum(inflow, K, X):
    dt = 1.0
    d = 2 * K * (1 - X) + dt
    c0, c1, c2 = (dt - 2 * K * X) / d, (dt + 2 * K * X) / d, (2 * K * (1 - X) - dt) / d
    out = [inflow[0]]
    for a, b in itertools.pairwise(inflow):
        out.append(c0 * b + c1 * a + c2 * out[-1])
    return np.asarray(out)


def green_ampt(K, psi):
    t = 1.5
    F = K * t
    while True:
        new = K * t + psi * 0.3 * np.log(1 + F / (psi * 0.3))
        if np.abs(new - F) < 1e-13:
            return new
        F = new


def potential_temperature(p, T):
    """Moist adiabat, stepwise."""

    def es(T):
        return 611.2 * np.exp(17.67 * (T - 273.15) / (T - 29.65))

    for _ in range(10):
        rs = 0.622 * es(T) / (p - es(T))
        gamma = (287.05 * T + 2.501e6 * rs) / (1004 + 2.501e6**2 * rs * 0.622 / (287.05 * T**2)) / p
        T = T - gamma * 2000.0
        p = p - 2000.0
    return T * (1e5 / p) ** 0.2857


def spherical_mean(lat, lon):
    u = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]).mean(axis=1)
    R = np.linalg.norm(u)
    return np.array([np.arcsin(u[2] / R), np.arctan2(u[1], u[0]), R])


def wind_profile(u10, z0):
    z = np.geomspace(2, 100, 5)
    return u10 * np.log(z / z0) / np.log(10 / z0)


def tidal(amplitude, phase):
    speeds = {"M2": 28.984104, "S2": 30.0, "N2": 28.43973, "K1": 15.041069}
    t = np.arange(0, 24, 4.0)
    return sum(
        a * np.cos(np.deg2rad(w * t - np.rad2deg(g)))
        for a, g, w in zip(amplitude, phase, speeds.values(), strict=False)
    )


def interpolated_atmosphere(h):
    """Density by interpolation in a table in the logarithm."""
    table = np.array([[0, 1.225], [5, 0.7364], [10, 0.4135], [20, 0.08891], [30, 0.01841]])
    f = interpolate.interp1d(table[:, 0], np.log(table[:, 1]), kind="cubic", fill_value="extrapolate")
    return np.exp(f(h))


add(ray_transfer, 0.8, 1.3, 0.4)
add(trace_rays, 2.1, 1.7, 1.5)
add(transfer_matrix, [1.0, 1.38, 2.1, 1.52], [0.1, 0.07], 0.55)
add(jones, 0.4, 1.1)
add(sellmeier, 0.6)
add(two_stream, 1.2, 0.8, 0.6)
add(formal_solution, [1.0, 1.2, 1.5, 1.4, 1.1, 0.8], [0.5, 0.8, 1.1, 1.3, 0.9, 0.7])
add(curve_of_growth, 2.0, 1.3)
add(elements, [1.0, 0.3, 0.2], [-0.2, 0.9, 0.35], 1.0)
add(universal_kepler, [1.0, 0.3, 0.2], [-0.2, 0.9, 0.35], 1.7)
add(hohmann, 7000.0, 42164.0)
add(lagrange_point, 0.012)
add(double_pendulum, 0.7, 0.9)
add(rigid_body, [0.3, 1.0, -0.2], [1.0, 2.0, 3.0])
add(normal_modes, [1.0, 2.0, 1.5, 0.7], [1.0, 1.3, 0.8])
add(catenary, 3.0, 2.0)
add(barnes_hut_free, [[0.1, 0.2], [1.0, 0.4], [0.5, 1.3]], [1.0, 2.0, 0.5])
add(soave, 350.0, 5e6)
add(rachford_rice, [0.3, 0.3, 0.4], [3.0, 1.2, 0.3])
add(wilson, 0.3, 0.6, 1.4)
add(debye_heat, 100.0, 320.0)
add(einstein_and_debye, [1.0, 2.5])
add(ising_transfer, 0.7, 0.2)
add(ising_2d, 0.3)
add(fermi_level, 1.2, 0.3)
add(partition_levels, 9.0)
add(van_laar_heat, 700.0)
add(steam, 400.0)
add(molecular_dynamics, [0.1, 0.2, 1.3, 0.3, 0.4, 1.6, 1.8, 1.7])
add(ewald_like, [1.0, -0.6, -0.4], 1.5)
add(radial_distribution, [0.1, 0.2, 1.3, 0.3, 0.4, 1.6, 1.8, 1.7])
add(bloch, 1.2, 0.4, 0.7)
add(bloch_expm, 1.2, 0.4, 0.7)
add(spin_echo, 0.8, 1.4)
add(rabi, 1.1, 0.4)
add(heisenberg_chain, 1.0, 0.3)
add(lindblad, 0.3, 1.2)
add(harmonic_well, 3.0, 1.2)
add(numerov, 0.7)
add(split_step, 2.0, 0.7)
add(clebsch_wigner, 0.8)
add(luminosity_distance, 0.8, 0.3, -0.9)
add(distance_moduli, 0.3, 0.6)
add(cosmology, 70.0, 0.3)
add(growth, 0.3)
add(press_schechter, 2.0, 0.8)
add(lane_emden, 1.5)
add(lensing, 1.1, 0.7)
add(saha, 9000.0)
add(julian_sun, 40.3)
add(network, 800.0, 1.0)
add(robertson, [0.04, 1e4, 3e7])
add(debye_hueckel, 0.1, [1.0, -1.0, 2.0])
add(titration, [10.0, 25.0, 49.0, 60.0], 1.8e-5)
add(polyprotic, 6.5, [2.1, 7.2, 12.3])
add(equilibrium, 0.4, 0.7)
add(nernst_goldman, 5.0, 0.04)
add(marcus, 0.8, -0.3)
add(huckel_band, -1.0, -0.8)
add(gaussian_overlap, 0.8, 1.3, 0.9)
add(scf, 0.3)
add(chromatogram, [1.0, 3.0, 0.4, 0.5, 0.7, 6.0, 0.5, 0.8])
add(flory_huggins, 0.3, 0.6, 10.0)
add(sir_odeint, 0.4, 0.1)
add(sir_fit, [2.1, 2.9, 4.3, 6.0, 8.6, 11.9, 16.4, 22.2])
add(lineweaver, [0.6, 1.0, 1.4, 1.7, 1.9])
add(jukes_cantor_tree, [0.1, 0.3, 0.2, 0.15, 0.4, 0.25], 2.0)
add(coalescent, [0.1, 0.3, 0.8, 1.9], 1.3)
add(fitzhugh, 0.5, 0.08)
add(lif_neuron, 1.7, 0.9)
add(hill_repressilator, 8.0, 2.1)
add(age_structured, [0.1, 1.2, 0.9], [0.6, 0.8])
add(allometric, 2.0, 14.0)
add(photosynthesis, 700.0, 260.0)
add(pk_doses, 1.2, 0.2, 15.0)
add(needleman, [1.1, -0.9, -0.6])
add(vincenty_inverse, 48.1, 11.6, 40.7, -74.0)
add(utm, 48.1, 2.6)
add(geodetic, 4177000.0, 855000.0, 4728000.0)
add(legendre_gravity, 0.7, 1.1)
add(mogi, 2.0, 0.3)
add(moho_ray, 6.0, 8.0, 30.0)
add(muskingum, [1.0, 3.0, 6.0, 5.0, 3.0, 1.5], 2.0, 0.2)
add(green_ampt, 0.6, 1.8)
add(potential_temperature, 95000.0, 298.0)
add(spherical_mean, [0.7, 0.9, 0.5], [0.1, -0.3, 0.6])
add(wind_profile, 7.0, 0.1)
add(tidal, [1.0, 0.4, 0.2, 0.3], [0.5, 1.0, 1.5, 2.0])
add(interpolated_atmosphere, 7.3)

ROWS = list(add)
