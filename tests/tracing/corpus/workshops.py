"""Robots, filters, networks, images, controllers, queues, structures and circuits, in classes, closures and loops."""

import collections
import itertools
import math
import operator
import typing

import numpy as np
import numpy.linalg as la
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.spatial
import scipy.special
import scipy.stats
from numpy.lib.stride_tricks import sliding_window_view

from tests.tracing.corpus.row import Rows

add = Rows("workshops")
A = np.array
Y = A([0.3, 0.9, 1.4, 1.1, 0.2, -0.6, -0.9, -0.2, 0.5])
IMAGE = np.sin(np.arange(30.0) * 1.7).reshape(5, 6) + 1.3


# ---- robots


class _Joint(typing.NamedTuple):
    alpha: float
    a: float
    d: float

    def transform(self, q):
        ca, sa, cq, sq = np.cos(self.alpha), np.sin(self.alpha), np.cos(q), np.sin(q)
        return np.array(
            [
                [cq, -sq * ca, sq * sa, self.a * cq],
                [sq, cq * ca, -cq * sa, self.a * sq],
                [0, sa, ca, self.d],
                [0, 0, 0, 1],
            ]
        )


@add.on(A([0.3, -0.5, 0.9]), 0.4)
def manipulability(q, length):
    chain = [_Joint(np.pi / 2, 0.0, 0.3), _Joint(0.0, length, 0.0), _Joint(0.0, 0.25, 0.0)]
    frames = list(
        itertools.accumulate((j.transform(x) for j, x in zip(chain, q, strict=False)), operator.matmul)
    )
    tip = frames[-1][:3, 3]
    jacobian = np.zeros((3, 3))
    z, p = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    for k, frame in enumerate(frames):
        jacobian[:, k] = np.cross(z, tip - p)
        z, p = frame[:3, 2], frame[:3, 3]
    return tip, np.sqrt(np.abs(la.det(jacobian @ jacobian.T)))


@add.on(A([0.2, 0.7]), A([0.1, -0.4]), A([1.0, 0.8, 0.5]))
def two_link_dynamics(q, qd, p):
    m1, m2, l = p
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    mass = np.array(
        [[m1 + m2 * (1 + l**2 + 2 * l * c2), m2 * (l**2 + l * c2)], [m2 * (l**2 + l * c2), m2 * l**2]]
    )
    h = -m2 * l * s2
    coriolis = np.array([[h * qd[1], h * (qd[0] + qd[1])], [-h * qd[0], 0]])
    g = 9.81 * np.array([(m1 + m2) * np.cos(q[0]) + m2 * l * np.cos(q[0] + q[1]), m2 * l * np.cos(q.sum())])
    return scipy.linalg.solve(mass, -coriolis @ qd - g, assume_a="pos")


@add.on(A([0.1, -0.2, 0.3]), A([1.0, 0.0, 0.5]))
def rodrigues_and_back(rotvec, vector):
    theta = la.norm(rotvec)
    if theta < 1e-12:
        return vector, rotvec
    k = rotvec / theta
    skew = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    r = np.eye(3) + math.sin(theta) * skew + (1 - math.cos(theta)) * skew @ skew
    angle = np.arccos((np.trace(r) - 1) / 2)
    axis = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (2 * np.sin(angle))
    return r @ vector, angle * axis


class _Pose:
    __slots__ = ("h", "x", "y")

    def __init__(self, x=0.0, y=0.0, h=0.0):
        self.x, self.y, self.h = x, y, h

    def __add__(self, other):
        c, s = np.cos(self.h), np.sin(self.h)
        return _Pose(
            self.x + c * other.x - s * other.y,
            self.y + s * other.x + c * other.y,
            self.wrapped(self.h + other.h),
        )

    @staticmethod
    def wrapped(angle):
        return (angle + np.pi) % (2 * np.pi) - np.pi

    def __iter__(self):
        return iter((self.x, self.y, self.h))


@add.on(A([[0.5, 0.4], [0.7, -0.3], [0.2, 1.9], [0.6, 1.8]]), 0.3)
def odometry_of_poses(controls, base):
    steps = [_Pose(v * np.sinc(w / np.pi / 2), v * w / 2, w / base) for v, w in controls]
    return np.array([*sum(steps, start=_Pose())])


@add.on(A([0.0, 0.0, 0.4]), A([0.8, 0.2]), A([2.2, 0.3]))
def ekf_with_landmarks(state, control, reading):
    covariance = np.diag([0.1, 0.1, 0.05])
    x, y, h = state
    v, w = control
    predicted = np.array([x + v * np.cos(h), y + v * np.sin(h), h + w])
    f = np.eye(3)
    f[:2, 2] = -v * np.sin(h), v * np.cos(h)
    covariance = f @ covariance @ f.T + 0.01 * np.eye(3)
    landmark = np.array([2.5, 1.1])
    d = landmark - predicted[:2]
    q = d @ d
    z = np.array([np.sqrt(q), np.arctan2(d[1], d[0]) - predicted[2]])
    jac = np.array([[-d[0] / np.sqrt(q), -d[1] / np.sqrt(q), 0], [d[1] / q, -d[0] / q, -1]])
    s = jac @ covariance @ jac.T + np.diag([0.1, 0.02])
    gain = scipy.linalg.solve(s, jac @ covariance).T
    innovation = reading - z
    innovation[1] = np.arctan2(np.sin(innovation[1]), np.cos(innovation[1]))
    covariance -= gain @ s @ gain.T
    return predicted + gain @ innovation, np.trace(covariance)


@add.on(A([0.0, 1.0, 0.5, 2.0]), A([0.3, -0.1]))
def minimum_jerk_and_spline(way, speeds):
    times = np.array([0.0, 0.7, 1.5, 2.2])
    cs = scipy.interpolate.CubicSpline(times, way, bc_type=((1, speeds[0]), (1, speeds[1])))
    t = np.linspace(0, 2.2, 6)
    return cs(t), cs.derivative(2)(t).max(), cs.integrate(0.1, 2.0)


# ---- filters and models of series


class _Kalman:
    """As in many notebooks: predict, update, and everything in attributes."""

    def __init__(self, F, H, Q, R, x, P):
        self.F, self.H, self.Q, self.R, self.x, self.P = F, H, Q, R, x, P
        self.loglik = 0.0
        self.history = []

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q
        return self

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ la.inv(S)
        self.x = self.x + K @ y
        I_KH = np.eye(len(self.x)) - K @ self.H
        self.P = I_KH @ self.P @ I_KH.T + K @ self.R @ K.T
        _sign, logdet = la.slogdet(S)
        self.loglik += -0.5 * (logdet + y @ la.solve(S, y) + len(y) * np.log(2 * np.pi))
        self.history.append((self.x.copy(), self.P.copy()))

    def smooth(self):
        x, _P = self.history[-1]
        out = [x]
        for xf, Pf in self.history[-2::-1]:
            Pp = self.F @ Pf @ self.F.T + self.Q
            C = Pf @ self.F.T @ la.inv(Pp)
            x = xf + C @ (x - self.F @ xf)
            out.append(x)
        return np.array(out[::-1])


@add.on(Y, 0.3, 0.2)
def kalman_in_a_class(y, q, r):
    dt = 0.5
    k = _Kalman(
        np.array([[1, dt], [0, 1]]), np.array([[1.0, 0.0]]), q * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]]),
        np.array([[r]]), np.zeros(2), np.eye(2),
    )  # fmt: skip
    for z in y:
        if np.isnan(z):
            k.predict()
            continue
        k.predict().update(np.atleast_1d(z))
    return k.loglik, k.smooth()[:, 0]


@add.on(Y, A([0.5, -0.2]), 0.4)
def arma_likelihood_with_lfilter(y, ar, ma):
    residual = scipy.signal.lfilter(np.r_[1, -ar], [1, ma], y - y.mean())
    sigma2 = np.mean(residual**2)
    n = len(y)
    return -n / 2 * (np.log(2 * np.pi * sigma2) + 1), residual[-1]


@add.on(Y, 3.0)
def newey_west(y, lags):
    x = np.c_[np.ones(9), np.arange(9.0)]
    beta, *_ = la.lstsq(x, y, rcond=None)
    u = y - x @ beta
    xu = x * u[:, None]
    s = xu.T @ xu
    for l in range(1, 3):
        w = 1 - l / (lags + 1)
        gamma = xu[l:].T @ xu[:-l]
        s += w * (gamma + gamma.T)
    bread = la.inv(x.T @ x)
    return np.sqrt(np.diag(bread @ s @ bread))


@add.on(Y, 0.4, 0.2)
def holt_winters(y, alpha, beta):
    level, trend = y[0], y[1] - y[0]
    season = collections.deque([0.1, -0.1, 0.0], maxlen=3)
    errors = []
    for value in y[1:]:
        forecast = level + trend + season[0]
        errors.append(value - forecast)
        previous = level
        level = alpha * (value - season[0]) + (1 - alpha) * (level + trend)
        trend = beta * (level - previous) + (1 - beta) * trend
        season.append(0.3 * (value - level) + 0.7 * season[0])
    return np.sum(np.square(errors)), level + 2 * trend + season[1]


@add.on(A([0.9, 0.3, 0.1, 0.8]), A([0.1, 1.2]), 0.5)
def hamilton_filter(transition, means, sigma):
    p = transition.reshape(2, 2)
    p = p / p.sum(axis=1, keepdims=True)
    a = np.vstack([np.eye(2) - p.T, np.ones(2)])
    prob = la.lstsq(a, np.array([0.0, 0.0, 1.0]), rcond=None)[0]
    ll = 0
    for y in Y:
        density = np.exp(-0.5 * ((y - means) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
        joint = density * (p.T @ prob)
        ll += np.log(joint.sum())
        prob = joint / joint.sum()
    return ll, prob


@add.on(Y, 0.5)
def hodrick_prescott(y, lamb):
    n = len(y)
    d = scipy.sparse.diags([1, -2, 1], [0, 1, 2], shape=(n - 2, n)).toarray()
    banded = np.eye(n) + lamb * d.T @ d
    ab = np.zeros((3, n))
    for k in range(3):
        ab[k, : n - k] = np.diagonal(banded, k)
    return scipy.linalg.solveh_banded(ab, y, lower=True)


@add.on(A([[0.5, 0.1], [-0.2, 0.3]]), A([1.0, 0.4, 0.8]))
def impulse_responses_of_a_var(coefficients, chol):
    p = np.zeros((2, 2))
    p[np.tril_indices(2)] = chol
    responses = [p]
    for _ in range(4):
        responses.append(coefficients @ responses[-1])
    irf = np.stack(responses)
    shares = np.cumsum(irf**2, axis=0)
    sigma = scipy.linalg.solve_discrete_lyapunov(coefficients, p @ p.T)
    return shares / shares.sum(axis=2, keepdims=True), sigma


# ---- networks by hand


def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@add.on(np.cos(np.arange(12.0)).reshape(3, 4), np.sin(np.arange(16.0)).reshape(4, 4), 0.7)
def attention_with_heads(x, w, temperature):
    q, k, v = x @ w, x @ w.T, np.tanh(x @ w)
    heads = lambda z: z.reshape(3, 2, 2).transpose(1, 0, 2)
    q, k, v = map(heads, (q, k, v))
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(2) / temperature
    mask = np.triu(np.ones((3, 3), dtype=bool), 1)
    scores = np.where(mask, -np.inf, scores)
    out = np.einsum("hij,hjd->ihd", _softmax(scores), v)
    return out.reshape(3, -1)


class _RNN:
    def __init__(self, wx, wh, b):
        self.wx, self.wh, self.b = wx, wh, b
        self.reset()

    def reset(self):
        self.h = np.zeros(self.wh.shape[0])

    def __call__(self, x):
        self.h = np.tanh(self.wx * x + self.wh @ self.h + self.b)
        return self.h


@add.on(A([0.3, -0.5]), A([[0.2, 0.4], [-0.3, 0.1]]), A([0.1, 0.0]))
def recurrent_network(wx, wh, b):
    net = _RNN(wx, wh, b)
    outputs = [net(x) for x in Y[:5]]
    net.reset()
    last = net(Y[-1])
    return np.mean((np.array(outputs).sum(axis=1) - Y[1:6]) ** 2) + last @ last


@add.on(
    IMAGE[None, :4, :4].repeat(2, 0) * A([1.0, 0.7])[:, None, None],
    np.sin(np.arange(36.0)).reshape(2, 2, 3, 3),
)
def convolution_by_im2col(x, w):
    _c, h, width = x.shape
    k = w.shape[-1]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    cols = sliding_window_view(padded, (k, k), axis=(1, 2))
    cols = cols.transpose(1, 2, 0, 3, 4).reshape(h * width, -1)
    out = (cols @ w.reshape(2, -1).T).T.reshape(2, h, width)
    out *= out > 0
    pooled = out.reshape(2, h // 2, 2, width // 2, 2).max(axis=(2, 4))
    return pooled


@add.on(np.sin(np.arange(8.0)).reshape(4, 2), A([0.4, 0.1, -0.3]))
def cross_entropy_with_labels(logits, w):
    labels = np.array([0, 1, 1, 0])
    z = logits * w[:2] + w[2]
    z = z - scipy.special.logsumexp(z, axis=1, keepdims=True)
    return -z[np.arange(4), labels].mean() + 0.01 * la.norm(w) ** 2


class _Adam:
    def __init__(self, lr):
        self.lr, self.m, self.v, self.t = lr, {}, {}, 0

    def step(self, params, grads):
        self.t += 1
        for name in params:
            m = self.m[name] = 0.9 * self.m.get(name, 0) + 0.1 * grads[name]
            v = self.v[name] = 0.99 * self.v.get(name, 0) + 0.01 * grads[name] ** 2
            params[name] -= self.lr * (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.99**self.t)) + 1e-8)


@add.on(A([0.5, -0.3]), 0.05, A([0.2, 1.0, 1.7]))
def trained_by_adam(start, rate, targets):
    params = {"w": start.copy(), "b": np.zeros(1)}
    x = np.array([[0.1, 1.0], [0.7, 0.2], [1.2, -0.4]])
    adam = _Adam(rate)
    for _ in range(6):
        e = x @ params["w"] + params["b"] - targets
        adam.step(params, {"w": 2 * x.T @ e / 3, "b": np.array([2 * e.mean()])})
    return params["w"], params["b"]


@add.on(np.sin(np.arange(12.0)).reshape(4, 3), A([1.0, 0.8, 1.2]), A([0.1, 0.0, -0.1]))
def layer_norm_gelu_residual(x, gain, bias):
    mu, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    h = gain * (x - mu) / np.sqrt(var + 1e-5) + bias
    return x + 0.5 * h * (1 + scipy.special.erf(h / np.sqrt(2)))


@add.on(np.cos(np.arange(10.0)).reshape(5, 2), 0.8)
def contrastive_loss(embeddings, temperature):
    z = embeddings / la.norm(embeddings, axis=1, keepdims=True)
    s = z @ z.T / temperature
    np.fill_diagonal(s, -np.inf)
    positive = np.array([1, 0, 3, 2, 0])
    return -np.mean(s[np.arange(5), positive] - scipy.special.logsumexp(s, axis=1))


@add.on(np.sin(np.arange(12.0) * 2.1).reshape(6, 2), A([[0.5, 0.2], [-0.6, 0.3]]))
def kmeans_by_lloyd(points, centres):
    centres = centres.copy()
    for _ in range(10):
        d = ((points[:, None] - centres[None]) ** 2).sum(-1)
        labels = d.argmin(axis=1)
        new = np.array(
            [points[labels == k].mean(axis=0) if np.any(labels == k) else centres[k] for k in range(2)]
        )
        if np.allclose(new, centres):
            break
        centres = new
    return centres, np.sqrt(d.min(axis=1)).sum()


@add.on(np.sin(np.arange(10.0)).reshape(5, 2), A([0.1, 0.9, 0.4, 0.5, 0.3]))
def decision_stump(x, y):
    best = (np.inf, None, None)
    for j in range(x.shape[1]):
        order = x[:, j].argsort()
        xs, ys = x[order, j], y[order]
        for k in range(1, len(ys)):
            left, right = ys[:k], ys[k:]
            impurity = left.var() * left.size + right.var() * right.size
            if impurity < best[0]:
                best = (impurity, j, 0.5 * (xs[k] + xs[k - 1]))
    return best[0], best[2]


# ---- images


@add.on(IMAGE)
def sobel_and_suppression(image):
    gx = scipy.ndimage.sobel(image, axis=1)
    gy = scipy.ndimage.sobel(image, axis=0)
    magnitude = np.hypot(gx, gy)
    angle = np.rad2deg(np.arctan2(gy, gx)) % 180
    out = np.zeros_like(magnitude)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            a = angle[i, j]
            if a < 22.5 or a >= 157.5:
                n = magnitude[i, j - 1], magnitude[i, j + 1]
            elif a < 67.5:
                n = magnitude[i - 1, j + 1], magnitude[i + 1, j - 1]
            elif a < 112.5:
                n = magnitude[i - 1, j], magnitude[i + 1, j]
            else:
                n = magnitude[i - 1, j - 1], magnitude[i + 1, j + 1]
            if magnitude[i, j] >= max(n):
                out[i, j] = magnitude[i, j]
    return out


@add.on(IMAGE, 0.07)
def total_variation_denoised(noisy, weight):
    u = noisy.copy()
    px = py = np.zeros_like(noisy)
    for _ in range(4):
        gx = np.roll(u, -1, axis=1) - u
        gy = np.roll(u, -1, axis=0) - u
        px, py = px + 0.25 / weight * gx, py + 0.25 / weight * gy
        norm = np.maximum(1, np.sqrt(px**2 + py**2))
        px, py = px / norm, py / norm
        u = noisy + weight * (px - np.roll(px, 1, axis=1) + py - np.roll(py, 1, axis=0))
    return u


@add.on(IMAGE, 0.4)
def rotated_bilinear(image, angle):
    h, w = image.shape
    yy, xx = np.mgrid[:h, :w].astype(float)
    cy, cx = (h - 1) / 2, (w - 1) / 2
    ys = np.cos(angle) * (yy - cy) - np.sin(angle) * (xx - cx) + cy
    xs = np.sin(angle) * (yy - cy) + np.cos(angle) * (xx - cx) + cx
    x0, y0 = np.floor(xs).astype(int), np.floor(ys).astype(int)
    fx, fy = xs - x0, ys - y0
    get = lambda y, x: image[np.clip(y, 0, h - 1), np.clip(x, 0, w - 1)]
    return (
        get(y0, x0) * (1 - fx) * (1 - fy)
        + get(y0, x0 + 1) * fx * (1 - fy)
        + get(y0 + 1, x0) * (1 - fx) * fy
        + get(y0 + 1, x0 + 1) * fx * fy
    )


@add.on(IMAGE)
def otsu_threshold(image):
    low, high = image.min(), image.max()
    scaled = (image - low) / (high - low)
    hist, edges = np.histogram(scaled.ravel(), bins=8, range=(0, 1))
    centre = (edges[1:] + edges[:-1]) / 2
    w0 = np.cumsum(hist)
    w1 = hist.sum() - w0
    m0 = np.cumsum(hist * centre) / np.maximum(w0, 1)
    m1 = (np.sum(hist * centre) - np.cumsum(hist * centre)) / np.maximum(w1, 1)
    t = centre[np.argmax(w0 * w1 * (m0 - m1) ** 2)] * (high - low) + low
    return t, image[image > t].mean() - image[image <= t].mean()


@add.on(IMAGE, 1.8)
def gamma_and_unsharp(image, gamma):
    kernel = np.outer([1, 2, 1], [1, 2, 1]) / 16
    v = (np.clip(image, 0.05, None) / image.max()) ** (1 / gamma)
    blurred = scipy.signal.convolve2d(v, kernel, mode="same", boundary="symm")
    return np.clip(v + 1.5 * (v - blurred), 0, 1)


@add.on(IMAGE)
def integral_image_and_local_variance(image):
    s = np.pad(image, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    s2 = np.pad(image**2, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    box = lambda z: z[3:, 3:] - z[:-3, 3:] - z[3:, :-3] + z[:-3, :-3]
    return box(s2) / 9 - (box(s) / 9) ** 2


@add.on(A([0.1, 0.3, 1.2]), 0.2)
def snake_energy(radii, stiffness):
    t = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    r = 2 + radii[0] * np.cos(t) + radii[1] * np.sin(2 * t)
    x, y = 2.5 + r * np.cos(t) * 0.9, 2 + r * np.sin(t) * 0.7
    sampled = scipy.ndimage.map_coordinates(IMAGE, [y, x], order=1, mode="nearest")
    bending = np.sum(
        (np.roll(x, 1) - 2 * x + np.roll(x, -1)) ** 2 + (np.roll(y, 1) - 2 * y + np.roll(y, -1)) ** 2
    )
    return sampled.sum() * radii[2] + stiffness * bending


# ---- controllers


@add.on(A([[1.0, 0.1], [0.0, 0.9]]), A([[0.0], [0.1]]), 0.5)
def finite_horizon_lqr(a, b, r):
    p = np.eye(2)
    gains = []
    for _ in range(15):
        k = la.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = np.eye(2) + a.T @ p @ (a - b @ k)
        gains.append(k)
    x, cost = np.array([1.0, 0.0]), 0.0
    for k in reversed(gains):
        u = -k @ x
        cost += x @ x + r * u @ u
        x = a @ x + b @ u
    return cost, gains[-1]


@add.on(A([[0.0, 1.0], [-0.5, -0.2]]), A([[0.0], [1.0]]), 0.3)
def care_gain_and_poles(a, b, r):
    p = scipy.linalg.solve_continuous_are(a, b, np.eye(2), np.array([[r]]))
    k = b.T @ p / r
    poles = la.eigvals(a - b @ k)
    return k, np.sort(poles.real), np.abs(poles).max()


class _PID:
    def __init__(self, kp, ki, kd, limit=1.5):
        self.gains, self.limit = (kp, ki, kd), limit
        self.integral, self.before = 0.0, None

    def __call__(self, error, dt):
        kp, ki, kd = self.gains
        derivative = 0.0 if self.before is None else (error - self.before) / dt
        self.before = error
        u = kp * error + ki * self.integral + kd * derivative
        if abs(u) < self.limit:  # anti-windup
            self.integral += error * dt
        return min(max(u, -self.limit), self.limit)


@add.on(A([2.0, 0.8, 0.1]), A([1.0, 0.5]))
def pid_on_a_mass(gains, plant):
    pid, position, speed, out = _PID(*gains), 0.0, 0.0, []
    for _ in range(15):
        u = pid(1.0 - position, 0.1)
        speed += 0.1 * (u - plant[1] * speed) / plant[0]
        position += 0.1 * speed
        out.append(position)
    return np.array(out), sum((1 - p) ** 2 for p in out)


@add.on(A([1.0, 3.0]), A([1.0, 2.0, 5.0, 1.0]))
def bode_margins(num, den):
    w = np.logspace(-2, 1, 40)
    h = np.polyval(num, 1j * w) / np.polyval(den, 1j * w)
    magnitude = 20 * np.log10(np.abs(h))
    phase = np.unwrap(np.angle(h))
    crossing = np.interp(0.0, -magnitude[5:], w[5:])
    return np.interp(crossing, w, phase), magnitude.max()


@add.on(A([0.5, 1.2]), A([1.0, 0.3]))
def lyapunov_and_gramian(decay, gain):
    a = np.array([[-decay[0], 0.3], [0.0, -decay[1]]])
    b = gain[:, None]
    w = scipy.linalg.solve_continuous_lyapunov(a, -b @ b.T)
    hankel = np.sqrt(la.eigvals(w @ w.T).real)
    sys = scipy.linalg.expm(np.block([[a, b], [np.zeros((1, 3))]]) * 0.1)
    return w, np.sort(hankel), sys[:2, 2]


# ---- queues, traffic, games, populations


@add.on(3.0, 0.9)
def erlang_c(load, rate):
    servers = 5
    b = 1.0
    for k in range(1, servers + 1):
        b = load * b / (k + load * b)
    c = servers * b / (servers - load * (1 - b))
    return c, c / (servers * rate - load * rate), 1 - c * np.exp(-(servers - load) * rate * 0.5)


@add.on(A([1.0, 0.7]), A([1.2, 1.5, 0.9]))
def birth_death_stationary(birth, death):
    up = np.array([*birth, birth[-1]])
    ratio = np.cumprod(np.concatenate([[1.0], up / death]))
    p = ratio / ratio.sum()
    return p, p @ np.arange(4), (p[1:] * death).sum()


@add.on(A([0.2, 0.9, 1.7, 1.9, 3.1]), A([0.8, 0.7, 0.4, 1.2, 0.3]))
def lindley_recursion(arrivals, services):
    free = [0.0, 0.0]
    waits = []
    for a, s in zip(arrivals, services, strict=True):
        k = free.index(min(free))
        begin = max(a, free[k])
        waits.append(begin - a)
        free[k] = begin + s
    return waits, max(free)


@add.on(A([0.3, 0.4]), A([0.2, 0.5, 0.3]))
def jackson_network(external, routing):
    p = np.array([[0.0, routing[0]], [routing[1], 0.0]])
    lam = la.solve(np.eye(2) - p.T, external)
    mu = np.array([1.0, 1.2])
    rho = lam / mu
    if np.any(rho >= 1):
        raise ValueError("unstable")
    return np.sum(rho / (1 - rho)) / external.sum()


@add.on(A([0.02, 0.05, 0.06, 0.03, 0.01]), A([28.0, 0.1]))
def cell_transmission(density, road):
    free, jam = road
    rho = density.copy()
    for _ in range(6):
        send = np.minimum(free * rho, 0.6)
        receive = np.minimum(0.6, 6.0 * (jam - rho))
        flow = np.minimum(send[:-1], receive[1:])
        rho[:-1] -= 0.02 * flow
        rho[1:] += 0.02 * flow
    return rho


@add.on(A([20.0, 18.0, 19.0]), A([0.0, -25.0, -60.0]), 1.4)
def intelligent_drivers(v, x, headway):
    v, x = v.copy(), x.copy()
    for _ in range(8):
        gap = x[:-1] - x[1:] - 5
        dv = v[1:] - v[:-1]
        star = 2 + np.maximum(0, v[1:] * headway + v[1:] * dv / (2 * np.sqrt(1.1 * 1.5)))
        a = np.r_[0.0, 1.1 * (1 - (v[1:] / 30) ** 4 - (star / gap) ** 2)]
        v += 0.2 * a
        x += 0.2 * v
    return x, v


@add.on(A([10.0, 15.0]), A([0.5, 0.8]), 8.0)
def wardrop_equilibrium(free, slope, demand):
    cost = lambda f: free + slope * f
    difference = lambda f: cost(np.array([f, demand - f]))[0] - cost(np.array([f, demand - f]))[1]
    f = scipy.optimize.brentq(difference, 0, demand) if difference(0) * difference(demand) < 0 else demand
    return f, cost(np.array([f, demand - f]))


@add.on(A([[3.0, 0.0], [5.0, 1.0]]), A([0.4, 0.6]))
def replicator_dynamics(payoff, share):
    x = share / share.sum()
    for _ in range(20):
        fitness = payoff @ x
        x = x * fitness / (x @ fitness)
    return x


@add.on(A([[2.0, -1.0, 0.5], [-1.5, 1.0, 0.3]]))
def zero_sum_value_by_linprog(payoff):
    shifted = payoff - payoff.min() + 1
    res = scipy.optimize.linprog(
        np.ones(2), A_ub=-shifted.T, b_ub=-np.ones(3), bounds=[(0, None)] * 2, method="highs"
    )
    value = 1 / res.fun
    return value + payoff.min() - 1, res.x * value


@add.on(A([12.0, 10.0]), A([1.0, 1.5]), 0.5)
def cournot_by_best_responses(demand, costs, substitution):
    q = np.zeros(2)
    for _ in range(60):
        new = np.maximum(0, (demand - costs - substitution * q[::-1]) / 2)
        if np.max(np.abs(new - q)) < 1e-14:
            break
        q = new
    return q, (demand - q - substitution * q[::-1] - costs) * q


@add.on(A([0.5, 0.3, 0.2]), 0.85)
def pagerank_of_weights(w, damping):
    adjacency = np.array([[0, w[0], w[1]], [w[2], 0, 1], [1, w[0], 0]])
    m = adjacency / adjacency.sum(0)
    r = np.full(3, 1 / 3)
    for _ in itertools.repeat(None, 100):
        r, before = damping * m @ r + (1 - damping) / 3, r
        if la.norm(r - before, 1) < 1e-15:
            break
    return r


@add.on(A([0.0, 1.2, 1.1]), A([0.4, 0.7]), 0.2)
def elasticities_of_a_leslie_matrix(fertility, survival, harvest):
    m = np.zeros((3, 3))
    m[0] = fertility * (1 - harvest)
    m[[1, 2], [0, 1]] = survival
    values, right = la.eig(m)
    k = values.real.argmax()
    lam = values[k].real
    w = right[:, k].real
    left_values, left = la.eig(m.T)
    v = left[:, left_values.real.argmax()].real
    sensitivity = np.outer(v, w) / (v @ w)
    return lam, m * sensitivity / lam


@add.on(A([10.0, 5.0]), A([0.4, 0.1, 0.3]))
def predators_with_a_refuge(state, p):
    prey, hunters = state
    record = []
    for _step in range(12):
        eaten = p[0] * prey * hunters / (1 + p[1] * prey) if prey > 2 else 0.0
        prey, hunters = (
            prey + 0.1 * (prey * (1 - prey / 30) - eaten),
            hunters + 0.1 * (p[2] * eaten - 0.3 * hunters),
        )
        record.append(prey)
    return max(record), min(record), hunters


ROWS = list(add)
