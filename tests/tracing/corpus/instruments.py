"""Robotics, colour, sound, likelihoods, chemistry, networks, astronomy, optics and statistics."""

import collections
import functools
import itertools
import math

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy import integrate, optimize, signal, special, stats

from tests.tracing.corpus.row import Rows

add = Rows("instruments")

A = np.array


V = A([0.31, -0.72, 1.15, 0.58, -1.4, 0.9])


S = np.sin(np.arange(24.0) * 0.7) + 0.3 * np.cos(np.arange(24.0) ** 1.3)


def dh(a, alpha, d, th):
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(th), np.sin(th)
    return np.array(
        [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    )


@add.on(A([0.1, 0.5, -0.3]), A([0.4, 0.3, 0.2]))
def dh_chain_jacobian(q, links):
    T = functools.reduce(
        np.matmul,
        [
            dh(a, al, d, th)
            for a, al, d, th in zip(links, [np.pi / 2, 0, 0.2], [0.1, 0, 0.05], q, strict=False)
        ],
    )
    R = T[:3, :3]
    rpy = [np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), np.arctan2(R[1, 0], R[0, 0])]
    return T[:3, 3], np.array(rpy)


@add.on(A([0.9, 0.1, -0.3, 0.2]), A([0.4, 0.3, 0.2]))
def quat_ops(q, v):
    def mul(a, b):
        w1, x1, y1, z1 = a
        w2, x2, y2, z2 = b
        return np.array(
            [
                w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
                w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
                w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
                w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
            ]
        )

    q = q / np.linalg.norm(q)
    conj = q * [1, -1, -1, -1]
    r = mul(mul(q, np.r_[0, v]), conj)[1:]
    ang = 2 * np.arctan2(np.linalg.norm(q[1:]), q[0])
    return r, ang * q[1:] / np.linalg.norm(q[1:])


@add.on(A([[0.9, 0.1, -0.2], [0.0, 1.0, 0.3], [0.3, -0.2, 0.8]]))
def rotation_to_quaternion_branches(R):
    t = np.trace(R)
    if t > 0:
        s = 0.5 / np.sqrt(t + 1.0)
        return np.array([0.25 / s, (R[2, 1] - R[1, 2]) * s, (R[0, 2] - R[2, 0]) * s, (R[1, 0] - R[0, 1]) * s])
    i = int(np.argmax(np.diag(R)))
    return np.full(4, R[i, i])


@add.on(A([0.3, -0.2, 0.5]), A([0.1, 0.4, -0.6]))
def scipy_rotation(a, v):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(a).apply(v)


@add.on(A([0.3, 0.4]), A([0.8, 0.5]))
def ik_newton_damped(target, L):
    q = np.array([0.2, 0.9])
    for _k in range(60):
        c1, s1, c12, s12 = np.cos(q[0]), np.sin(q[0]), np.cos(q.sum()), np.sin(q.sum())
        p = np.array([L[0] * c1 + L[1] * c12, L[0] * s1 + L[1] * s12])
        J = np.array([[-L[0] * s1 - L[1] * s12, -L[1] * s12], [L[0] * c1 + L[1] * c12, L[1] * c12]])
        e = target + 0.3 - p
        if np.linalg.norm(e) < 1e-13:
            break
        q += np.linalg.lstsq(J, e, rcond=None)[0]
    return q


@add.on(A([[0.2, 0.5, 0.8], [0.9, 0.1, 0.03]]))
def oklab_cbrt(rgb):
    lin = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    m1 = A([[0.412, 0.536, 0.051], [0.211, 0.68, 0.107], [0.088, 0.281, 0.63]])
    lab = np.cbrt(lin @ m1.T) @ A([[0.21, 0.79, -0.004], [1.97, -2.42, 0.45], [0.025, 0.78, -0.8]]).T
    return lab, np.hypot(lab[:, 1], lab[:, 2]), np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) % 360


@add.on(A([50.0, 2.6, -79.0]), A([48.0, 10.0, -70.0]))
def ciede2000(l1, l2):
    L1, a1, b1 = l1
    L2, a2, b2 = l2
    C = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    G = 0.5 * (1 - np.sqrt(C**7 / (C**7 + 25**7)))
    a1p, a2p = (1 + G) * a1, (1 + G) * a2
    C1, C2 = np.hypot(a1p, b1), np.hypot(a2p, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1p)) % 360, np.degrees(np.arctan2(b2, a2p)) % 360
    dh = h2 - h1
    if dh > 180:
        dh -= 360
    elif dh < -180:
        dh += 360
    H = (h1 + h2) / 2 if abs(h1 - h2) <= 180 else (h1 + h2 + 360) / 2
    T = (
        1
        - 0.17 * np.cos(np.radians(H - 30))
        + 0.24 * np.cos(np.radians(2 * H))
        + 0.32 * np.cos(np.radians(3 * H + 6))
        - 0.2 * np.cos(np.radians(4 * H - 63))
    )
    Lb, Cb = (L1 + L2) / 2, (C1 + C2) / 2
    SL = 1 + 0.015 * (Lb - 50) ** 2 / np.sqrt(20 + (Lb - 50) ** 2)
    SC, SH = 1 + 0.045 * Cb, 1 + 0.015 * Cb * T
    dH = 2 * np.sqrt(C1 * C2) * np.sin(np.radians(dh / 2))
    RT = -2 * np.sqrt(Cb**7 / (Cb**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((H - 275) / 25) ** 2))))
    return np.sqrt(
        ((L2 - L1) / SL) ** 2 + ((C2 - C1) / SC) ** 2 + (dH / SH) ** 2 + RT * (C2 - C1) / SC * dH / SH
    )


@add.on(0.3, 0.7, 0.5)
def colorsys_hls(r, g, b):
    import colorsys

    return colorsys.rgb_to_hls(r, g, b) + colorsys.hsv_to_rgb(r, g, b) + colorsys.rgb_to_yiq(r, g, b)


@add.on(A([0.3, 0.7, 0.5]))
def tone_map_aces(c):
    a, b, cc, d, e = 2.51, 0.03, 2.43, 0.59, 0.14
    return np.clip((c * (a * c + b)) / (c * (cc * c + d) + e), 0, 1)


@add.on(5500.0)
def planckian_xy(T):
    if 1667 <= T <= 4000:
        x = -0.2661239e9 / T**3 - 0.2343589e6 / T**2 + 0.8776956e3 / T + 0.17991
    elif 4000 < T <= 25000:
        x = -3.0258469e9 / T**3 + 2.1070379e6 / T**2 + 0.2226347e3 / T + 0.24039
    else:
        raise ValueError("out of range")
    return x, 3.0817580 * x**3 - 5.8733867 * x**2 + 3.75112997 * x - 0.37001483


@add.on(S, 0.3)
def karplus_strong(s, damp):
    buf = collections.deque(s[:8], maxlen=8)
    out = []
    for _ in range(20):
        out.append(buf[0])
        buf.append((1 - damp) * 0.5 * (buf[0] + buf[1]))
    return np.array(out)


@add.on(S)
def cepstrum_pitch(s):
    sp = np.abs(np.fft.rfft(s * np.hanning(24)))
    c = np.fft.irfft(np.log(sp + 1e-3))
    k = 3 + np.argmax(c[3:10])
    a, b, d = c[k - 1], c[k], c[k + 1]
    return k + 0.5 * (a - d) / (a - 2 * b + d), b


@add.on(S)
def overlap_add(s):
    w = np.sqrt(np.hanning(9)[:-1])
    out = np.zeros(24)
    for i in range(0, 17, 4):
        X = np.fft.rfft(s[i : i + 8] * w)
        X[2:] *= 0.5
        out[i : i + 8] += np.fft.irfft(X) * w
    return out


@add.on(S, 0.4, 0.8)
def freq_response_sos(s, f, q):
    w0 = 2 * np.pi * f / 2
    al = np.sin(w0) / (2 * q)
    b = np.array([1 + al, -2 * np.cos(w0), 1 - al])
    a = np.array([1 + al / 2, -2 * np.cos(w0), 1 - al / 2])
    _w, h = signal.freqz(b / a[0], a / a[0], worN=5)
    y = signal.lfilter(b / a[0], a / a[0], s)
    z = signal.filtfilt([0.5, 0.5], [1.0], s)
    return np.abs(h), np.angle(h), y[-3:], z[4]


@add.on(S)
def peaks_with_prominence(s):
    p, d = signal.find_peaks(s, prominence=0.1)
    return d["prominences"], signal.peak_widths(s, p)[0] if False else s[p]


@add.on(A([[0.7, 0.3], [0.2, 0.8]]), A([0.5, -0.2]))
def viterbi_backpointers(T, mu):
    obs = A([0.3, 0.6, -0.4])
    L = np.log(T)
    d = -0.5 * (obs[0] - mu) ** 2
    bp = []
    for o in obs[1:]:
        s = d[:, None] + L
        bp.append(s.argmax(0))
        d = s.max(0) - 0.5 * (o - mu) ** 2
    path = [int(np.argmax(d))]
    for b in bp[::-1]:
        path.append(int(b[path[-1]]))
    return d.max(), mu[path[::-1]]


@add.on(A([0.3, 0.5, 0.2, 0.9]), 0.5, 0.3)
def rts_dict_history(y, q, r):
    F = A([[1, 1.0], [0, 1]])
    H = A([[1.0, 0]])
    Q = q * A([[1 / 3, 0.5], [0.5, 1]])
    x, P = np.zeros(2), np.eye(2)
    h = {"x": [], "P": [], "xp": [], "Pp": []}
    ll = 0
    for z in y:
        x, P = F @ x, F @ P @ F.T + Q
        h["xp"].append(x)
        h["Pp"].append(P)
        Sx = (H @ P @ H.T).item() + r
        K = (P @ H.T / Sx).ravel()
        v = z - (H @ x)[0]
        x = x + K * v
        P = P - np.outer(K, K) * Sx
        ll += -0.5 * (np.log(2 * np.pi * Sx) + v**2 / Sx)
        h["x"].append(x)
        h["P"].append(P)
    xs = h["x"][-1]
    for k in range(2, -1, -1):
        G = np.linalg.solve(h["Pp"][k + 1].T, (h["P"][k] @ F.T).T).T
        xs = h["x"][k] + G @ (xs - h["xp"][k + 1])
    return ll, xs


@add.on(A([0.3, 0.5, 0.2, 0.9]), 0.5)
def particle_fixed_resample(y, sig):
    rng = np.random.default_rng(0)
    eps = rng.normal(size=(4, 10))
    x = rng.normal(size=10)
    ll = 0
    for t in range(4):
        x = 0.8 * x + sig * eps[t]
        lw = stats.norm.logpdf(y[t], x, 0.4)
        ll += special.logsumexp(lw) - np.log(10)
        w = np.exp(lw - lw.max())
        w /= w.sum()
        x = w @ x + 0.5 * (x - w @ x)
    return ll


@add.on(320.0, 1.1e5)
def nasa_polynomials_kp(T, P):
    lo = A([3.53, -1.2e-4, -5.0e-7, 2.4e-9, -1.4e-12, -1047.0, 2.97])
    hi = A([2.95, 1.4e-3, -4.9e-7, 7.9e-11, -4.6e-15, -924.0, 5.87])
    a = lo if T < 1000 else hi
    cp = np.polyval(a[4::-1], T)
    H = sum(a[i] * T**i / (i + 1) for i in range(5)) + a[5] / T
    S_ = a[0] * np.log(T) + sum(a[i] * T**i / i for i in range(1, 5)) + a[6]
    return cp, H - S_, np.exp(S_ - H) * (P / 101325) ** -0.5


@add.on(A([0.1, 0.2]), 1e-2)
def buffer_brentq_ph(conc, ka):
    f = lambda pH: 10**-pH + conc[1] - 1e-14 / 10**-pH - conc[0] * ka / (ka + 10**-pH)
    return optimize.brentq(f, 0, 14, xtol=1e-13)


@add.on(A([0.3, 0.7]), 330.0)
def nrtl_gamma(x, T):
    tau = A([[0, 300.0], [150.0, 0]]) / T
    G = np.exp(-0.3 * tau)
    out = []
    for i in range(2):
        a = sum(x[j] * tau[j, i] * G[j, i] for j in range(2)) / sum(x[k] * G[k, i] for k in range(2))
        b = sum(
            x[j]
            * G[i, j]
            / (x @ G[:, j])
            * (tau[i, j] - sum(x[m] * tau[m, j] * G[m, j] for m in range(2)) / (x @ G[:, j]))
            for j in range(2)
        )
        out.append(np.exp(a + b))
    return np.array(out)


@add.on(1.2, 0.4, 0.9)
def three_compartment_eig(k12, k21, ke):
    K = np.array([[-(k12 + ke), k21, 0], [k12, -k21, 0.1], [ke, 0, -0.1]])
    w, v = np.linalg.eig(K)
    c = np.linalg.solve(v, np.array([1.0, 0, 0]))
    return (v * np.exp(w * 0.8) @ c).real


@add.on(np.sin(np.arange(50.0)).reshape(1, 2, 5, 5), np.cos(np.arange(24.0)).reshape(3, 2, 2, 2))
def conv2d_strided(x, w):
    n, c, h, ww = x.shape
    _f, _, kh, kw = w.shape
    s = x.strides
    cols = as_strided(x, (n, c, kh, kw, h - kh + 1, ww - kw + 1), (s[0], s[1], s[2], s[3], s[2], s[3]))
    out = np.tensordot(w, cols, axes=((1, 2, 3), (1, 2, 3))).transpose(1, 0, 2, 3)
    out = np.maximum(out, 0.1 * out)
    return out.reshape(1, 3, 2, 2, 2, 2).max(axis=(3, 5))


@add.on(np.sin(np.arange(12.0)).reshape(3, 4), A([1.0, 0.3, 0.2, 0.9]))
def batchnorm_running_class(x, g):
    class BN:
        def __init__(self, g):
            self.g, self.m, self.v, self.training = g, np.zeros(4), np.ones(4), True

        def __call__(self, x):
            if self.training:
                m, v = x.mean(0), x.var(0)
                self.m = 0.9 * self.m + 0.1 * m
                self.v *= 0.9
                self.v += 0.1 * v
            else:
                m, v = self.m, self.v
            return self.g * (x - m) / np.sqrt(v + 1e-5)

    bn = BN(g)
    y = bn(x)
    bn.training = False
    return y, bn(x)


@add.on(np.sin(np.arange(12.0)).reshape(3, 4), np.cos(np.arange(48.0)).reshape(4, 12))
def gru_cell_dict(x, W):
    P = dict(zip("zrh", np.split(W, 3, axis=1), strict=False))
    h = np.zeros(4)
    sg = special.expit
    for t in x:
        z, r = (sg(t @ P[k] + h * 0.3) for k in "zr")
        h = (1 - z) * h + z * np.tanh(t @ P["h"] + r * h)
    return h


@add.on(np.sin(np.arange(12.0)).reshape(3, 4))
def manual_backprop_mlp(W):
    x = A([[0.1, 0.4, -0.3], [0.5, -0.2, 0.6]])
    y = A([0, 2])
    h = x @ W
    a = np.where(h > 0, h, 0.01 * h)
    p = special.softmax(a, axis=1)
    loss = -np.log(p[np.arange(2), y]).mean()
    g = p.copy()
    g[range(2), y] -= 1
    g /= 2
    g = g * np.where(h > 0, 1, 0.01)
    return loss, W - 0.1 * x.T @ g


@add.on(np.sin(np.arange(12.0)).reshape(3, 4))
def dropout_fixed_mask(W):
    rng = np.random.RandomState(0)
    m = rng.rand(*W.shape) < 0.7
    return (W * m / 0.7).sum(1) ** 2


@add.on(np.sin(np.arange(12.0)).reshape(3, 4), A([0.2, 0.5, 0.3]))
def embedding_lookup_scatter(W, g):
    ids = np.array([2, 0, 2])
    e = W[ids]
    G = np.zeros_like(W)
    np.add.at(G, ids, g[:, None] * e)
    return G


@add.on(A([0.2, 0.5, 0.3]))
def sinkhorn_logspace(a):
    C = A([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 0.5
    f = g = np.zeros(3)
    la, lb = np.log(a / a.sum()), np.log(A([0.3, 0.3, 0.4]))
    for _ in range(30):
        f = la - special.logsumexp(g[None, :] - C, axis=1)
        g = lb - special.logsumexp(f[:, None] - C, axis=0)
    return (np.exp(f[:, None] + g - C) * C).sum()


@add.on(30.0, 1010.0, 10.0)
def refraction_bennett(h, P, T):
    R = 1 / math.tan(math.radians(h + 7.31 / (h + 4.4)))
    return (R - 0.06 * math.sin(math.radians(14.7 * R + 13))) * P / 1010 * 283 / (273 + T)


@add.on(0.5, 0.8)
def vincenty_while(lat1, lon2):
    a, f = 6378137.0, 1 / 298.257223563
    b = (1 - f) * a
    U1, U2, L = math.atan((1 - f) * math.tan(lat1)), math.atan((1 - f) * math.tan(0.2)), lon2
    lam = L
    for _ in range(200):
        ss = math.hypot(
            math.cos(U2) * math.sin(lam),
            math.cos(U1) * math.sin(U2) - math.sin(U1) * math.cos(U2) * math.cos(lam),
        )
        if ss == 0:
            return 0.0
        cs = math.sin(U1) * math.sin(U2) + math.cos(U1) * math.cos(U2) * math.cos(lam)
        s = math.atan2(ss, cs)
        sa = math.cos(U1) * math.cos(U2) * math.sin(lam) / ss
        c2 = 1 - sa**2
        try:
            cm = cs - 2 * math.sin(U1) * math.sin(U2) / c2
        except ZeroDivisionError:
            cm = 0.0
        C = f / 16 * c2 * (4 + f * (4 - 3 * c2))
        old = lam
        lam = L + (1 - C) * f * sa * (s + C * ss * (cm + C * cs * (-1 + 2 * cm**2)))
        if abs(lam - old) < 1e-13:
            break
    u2 = c2 * (a * a - b * b) / b**2
    A_ = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    B = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    return (
        b
        * A_
        * (
            s
            - B
            * ss
            * (cm + B / 4 * (cs * (-1 + 2 * cm**2) - B / 6 * cm * (-3 + 4 * ss**2) * (-3 + 4 * cm**2)))
        )
    )


@add.on(0.85, 0.18)
def utm_series(lat, lon):
    k0, a, e2 = 0.9996, 6378137.0, 0.00669438
    zone = int((math.degrees(lon) + 180) / 6) + 1
    lon0 = math.radians((zone - 1) * 6 - 180 + 3)
    N = a / math.sqrt(1 - e2 * math.sin(lat) ** 2)
    T = math.tan(lat) ** 2
    C = e2 / (1 - e2) * math.cos(lat) ** 2
    A_ = math.cos(lat) * (lon - lon0)
    M = a * ((1 - e2 / 4) * lat - 3 * e2 / 8 * math.sin(2 * lat) + 15 * e2**2 / 256 * math.sin(4 * lat))
    return k0 * N * (A_ + (1 - T + C) * A_**3 / 6) + 500000, k0 * (M + N * math.tan(lat) * (A_**2 / 2))


@add.on(4e6, 1e6, 4.8e6)
def ecef_bowring_loop(x, y, z):
    a, e2 = 6378137.0, 0.00669438
    p = math.sqrt(x * x + y * y)
    lat = math.atan2(z, p * (1 - e2))
    h = 0.0
    while True:
        N = a / math.sqrt(1 - e2 * math.sin(lat) ** 2)
        h_old = h
        h = p / math.cos(lat) - N
        lat = math.atan2(z, p * (1 - e2 * N / (N + h)))
        if abs(h - h_old) < 1e-8:
            return lat, math.atan2(y, x), h


@add.on(A([7000.0, 300.0, 1200.0]), A([0.5, 7.2, 1.0]))
def kepler_propagate_universal(r, v):
    mu, dt = 398600.4418, 600.0
    r0, v0 = np.linalg.norm(r), np.linalg.norm(v)
    vr = r @ v / r0
    al = 2 / r0 - v0**2 / mu
    C = lambda z: (1 - math.cos(math.sqrt(z))) / z if z > 0 else 0.5
    S_ = lambda z: (math.sqrt(z) - math.sin(math.sqrt(z))) / z**1.5 if z > 0 else 1 / 6
    chi = math.sqrt(mu) * abs(al) * dt
    ratio = 1.0
    while abs(ratio) > 1e-10:
        z = al * chi**2
        F = (
            r0 * vr / math.sqrt(mu) * chi**2 * C(z)
            + (1 - al * r0) * chi**3 * S_(z)
            + r0 * chi
            - math.sqrt(mu) * dt
        )
        dF = r0 * vr / math.sqrt(mu) * chi * (1 - z * S_(z)) + (1 - al * r0) * chi**2 * C(z) + r0
        ratio = F / dF
        chi -= ratio
    z = al * chi**2
    f, g = 1 - chi**2 / r0 * C(z), dt - chi**3 / math.sqrt(mu) * S_(z)
    return f * r + g * v


@add.on(0.3, 1.2, 0.5)
def transit_quad_limb(k, b, u):
    t = np.linspace(-0.8, 0.8, 9)
    z = np.sqrt(b**2 * 0.1 + t**2)
    flux = np.ones_like(z)
    full = z <= 1 - k
    part = (z > 1 - k) & (z < 1 + k)
    flux[full] = 1 - k**2 * (1 - u * (1 - np.sqrt(1 - z[full] ** 2)))
    zp = z[part]
    k1 = np.arccos((1 - k**2 + zp**2) / (2 * zp))
    k0 = np.arccos((k**2 + zp**2 - 1) / (2 * k * zp))
    flux[part] = 1 - (k**2 * k0 + k1 - np.sqrt(zp**2 - (1 + zp**2 - k**2) ** 2 / 4)) / np.pi
    return flux


@add.on(A([1.0, 1.38, 2.3, 1.52]), A([99.0, 60.0]))
def thin_film_tmm(n, d):
    th = np.arcsin(n[0] * np.sin(0.3) / n)
    k = 2 * np.pi * n / 550 * np.cos(th)
    M = np.eye(2, dtype=complex)
    for i in range(3):
        r = (n[i] * np.cos(th[i]) - n[i + 1] * np.cos(th[i + 1])) / (
            n[i] * np.cos(th[i]) + n[i + 1] * np.cos(th[i + 1])
        )
        t = 2 * n[i] * np.cos(th[i]) / (n[i] * np.cos(th[i]) + n[i + 1] * np.cos(th[i + 1]))
        M = M @ (np.array([[1, r], [r, 1]]) / t)
        if i < 2:
            M = M @ np.diag([np.exp(-1j * k[i + 1] * d[i]), np.exp(1j * k[i + 1] * d[i])])
    return abs(M[1, 0] / M[0, 0]) ** 2, n[3] * np.cos(th[3]) / (n[0] * np.cos(th[0])) / abs(M[0, 0]) ** 2


@add.on(A([3.0, 4.0, 5.0]), A([1.5, 1.6, 1.7]), A([[0.0, 0, 0], [0.25, 0.3, 0.1]]))
def structure_factors(cell, ang, pos):
    a, b, c = cell
    ca, cb, cg = np.cos(ang)
    sg = np.sin(ang[2])
    vol = a * b * c * np.sqrt(1 - ca**2 - cb**2 - cg**2 + 2 * ca * cb * cg)
    O = np.array([[a, b * cg, c * cb], [0, b * sg, c * (ca - cb * cg) / sg], [0, 0, vol / (a * b * sg)]])
    G = np.linalg.inv(O.T @ O)
    F = []
    for hkl in itertools.product(range(2), repeat=3):
        h = np.array(hkl)
        s2 = h @ G @ h
        f = sum(
            Z * np.exp(-B * s2) * np.exp(2j * np.pi * h @ p)
            for Z, B, p in zip([6, 8], [0.4, 0.5], pos, strict=False)
        )
        F.append(abs(f) ** 2)
    return np.array(F), vol


@add.on(1.5, 0.05, 0.4)
def gaussian_abcd(n, R, z):
    prop = lambda d: np.array([[1, d], [0, 1]])
    q = 1j * 0.3
    M = np.linalg.multi_dot(
        [prop(z), [[1, 0], [(1 - n) / (n * R * 30), 1 / n]], prop(0.02), np.array([[1, 0], [0.0, n]])]
    )
    (a, b), (c, d) = M
    q2 = (a * q + b) / (c * q + d)
    return q2.real, np.sqrt(q2.imag), np.sqrt(-1 / (1 / q2).imag)


@add.on(A([0.1, 0.3, -0.2, 0.05]))
def zernike_wavefront(c):
    y, x = np.mgrid[-1:1:7j, -1:1:7j]
    r, t = np.hypot(x, y), np.arctan2(y, x)
    ap = r <= 1
    Z = [
        2 * r * np.cos(t),
        np.sqrt(3) * (2 * r**2 - 1),
        np.sqrt(6) * r**2 * np.cos(2 * t),
        np.sqrt(8) * (3 * r**3 - 2 * r) * np.sin(t),
    ]
    W = sum(a * z for a, z in zip(c, Z, strict=False))
    psf = np.abs(np.fft.fftshift(np.fft.fft2(ap * np.exp(2j * np.pi * W), (14, 14)))) ** 2
    return psf.max() / ap.sum() ** 2, W[ap].std()


@add.on(0.4, 2.0)
def fresnel_multislit(a, d):
    s, c = special.fresnel(np.array([a, d]))
    x = np.linspace(-0.3, 0.3, 5)
    return (
        s * c,
        np.sinc(a * x) ** 2 * (np.sin(3 * d * x + 1e-9) / np.sin(d * x + 1e-9)) ** 2,
        (2 * special.j1(a + x) / (a + x)) ** 2,
    )


@add.on(V)
def bootstrap_fixed_index(x):
    idx = np.random.default_rng(1).integers(0, 6, (20, 6))
    m = x[idx].mean(1)
    z = np.sort(m)
    return z[1], z[-2], m.std(), np.quantile(m, [0.1, 0.9])


@add.on(V, 0.5)
def huber_irls_mad(x, c):
    mu = np.median(x)
    for _ in range(30):
        s = np.median(np.abs(x - mu)) / 0.6745
        r = np.abs(x - mu) / s
        w = np.where(r <= 1.5 + c, 1, (1.5 + c) / r)
        new = (w * x).sum() / w.sum()
        if abs(new - mu) < 1e-12:
            break
        mu = new
    return mu


@add.on(V, V[::-1] ** 2)
def gaussian_kde_points(x, y):
    k = stats.gaussian_kde(np.vstack([x, y]), bw_method="silverman")
    return k([[0.1], [0.4]]), stats.gaussian_kde(x, 0.4).integrate_box_1d(-1, 0.3), k.covariance


@add.on(A([1.0, 2.0, 0.3]))
def ode_systems(p):
    f = lambda y, t: [y[1], -p[0] * np.sin(y[0]) - p[2] * y[1]]
    a = integrate.odeint(f, [p[1] / 2, 0], [0, 0.5, 1.0], rtol=1e-10, atol=1e-12)[-1]
    s = integrate.solve_ivp(
        lambda t, y: f(y, t), (0, 1), [p[1] / 2, 0.0], t_eval=[0.5, 1.0], rtol=1e-10, atol=1e-12, args=None
    )
    return a, s.y[:, -1]


@add.on(A([1.0, 2.0, 0.3]))
def ode_with_event(p):
    hit = lambda t, y: y[0]
    hit.terminal = True
    hit.direction = -1
    s = integrate.solve_ivp(
        lambda t, y: [y[1], -9.81 - p[2] * y[1]], (0, 10), [p[0], p[1]], events=hit, rtol=1e-10, atol=1e-12
    )
    return s.t_events[0][0]


ROWS = list(add)
