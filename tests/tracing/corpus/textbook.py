"""Algorithms as textbooks have them, in the style of NumPy's users: loops, branches, arrays in place."""

import itertools
import math

import numpy as np

from tests.tracing.corpus.row import Rows

add = Rows("textbook")
U = [0.31, -0.72, 1.15, 0.58, -1.4]
P = [0.8, 1.7, 2.9, 3.1, 4.6]
A = [[4.9, 0.3, -0.4], [0.2, 5.4, 0.5], [-0.1, 0.6, 3.7]]
S = [[2.1, 0.3, 0.4], [0.3, 1.7, 0.2], [0.4, 0.2, 1.9]]
b = [0.3, 1.2, -0.4]

# ---- linear systems


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = np.zeros(n), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def thomas_in_place(lower, diag, upper, rhs):
    diag, rhs = diag.copy(), rhs.copy()
    for k in range(1, diag.size):
        w = lower[k] / diag[k - 1]
        diag[k] -= w * upper[k - 1]
        rhs[k] -= w * rhs[k - 1]
    rhs[-1] /= diag[-1]
    for k in reversed(range(diag.size - 1)):
        rhs[k] = (rhs[k] - upper[k] * rhs[k + 1]) / diag[k]
    return rhs


def lu_in_place(A):
    A = np.array(A, dtype=float)
    n = A.shape[0]
    for k in range(n - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


def gauss_with_pivots(A, b):
    A, b = A.astype(float).copy(), b.astype(float).copy()
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros_like(b)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


def cholesky_by_hand(A):
    n = len(A)
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = sum(L[i, k] * L[j, k] for k in range(j))
            L[i, j] = math.sqrt(A[i, i] - s) if i == j else (A[i, j] - s) / L[j, j]
    return L


def gram_schmidt(A):
    Q = np.copy(A)
    R = np.zeros((A.shape[1], A.shape[1]))
    for j in range(A.shape[1]):
        for i in range(j):
            R[i, j] = np.dot(Q[:, i], Q[:, j])
            Q[:, j] -= R[i, j] * Q[:, i]
        R[j, j] = np.linalg.norm(Q[:, j])
        Q[:, j] /= R[j, j]
    return Q, R


def householder_qr(A):
    R = A.copy()
    for k in range(R.shape[1]):
        x = R[k:, k]
        v = x.copy()
        v[0] += np.copysign(np.linalg.norm(x), x[0])
        v /= np.linalg.norm(v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    return np.triu(R)


def givens(A):
    R = A.copy()
    for j in range(R.shape[1]):
        for i in range(R.shape[0] - 1, j, -1):
            r = np.hypot(R[i - 1, j], R[i, j])
            c, s = R[i - 1, j] / r, R[i, j] / r
            R[[i - 1, i]] = np.array([[c, s], [-s, c]]) @ R[[i - 1, i]]
    return R


def jacobi_iteration(A, b):
    x = np.zeros_like(b)
    D = np.diag(A)
    for _ in range(60):
        x = (b - (A - np.diagflat(D)) @ x) / D
    return x


def gauss_seidel(A, b, tol=1e-13):
    x = np.zeros(len(b))
    for _ in range(200):
        old = x.copy()
        for i in range(len(b)):
            x[i] = (b[i] - np.dot(A[i, :i], x[:i]) - np.dot(A[i, i + 1 :], old[i + 1 :])) / A[i, i]
        if np.linalg.norm(x - old) < tol:
            break
    return x


def conjugate_gradient(A, b):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r
    rs = r @ r
    for _ in range(len(b)):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        p = r + new / rs * p
        rs = new
    return x


def power_iteration(A):
    v = np.ones(A.shape[0])
    for _ in range(60):
        w = A @ v
        v = w / np.linalg.norm(w)
    return v @ A @ v


def jacobi_rotation(A):
    A = A.copy()
    for _ in range(8):
        for p in range(2):
            for q in range(p + 1, 3):
                theta = 0.5 * np.arctan2(2 * A[p, q], A[q, q] - A[p, p])
                J = np.eye(3)
                J[p, p] = J[q, q] = np.cos(theta)
                J[p, q], J[q, p] = np.sin(theta), -np.sin(theta)
                A = J.T @ A @ J
    return np.sort(np.diag(A))


def determinant(A):
    if A.shape[0] == 1:
        return A[0, 0]
    total = 0.0
    for j in range(A.shape[0]):
        minor = np.delete(np.delete(A, 0, axis=0), j, axis=1)
        total += (-1) ** j * A[0, j] * determinant(minor)
    return total


L5 = [0.0, 0.3, 0.2, 0.5, 0.1], [2.1, 1.9, 2.3, 1.8, 2.5], [0.4, 0.1, 0.6, 0.3, 0.0]
add(thomas, *L5, U)
add(thomas_in_place, *L5, U)
for f in (lu_in_place, gram_schmidt, householder_qr, givens, determinant):
    add(f, A)
add(cholesky_by_hand, S)
add(power_iteration, A)
add(lambda A: jacobi_rotation(A + A.T), S, id="jacobi_rotation")
for f in (gauss_with_pivots, jacobi_iteration, gauss_seidel):
    add(f, A, b)
add(gauss_with_pivots, [[0.2, 5.4, 0.5], [4.9, 0.3, -0.4], [-0.1, 0.6, 3.7]], b)
add(lambda A, b: conjugate_gradient(A @ A.T + np.eye(3), b), [[0.3, 0.1, 0.2], [0.5, 0.4, -0.2], [0.1, -0.3, 0.6]], b,
    id="conjugate_gradient")  # fmt: skip

# ---- roots


def kepler(M, e):
    E = M
    while True:
        d = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E = E - d
        if abs(d) < 1e-14:
            return E


def kepler_in_place(M, e):
    E = M
    for _ in range(12):
        E -= (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
    return E


def kepler_array(M, e):
    E = np.where(e > 0.8, np.pi, M)
    delta = np.ones_like(M)
    while np.max(np.abs(delta)) > 1e-13:
        delta = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E = E - delta
    return E


def newton_sqrt(a):
    x = a if a > 1 else 1.0
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


def newton_system(a, c):
    x = np.array([1.0, 0.5])
    for _ in range(20):
        F = np.array([x[0] ** 2 + x[1] ** 2 - a, x[0] * x[1] - c])
        J = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
        x = x - np.linalg.solve(J, F)
    return x


def secant(a):
    f = lambda x: x**3 + a * x - 2
    x0, x1 = 0.5, 1.0
    while abs(x1 - x0) > 1e-13:
        x0, x1 = x1, x1 - f(x1) * (x1 - x0) / (f(x1) - f(x0))
    return x1


def fixed_point(a):
    x, old = 0.5, 0.0
    while abs(x - old) > 1e-14:
        x, old = np.cos(a * x), x
    return x


def agm(a, g):
    while abs(a - g) > 1e-15 * abs(a):
        a, g = 0.5 * (a + g), np.sqrt(a * g)
    return a


def halley(a):
    x = 1.0
    for _ in range(6):
        f, df, ddf = x**3 - a, 3 * x**2, 6 * x
        x -= 2 * f * df / (2 * df**2 - f * ddf)
    return x


def cubic_real_root(p, q):
    d = q * q / 4 + p**3 / 27
    if d >= 0:
        return np.cbrt(-q / 2 + np.sqrt(d)) + np.cbrt(-q / 2 - np.sqrt(d))
    r = 2 * np.sqrt(-p / 3)
    return r * np.cos(np.arccos(3 * q / (p * r)) / 3)


def quadratic(a, b, c):
    disc = b**2 - 4 * a * c
    if disc < 0:
        raise ValueError("no real roots")
    q = -0.5 * (b + math.copysign(math.sqrt(disc), b))
    return q / a, c / q


def lambert_w(z):
    w = math.log1p(z)
    for _ in range(30):
        e = math.exp(w)
        step = (w * e - z) / (e * (w + 1))
        w -= step
        if abs(step) < 1e-15:
            break
    return w


add(kepler, 1.1, 0.4)
add(kepler_in_place, [1.1, 0.7], 0.4)  # it writes to M, and so to what it solves for
add(kepler_array, [0.3, 1.1, 2.2], 0.4)
for f in (newton_sqrt, secant, halley, lambert_w):
    add(f, 2.3)
add(fixed_point, 0.8)
add(newton_system, 2.3, 0.7)
add(agm, 1.3, 0.4)
add(cubic_real_root, 1.3, 0.4)
add(cubic_real_root, -2.3, 0.4)
add(quadratic, 1.3, -4.4, 0.7)

# ---- differential equations


def rk4(y, k, dt=0.1):
    f = lambda t, y: np.array([y[1], -k * np.sin(y[0])])
    t = 0.0
    out = [y]
    for _ in range(10):
        k1 = f(t, y)
        k2 = f(t + dt / 2, y + dt / 2 * k1)
        k3 = f(t + dt / 2, y + dt / 2 * k2)
        k4 = f(t + dt, y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += dt
        out.append(y)
    return np.array(out)


def euler(y0, r, K):
    y = np.empty(20)
    y[0] = y0
    for i in range(19):
        y[i + 1] = y[i] + 0.1 * r * y[i] * (1 - y[i] / K)
    return y


def lotka_volterra(state, alpha, beta, gamma, delta):
    x, y = state
    xs, ys = [], []
    for _ in range(10):
        dx = alpha * x - beta * x * y
        dy = delta * x * y - gamma * y
        x, y = x + 0.02 * dx, y + 0.02 * dy
        xs.append(x)
        ys.append(y)
    return np.stack([xs, ys])


def adaptive_heun(y, k, T=1.0):
    t, h = 0.0, 0.1
    while t < T:
        h = min(h, T - t)
        k1 = -k * y
        k2 = -k * (y + h * k1)
        err = abs(h / 2 * (k2 - k1))
        if err < 1e-3:
            t, y = t + h, y + h / 2 * (k1 + k2)
        h *= 2 if err < 2.5e-4 else 0.5 if err >= 1e-3 else 1
    return y


def heat_equation(u, alpha):
    u = u.copy()
    for _ in range(20):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def heat_in_place(u, alpha):
    u = u.copy()
    for _ in range(5):
        lap = np.zeros_like(u)
        lap[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        u += alpha * lap
    return u


def crank_nicolson(u, r):
    n = u.size
    A = (
        np.diag((1 + r) * np.ones(n))
        + np.diag(-r / 2 * np.ones(n - 1), 1)
        + np.diag(-r / 2 * np.ones(n - 1), -1)
    )
    B = (
        np.diag((1 - r) * np.ones(n))
        + np.diag(r / 2 * np.ones(n - 1), 1)
        + np.diag(r / 2 * np.ones(n - 1), -1)
    )
    for _ in range(5):
        u = np.linalg.solve(A, B @ u)
    return u


def upwind(u, c):
    for _ in range(8):
        u = u - np.where(c > 0, c * (u - np.roll(u, 1)), c * (np.roll(u, -1) - u))
    return u


def burgers(u, nu):
    for _ in range(6):
        un = u.copy()
        u[1:-1] = un[1:-1] - 0.05 * un[1:-1] * (un[1:-1] - un[:-2]) + nu * (un[2:] - 2 * un[1:-1] + un[:-2])
    return u


def wave(u, c):
    old, now = u, u.copy()
    for _ in range(6):
        new = np.zeros_like(now)
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + c**2 * (now[2:] - 2 * now[1:-1] + now[:-2])
        old, now = now, new
    return now


def laplace_relaxation(top, bottom):
    u = np.zeros((5, 5))
    u[0], u[-1] = top, bottom
    for _ in range(30):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


def leapfrog(x, v, m):
    def acceleration(x):
        d = x[None, :, :] - x[:, None, :]
        r3 = (np.sum(d**2, axis=-1) + 0.01) ** 1.5
        return np.sum(m[None, :, None] * d / r3[:, :, None], axis=1)

    a = acceleration(x)
    for _ in range(5):
        v = v + 0.05 * a
        x = x + 0.1 * v
        a = acceleration(x)
        v = v + 0.05 * a
    return x, v


def nbody_loops(x, v):
    x, v = x.copy(), v.copy()
    n = len(x)
    for _ in range(3):
        acc = np.zeros_like(x)
        for i in range(n):
            for j in range(n):
                if i != j:
                    r = x[j] - x[i]
                    acc[i] += r / np.linalg.norm(r) ** 3
        v += 0.1 * acc
        x += 0.1 * v
    return x


def verlet(x, v, k):
    trajectory = np.zeros((8, 2))
    for i in range(8):
        trajectory[i] = x, v
        a = -k * x
        x = x + 0.1 * v + 0.005 * a
        v = v + 0.05 * (a + -k * x)
    return trajectory


def lorenz(state, sigma, rho, beta):
    x, y, z = state
    for _ in range(15):
        x, y, z = x + 0.01 * sigma * (y - x), y + 0.01 * (x * (rho - z) - y), z + 0.01 * (x * y - beta * z)
    return np.array([x, y, z])


def projectile(v, angle, drag):
    x = y = t = 0.0
    vx, vy = v * math.cos(angle), v * math.sin(angle)
    while y >= 0 and t < 0.8:
        speed = math.hypot(vx, vy)
        vx -= 0.02 * drag * speed * vx
        vy -= 0.02 * (9.81 + drag * speed * vy)
        x += 0.02 * vx
        y += 0.02 * vy
        t += 0.02
    return x


X = [[0.0, 0.1], [1.0, 0.2], [0.3, 1.1]]
add(rk4, [0.7, 0.1], 1.3)
add(euler, 0.1, 1.2, 0.9)
add(lotka_volterra, [1.1, 0.6], 1.1, 0.4, 0.4, 0.1)
add(adaptive_heun, 0.9, 0.8)
for f in (heat_equation, heat_in_place, crank_nicolson, upwind, burgers, wave):
    add(f, U, 0.2)
add(laplace_relaxation, U, P)
add(leapfrog, X, [[0.1, 0.0], [0.0, 0.3], [-0.2, 0.1]], [1.0, 0.5, 0.7])
add(nbody_loops, X, [[0.1, 0.0], [0.0, 0.3], [-0.2, 0.1]])
add(verlet, 1.1, 0.3, 0.7)
add(lorenz, [1.0, 1.1, 0.9], 10.0, 28.0, 2.7)
add(projectile, 20.0, 0.7, 0.02)

# ---- series, recurrences, polynomials, quadrature


def horner(c, x):
    r = 0.0
    for a in c[::-1]:
        r = r * x + a
    return r


def clenshaw(c, x):
    b1 = b2 = 0.0
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


def continued_fraction(x):
    f = 1.0
    for n in range(30, 0, -1):
        f = 1.0 + n * x / f
    return 1 / f


def lentz(x):
    """tan(x)"""
    f = c = 1e-30
    d = 0.0
    for n in range(1, 40):
        a, b = (x, 1.0) if n == 1 else (-x * x, 2.0 * n - 1)
        d = 1 / (b + a * d)
        c = b + a / c
        delta = c * d
        f *= delta
        if abs(delta - 1) < 1e-15:
            break
    return f


def exp_series(x):
    total = term = 1.0
    n = 0
    while abs(term) > 1e-17 * abs(total):
        n += 1
        term *= x / n
        total += term
    return total


def bessel_series(v, x):
    return sum(
        (-1) ** k / (math.factorial(k) * math.gamma(k + v + 1)) * (x / 2) ** (2 * k + v) for k in range(20)
    )


def legendre_recurrence(x):
    P = np.ones((6, x.size))
    P[1] = x
    for n in range(1, 5):
        P[n + 1] = ((2 * n + 1) * x * P[n] - n * P[n - 1]) / (n + 1)
    return P


def adaptive_simpson(a, b, k):
    f = lambda x: np.exp(-k * x) * np.sin(3 * x)

    def recurse(a, b, fa, fm, fb, whole, eps):
        m = (a + b) / 2
        fl, fr = f((a + m) / 2), f((m + b) / 2)
        left, right = (m - a) / 6 * (fa + 4 * fl + fm), (b - m) / 6 * (fm + 4 * fr + fb)
        if abs(left + right - whole) <= 15 * eps:
            return left + right + (left + right - whole) / 15
        return recurse(a, m, fa, fl, fm, left, eps / 2) + recurse(m, b, fm, fr, fb, right, eps / 2)

    fa, fm, fb = f(a), f((a + b) / 2), f(b)
    return recurse(a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), 1e-9)


def gauss_legendre(a, b, k):
    x, w = np.polynomial.legendre.leggauss(8)
    t = 0.5 * (b - a) * x + 0.5 * (b + a)
    return 0.5 * (b - a) * np.sum(w * np.exp(-k * t**2))


def romberg(a, b, k):
    f = lambda x: np.exp(-k * x)
    R = np.zeros((5, 5))
    for i in range(5):
        x = np.linspace(a, b, 2**i + 1)
        R[i, 0] = np.sum((f(x[1:]) + f(x[:-1])) / 2) * (b - a) / 2**i
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R[4, 4]


def trapezoid_by_hand(x, y):
    return sum((x[i + 1] - x[i]) * (y[i] + y[i + 1]) / 2 for i in range(len(x) - 1))


def aitken(x):
    return x[2:] - (x[2:] - x[1:-1]) ** 2 / (x[2:] - 2 * x[1:-1] + x[:-2])


def lanczos_gamma(z):
    g, p = 7, [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
               -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
               1.5056327351493116e-7]  # fmt: skip
    if z < 0.5:
        return np.pi / (np.sin(np.pi * z) * lanczos_gamma(1 - z))
    z -= 1
    x = p[0]
    for i in range(1, g + 2):
        x += p[i] / (z + i)
    t = z + g + 0.5
    return np.sqrt(2 * np.pi) * t ** (z + 0.5) * np.exp(-t) * x


def de_casteljau(points, t):
    points = list(points)
    while len(points) > 1:
        points = [(1 - t) * p + t * q for p, q in itertools.pairwise(points)]
    return points[0]


def natural_spline(x, y, at):
    n = len(x)
    h = np.diff(x)
    A = np.eye(n)
    r = np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        r[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    m = np.linalg.solve(A, r)
    i = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    t = at - x[i]
    slope = (y[i + 1] - y[i]) / h[i] - h[i] * (2 * m[i] + m[i + 1]) / 6
    return y[i] + t * (slope + t * (m[i] / 2 + t * (m[i + 1] - m[i]) / (6 * h[i])))


def lagrange(x, y, at):
    total = 0.0
    for i in range(len(x)):
        others = np.delete(x, i)
        total += y[i] * np.prod((at - others) / (x[i] - others))
    return total


def newton_divided(x, y, at):
    c = y.copy()
    n = len(x)
    for j in range(1, n):
        c[j:] = (c[j:] - c[j - 1 : -1]) / (x[j:] - x[: n - j])
    r = c[-1]
    for k in range(n - 2, -1, -1):
        r = r * (at - x[k]) + c[k]
    return r


def cox_de_boor(c, x):
    knots = np.arange(9.0)

    def B(i, k):
        if k == 0:
            return 1.0 if knots[i] <= x < knots[i + 1] else 0.0
        left = (x - knots[i]) / (knots[i + k] - knots[i]) * B(i, k - 1)
        return left + (knots[i + k + 1] - x) / (knots[i + k + 1] - knots[i + 1]) * B(i + 1, k - 1)

    return sum(c[i] * B(i, 3) for i in range(len(c)))


def fft_recursive(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fft_recursive(x[::2]), fft_recursive(x[1::2])
    factor = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + factor * odd, even - factor * odd])


def goertzel(x, k):
    w = 2 * np.cos(k)
    s1 = s2 = 0.0
    for v in x:
        s1, s2 = v + w * s1 - s2, s1
    return s1 * s1 + s2 * s2 - w * s1 * s2


def exponential_moving_average(x, alpha):
    out = np.zeros_like(x)
    out[0] = x[0]
    for t in range(1, len(x)):
        out[t] = alpha * x[t] + (1 - alpha) * out[t - 1]
    return out


def cumulative_max(x):
    out = [x[0]]
    for v in x[1:]:
        out.append(v if v > out[-1] else out[-1])
    return np.array(out)


def bubble_sort(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def welford(x):
    mean = m2 = 0.0
    for n, v in enumerate(x, 1):
        d = v - mean
        mean += d / n
        m2 += d * (v - mean)
    return mean, m2 / (len(x) - 1)


def kahan(x):
    total = c = 0.0
    for v in x:
        y = v - c
        t = total + y
        c = (t - total) - y
        total = t
    return total


def levinson(r):
    n = len(r) - 1
    a = np.zeros(n + 1)
    a[0] = 1.0
    e = r[0]
    for i in range(1, n + 1):
        k = -(r[i] + np.dot(a[1:i], r[i - 1 : 0 : -1])) / e
        a[1:i] = a[1:i] + k * a[i - 1 : 0 : -1]
        a[i] = k
        e *= 1 - k * k
    return a


C = [0.7, -0.2, 0.5, 0.3]
for f in (horner, clenshaw, goertzel):
    add(f, C, 0.6)
for f in (continued_fraction, lentz, exp_series):
    add(f, 0.7)
add(bessel_series, 0.7, 1.3)
add(legendre_recurrence, [0.3, -0.6])
add(adaptive_simpson, 0.2, 1.7, 0.9)
add(gauss_legendre, 0.2, 1.7, 0.9)
add(romberg, 0.2, 1.7, 0.9)
add(trapezoid_by_hand, P, U)
add(aitken, U)
add(lanczos_gamma, 2.7)
add(lanczos_gamma, 0.3)
add(de_casteljau, X, 0.3)
add(natural_spline, P, U, [1.2, 3.7])
add(lagrange, P, U, 2.2)
add(newton_divided, P, U, 2.2)
add(cox_de_boor, [*C, 0.1], 4.4)
add(fft_recursive, [*C, *C])
add(exponential_moving_average, U, 0.3)
for f in (cumulative_max, bubble_sort, welford, kahan):
    add(f, U)
add(levinson, [2.1, 0.7, 0.3, -0.2])
ROWS = list(add)
