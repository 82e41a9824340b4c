"""Formulas and algorithms of many fields, written as their textbooks do: loops, lists, dictionaries, early returns."""

import functools
import heapq
import itertools
import math

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.special
import scipy.stats

from tests.tracing.corpus.row import Rows

add = Rows("guilds")
A = np.array
T = np.linspace(0.0, 2.0, 9)
Y = A([0.3, 0.9, 1.4, 1.1, 0.2, -0.6, -0.9, -0.2, 0.5])


# ---- physics and chemistry


@add.on(A([0.9, 1.3, 2.1]), 300.0)
def van_der_waals_fugacity(p, temperature):
    a, b, gas = 3.64, 0.0427, 0.08314
    out = []
    for pressure in p:
        roots = np.roots([pressure, -(pressure * b + gas * temperature), a, -a * b])
        v = max(r.real for r in roots if abs(r.imag) < 1e-9)
        z = pressure * v / (gas * temperature)
        out.append(
            math.exp(z - 1 - math.log(z - pressure * b / (gas * temperature)) - a / (gas * temperature * v))
        )
    return np.array(out)


@add.on(A([1.0, 0.5, 0.2]), A([0.7, 0.3]))
def reaction_network(c0, k):
    stoichiometry = np.array([[-1, 1, 0], [0, -1, 1]])
    c = np.array(c0, dtype=float)
    for _ in range(12):
        rates = np.empty(2)
        rates[0], rates[1] = k[0] * c[0], k[1] * c[1] ** 2
        c += 0.1 * stoichiometry.T @ rates
    return c


@add.on(1e-3, 4.76)
def weak_acid_ph(concentration, pka):
    ka, low, high = 10**-pka, 0.0, 14.0
    for _ in range(60):
        ph = 0.5 * (low + high)
        h = 10**-ph
        charge = h - 1e-14 / h - concentration * ka / (ka + h)
        if charge > 0:
            low = ph
        else:
            high = ph
    h = 10**-ph
    for _ in range(2):  # the second derivative needs two
        slope = 1 + 1e-14 / h**2 + concentration * ka / (ka + h) ** 2
        h -= (h - 1e-14 / h - concentration * ka / (ka + h)) / slope
    return -math.log10(h)


@add.on(A([[0.0, 0.1, 0.0], [1.1, 0.0, 0.2], [0.3, 1.0, 0.9]]), 1.1, 0.9)
def lennard_jones_forces(positions, sigma, epsilon):
    n = len(positions)
    forces = np.zeros_like(positions)
    for i in range(n):
        for j in range(i + 1, n):
            d = positions[i] - positions[j]
            r = np.linalg.norm(d)
            if r > 2.5 * sigma:
                continue
            s6 = (sigma / r) ** 6
            f = 24 * epsilon * (2 * s6**2 - s6) / r**2 * d
            forces[i] += f
            forces[j] -= f
    return forces


@add.on(A([0.0, 1.2, 0.4, -0.3]), 0.3)
def symplectic_henon_heiles(state, step):
    x, y, px, py = state
    for _ in range(6):
        px, py = px - step / 2 * (x + 2 * x * y), py - step / 2 * (y + x * x - y * y)
        x, y = x + step * px, y + step * py
        px, py = px - step / 2 * (x + 2 * x * y), py - step / 2 * (y + x * x - y * y)
    return np.hstack([x, y, px, py])


@add.on(A([1.0, 1.5, 2.2]), 5800.0)
def planck_in_bands(wavelength_um, temperature):
    h, c, k = 6.626e-34, 2.998e8, 1.381e-23
    lam = wavelength_um * 1e-6
    return 1e-13 * (2 * h * c**2 / lam**5) / np.expm1(h * c / (lam * k * temperature))


@add.on(0.6, A([1.0, 1.33, 1.5]))
def fresnel_stack(angle, n):
    s = np.sin(angle)
    cosines = [np.sqrt(1 - (n[0] * s / m) ** 2) for m in n]
    transmitted = 1.0
    for (n1, c1), (n2, c2) in itertools.pairwise(zip(n, cosines, strict=True)):
        rs = (n1 * c1 - n2 * c2) / (n1 * c1 + n2 * c2)
        rp = (n1 * c2 - n2 * c1) / (n1 * c2 + n2 * c1)
        transmitted *= 1 - 0.5 * (rs**2 + rp**2)
    return transmitted


@add.on(A([0.2, 0.5, 0.8]), 0.4)
def ising_transfer_matrix(field, coupling):
    free = []
    for h in field:
        t = np.array([[np.exp(coupling + h), np.exp(-coupling)], [np.exp(-coupling), np.exp(coupling - h)]])
        free.append(np.log(np.max(np.linalg.eigvalsh(t))))
    return np.asarray(free)


@add.on(1.2, 0.35)
def two_level_rabi(drive, detuning):
    sx, sz = np.array([[0, 1], [1, 0]], complex), np.diag([1.0, -1.0]).astype(complex)
    u = scipy.linalg.expm(-1j * (0.5 * drive * sx + 0.5 * detuning * sz) * 1.7)
    psi = u @ np.array([1.0, 0.0], complex)
    return np.abs(psi) ** 2


# ---- orbits, the sky, the earth


@add.on(A([7.0, 0.3, 0.1]), A([0.1, 1.02, 0.2]))
def elements_of_an_orbit(r, v):
    mu = 7.2
    h = np.cross(r, v)
    e = np.cross(v, h) / mu - r / np.linalg.norm(r)
    energy = v @ v / 2 - mu / np.sqrt(r @ r)
    a = -mu / (2 * energy)
    inclination = np.degrees(np.arccos(h[2] / np.linalg.norm(h)))
    node = np.array([-h[1], h[0], 0.0])
    omega = np.arccos(np.clip(node @ e / (np.linalg.norm(node) * np.linalg.norm(e)), -1, 1))
    if e[2] < 0:
        omega = 2 * np.pi - omega
    return a, np.linalg.norm(e), inclination, omega


@add.on(1.1, 0.4)
def universal_kepler(dt, alpha):
    def stumpff(z):
        if z > 1e-6:
            s = math.sqrt(z)
            return (1 - math.cos(s)) / z, (s - math.sin(s)) / s**3
        return 0.5 - z / 24, 1 / 6 - z / 120

    chi = dt
    for _ in range(30):
        c, s = stumpff(alpha * chi * chi)
        f = chi**3 * s + (1 - chi**2 * alpha) * 0.0 + chi * (1 - alpha * chi**2 * s) - dt
        df = chi**2 * c + (1 - alpha * chi**2 * c)
        new = chi - f / df
        if abs(new - chi) < 1e-14:
            return new
        chi = new
    raise RuntimeError("no convergence")


@add.on(0.8, 0.2, 0.85, 0.9)
def vincenty(lat1, lon1, lat2, lon2):
    a, f = 6378.137, 1 / 298.257223563
    b = (1 - f) * a
    u1, u2, l = math.atan((1 - f) * math.tan(lat1)), math.atan((1 - f) * math.tan(lat2)), lon2 - lon1
    lam = l
    for _ in range(100):
        sl, cl = math.sin(lam), math.cos(lam)
        ss = math.hypot(math.cos(u2) * sl, math.cos(u1) * math.sin(u2) - math.sin(u1) * math.cos(u2) * cl)
        cs = math.sin(u1) * math.sin(u2) + math.cos(u1) * math.cos(u2) * cl
        sigma = math.atan2(ss, cs)
        sa = math.cos(u1) * math.cos(u2) * sl / ss
        c2a = 1 - sa * sa
        c2m = cs - 2 * math.sin(u1) * math.sin(u2) / c2a
        c = f / 16 * c2a * (4 + f * (4 - 3 * c2a))
        before, lam = lam, l + (1 - c) * f * sa * (sigma + c * ss * (c2m + c * cs * (2 * c2m**2 - 1)))
        if abs(lam - before) < 1e-14:
            break
    usq = c2a * (a * a - b * b) / (b * b)
    big, small = (
        1 + usq / 16384 * (4096 + usq * (-768 + usq * 320)),
        usq / 1024 * (256 + usq * (-128 + 74 * usq)),
    )
    return b * big * (sigma - small * ss * (c2m + small / 4 * cs * (2 * c2m**2 - 1)))


@add.on(172.3, 41.0, 10.5)
def solar_position(day, latitude, hour):
    g = 2 * np.pi / 365 * (day - 1 + (hour - 12) / 24)
    decl = (
        0.006918
        - 0.399912 * np.cos(g)
        + 0.070257 * np.sin(g)
        - 0.006758 * np.cos(2 * g)
        + 0.000907 * np.sin(2 * g)
    )
    minutes = 229.18 * (0.000075 + 0.001868 * np.cos(g) - 0.032077 * np.sin(g))
    angle = np.deg2rad((hour * 60 + minutes) / 4 - 180)
    phi = np.deg2rad(latitude)
    zenith = np.arccos(np.sin(phi) * np.sin(decl) + np.cos(phi) * np.cos(decl) * np.cos(angle))
    mass = 1 / (np.cos(zenith) + 0.50572 * (96.07995 - np.rad2deg(zenith)) ** -1.6364)
    return {"zenith": np.rad2deg(zenith), "mass": mass}


@add.on(25.0, 0.6)
def wet_bulb_by_bisection(temperature, humidity):
    es = lambda t: 6.112 * np.exp(17.67 * t / (t + 243.5))
    e = humidity * es(temperature)
    balance = lambda w: es(w) - 6.6e-4 * (1 + 0.00115 * w) * 1013.25 * (temperature - w) - e
    return scipy.optimize.brentq(balance, -20, 50, xtol=1e-13)


# ---- life, epidemics, drugs


@add.on(A([0.99, 0.01, 0.0]), A([0.5, 0.12]), 0.05)
def sir_with_a_lockdown(state, rates, threshold):
    s, i, r = state
    beta, gamma = rates
    closed, history = False, []
    for _ in range(40):
        if not closed and i > threshold:
            closed = True
        b = beta * (0.4 if closed else 1.0)
        ds, dr = -b * s * i, gamma * i
        s, i, r = s + ds, i - ds - dr, r + dr
        history.append(i)
    return np.array([max(history), s, np.trapezoid(history)])


@add.on(A([100.0, 80.0]), 0.8, 0.15, 20.0)
def two_compartments_with_doses(doses, ka, ke, volume):
    times = np.arange(0, 24, 3.0)
    level = np.zeros_like(times)
    for k, dose in enumerate(doses):
        t = times - 8.0 * k
        on = t > 0
        level[on] += dose * ka / volume / (ka - ke) * (np.exp(-ke * t[on]) - np.exp(-ka * t[on]))
    return level


@add.on(A([0.3, 0.4, 0.2]), A([0.0, 0.6, 0.8]))
def leslie_growth(survival, fertility):
    matrix = np.zeros((3, 3))
    matrix[0, :] = fertility
    matrix[np.arange(1, 3), np.arange(2)] = survival[:2] + 0.2
    matrix[2, 2] = survival[2]
    n = np.ones(3)
    for _ in range(8):
        n = matrix @ n
        n /= n.sum()
    return np.append(n, (matrix @ n).sum())


@add.on(A([-65.0, 0.05, 0.6, 0.32]), 10.0)
def hodgkin_huxley_step(state, current):
    v, m, h, n = state

    def rate(kind, v):
        match kind:
            case "m":
                return 0.1 * (v + 40) / (1 - np.exp(-(v + 40) / 10)), 4 * np.exp(-(v + 65) / 18)
            case "h":
                return 0.07 * np.exp(-(v + 65) / 20), 1 / (1 + np.exp(-(v + 35) / 10))
            case _:
                return 0.01 * (v + 55) / (1 - np.exp(-(v + 55) / 10)), 0.125 * np.exp(-(v + 65) / 80)

    gates = {"m": m, "h": h, "n": n}
    for _ in range(3):
        ionic = (
            120 * gates["m"] ** 3 * gates["h"] * (v - 50) + 36 * gates["n"] ** 4 * (v + 77) + 0.3 * (v + 54.4)
        )
        v = v + 0.01 * (current - ionic)
        for key in gates:
            up, down = rate(key, v)
            gates[key] += 0.01 * (up * (1 - gates[key]) - down * gates[key])
    return np.array([v, *gates.values()])


@add.on(A([0.2, 0.7, 1.5, 0.4]))
def felsenstein_pruning(branches):
    def transition(t):
        e = np.exp(-4 * t / 3)
        return np.full((4, 4), 0.25 - 0.25 * e) + np.eye(4) * e

    def partial(node):
        if isinstance(node, str):
            return np.eye(4)["ACGT".index(node)]
        out = np.ones(4)
        for child, k in node:
            out = out * (transition(branches[k]) @ partial(child))
        return out

    tree = (((("A", 0), ("C", 1)), 2), ("A", 3))
    return np.log(0.25 * partial(tree).sum())


# ---- finance


@add.on(100.0, 95.0, 0.03, 0.25)
def american_put_tree(spot, strike, rate, vol):
    n = 12
    dt = 1.0 / n
    up = math.exp(vol * math.sqrt(dt))
    p, disc = (math.exp(rate * dt) - 1 / up) / (up - 1 / up), math.exp(-rate * dt)
    values = [max(strike - spot * up ** (2 * j - n), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = disc * (p * values[j + 1] + (1 - p) * values[j])
            values[j] = max(hold, strike - spot * up ** (2 * j - i))
    return values[0]


@add.on(A([-1000.0, 300.0, 420.0, 680.0]))
def internal_rate_of_return(flows):
    npv = lambda r: sum(c / (1 + r) ** k for k, c in enumerate(flows))
    return scipy.optimize.newton(npv, 0.1, tol=1e-13)


@add.on(A([0.02, 0.025, 0.03, 0.032]))
def bootstrapped_discounts(swap_rates):
    discounts = []
    for rate in swap_rates:
        discounts.append((1 - rate * sum(discounts)) / (1 + rate))
    return discounts


@add.on(A([0.01, -0.02, 0.015, 0.007, -0.011]), A([1e-5, 0.1, 0.85]))
def garch_likelihood(returns, parameters):
    omega, alpha, beta = parameters
    variance, total = np.var(returns), 0.0
    for r in returns:
        total += math.log(variance) + r * r / variance
        variance = omega + alpha * r**2 + beta * variance
    return -0.5 * total


@add.on(A([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]]), A([0.05, 0.08, 0.12]))
def tangency_portfolio(cov, mu):
    weights = np.linalg.solve(0.5 * (cov + cov.T), mu - 0.02)
    weights = weights / np.abs(weights).sum()
    return {"weights": weights, "sharpe": (weights @ mu - 0.02) / np.sqrt(weights @ cov @ weights)}


@add.on(100.0, 0.04, 1.5, 0.3, -0.6)
def heston_characteristic(spot, v0, kappa, xi, rho):
    def phi(u):
        d = np.sqrt((rho * xi * 1j * u - kappa) ** 2 + xi**2 * (1j * u + u**2))
        g = (kappa - rho * xi * 1j * u - d) / (kappa - rho * xi * 1j * u + d)
        e = np.exp(-d)
        c = kappa * 0.04 / xi**2 * ((kappa - rho * xi * 1j * u - d) - 2 * np.log((1 - g * e) / (1 - g)))
        return np.exp(
            c + v0 / xi**2 * (kappa - rho * xi * 1j * u - d) * (1 - e) / (1 - g * e) + 1j * u * np.log(spot)
        )

    u = np.linspace(0.01, 20, 40)
    return 0.5 + np.trapezoid((np.exp(-1j * u * np.log(95.0)) * phi(u) / (1j * u)).real, u) / np.pi


# ---- signals and images


@add.on(Y)
def daubechies_wavelet(signal):
    s3 = math.sqrt(3)
    low = np.array([1 + s3, 3 + s3, 3 - s3, 1 - s3]) / (4 * math.sqrt(2))
    high = low[::-1] * np.array([1, -1, 1, -1])
    x = np.concatenate([signal[:8], signal[:2]])
    rows = np.lib.stride_tricks.sliding_window_view(x, 4)[::2]
    return np.concatenate([rows @ low, rows @ high])


@add.on(Y, 0.4)
def soft_threshold(x, level):
    out = np.zeros_like(x)
    big = np.abs(x) > level
    out[big] = np.sign(x[big]) * (np.abs(x[big]) - level)
    return out


@add.on(Y, A([0.5, 0.3, -0.1]))
def levinson_durbin(signal, extra):
    r = np.array([np.dot(signal[: 9 - k], signal[k:]) for k in range(4)]) + np.append(1.0, 0.1 * extra)
    a, error = np.array([1.0]), r[0]
    for k in range(1, 4):
        reflection = -np.dot(a, r[k:0:-1][: len(a)]) / error
        a = np.append(a, 0.0)
        a = a + reflection * a[::-1]
        error *= 1 - reflection**2
    return np.append(a, error)


@add.on(Y, 0.3, 0.6)
def dynamic_time_warping(x, stretch, shift):
    y = stretch * x[::2] + shift
    cost = np.full((len(x) + 1, len(y) + 1), np.inf)
    cost[0, 0] = 0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost[i, j] = (x[i - 1] - y[j - 1]) ** 2 + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[-1, -1]


@add.on(np.sin(np.arange(20.0)).reshape(4, 5) + 1.5, 0.8)
def bilateral_filter(image, sigma):
    padded = np.pad(image, 1, mode="reflect")
    total, norm = np.zeros_like(image), np.zeros_like(image)
    for dy in range(3):
        for dx in range(3):
            part = padded[dy : dy + image.shape[0], dx : dx + image.shape[1]]
            w = np.exp(-((dy - 1) ** 2 + (dx - 1) ** 2) / 2 - (part - image) ** 2 / (2 * sigma**2))
            total += w * part
            norm += w
    return total / norm


@add.on(np.cos(np.arange(12.0)).reshape(3, 4) + 2)
def structural_similarity(image):
    other = np.roll(image, 1, axis=1) * 0.9
    mx, my = image.mean(), other.mean()
    vx, vy, cov = image.var(), other.var(), ((image - mx) * (other - my)).mean()
    return (2 * mx * my + 0.01) * (2 * cov + 0.03) / ((mx**2 + my**2 + 0.01) * (vx + vy + 0.03))


@add.on(A([0.2, 0.5, 0.7]))
def hsl_of_a_colour(rgb):
    r, g, b = rgb
    high, low = max(rgb), min(rgb)
    light = (high + low) / 2
    if high == low:
        return 0.0, 0.0, light
    d = high - low
    saturation = d / (2 - high - low) if light > 0.5 else d / (high + low)
    hue = {r: (g - b) / d + (6 if g < b else 0), g: (b - r) / d + 2, b: (r - g) / d + 4}[high] / 6
    return hue, saturation, light


# ---- statistics


@add.on(A([0.4, -0.2, 1.1]))
def ordered_logit(parameters):
    x, y = np.array([0.1, 0.5, -0.7, 1.3]), [0, 1, 2, 1]
    slope, cut = parameters[0], np.cumsum([parameters[1], np.exp(parameters[2])])
    total = 0.0
    for xi, yi in zip(x, y, strict=True):
        eta = scipy.special.expit(np.concatenate(([-np.inf], cut, [np.inf])) - slope * xi)
        total += np.log(eta[yi + 1] - eta[yi])
    return total


@add.on(A([2.0, 5.0, 1.0, 7.0]), 1.3, 0.4)
def zero_inflated_poisson(rate, scale, share):
    counts = np.array([0, 4, 0, 9])
    lam = rate * scale
    log_poisson = counts * np.log(lam) - lam - scipy.special.gammaln(counts + 1)
    return np.where(
        counts == 0, np.log(share + (1 - share) * np.exp(-lam)), np.log1p(-share) + log_poisson
    ).sum()


@add.on(Y, 0.5)
def kaplan_meier_smoothed(times, width):
    events = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1])
    order = np.argsort(times)
    survival, at_risk, out = 1.0, len(times), []
    for k in order:
        if events[k]:
            survival *= 1 - 1 / at_risk
        at_risk -= 1
        out.append(survival * np.exp(-times[k] * width))
    return np.array(out)


@add.on(Y, T + 0.1)
def huber_irls(y, x):
    design = np.column_stack([np.ones_like(x), x])
    weights, beta = np.ones_like(y), None
    for _ in range(5):
        root = np.sqrt(weights)[:, None]
        beta, *_ = np.linalg.lstsq(design * root, y * root[:, 0], rcond=None)
        residual = np.abs(y - design @ beta)
        scale = 1.4826 * np.median(residual)
        weights = np.minimum(1.0, 1.345 * scale / residual)
    return beta


@add.on(A([0.3, 0.9]), A([0.7, 1.6]))
def beta_binomial_evidence(a, b):
    successes, trials = np.array([3, 5]), np.array([10, 9])
    terms = scipy.special.betaln(successes + a, trials - successes + b) - scipy.special.betaln(a, b)
    return terms.sum() + np.log(scipy.special.comb(trials, successes)).sum()


@add.on(Y)
def theil_sen(y):
    slopes = [(y[j] - y[i]) / (T[j] - T[i]) for i in range(len(y)) for j in range(i + 1, len(y))]
    slope = np.median(slopes)
    return slope, np.median(y - slope * T)


@add.on(A([0.2, 0.8]), 1.5)
def gaussian_copula(u, rho):
    rho = np.tanh(rho)
    z = scipy.stats.norm.ppf(u)
    density = scipy.stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]]).logpdf(z)
    return density - scipy.stats.norm.logpdf(z).sum()


@add.on(A([[0.7, 0.3], [0.2, 0.8]]), A([[0.6, 0.3, 0.1], [0.1, 0.4, 0.5]]))
def viterbi_score(transition, emission):
    observed = [0, 1, 2, 2, 0]
    t, e = (
        np.log(transition / transition.sum(1, keepdims=True)),
        np.log(emission / emission.sum(1, keepdims=True)),
    )
    score, back = np.log(0.5) + e[:, 0], []
    for o in observed[1:]:
        options = score[:, None] + t
        back.append(options.argmax(0))
        score = options.max(0) + e[:, o]
    return score.max()


@add.on(A([0.3, 0.5, 0.2]), A([0.25, 0.25, 0.5]))
def sinkhorn_distance(p, q):
    cost = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    kernel = np.exp(-cost / 0.5)
    u = np.ones(3)
    for _ in range(25):
        v = q / (kernel.T @ u)
        u = p / (kernel @ v)
    return np.sum(u[:, None] * kernel * v * cost)


# ---- numerical analysis


@add.on(0.3, 1.9)
def romberg(a, b):
    f = lambda x: np.exp(-x * x) * np.sin(3 * x)
    r = np.zeros((5, 5))
    for i in range(5):
        n = 2**i
        x = np.linspace(a, b, n + 1)
        r[i, 0] = (b - a) / n * (f(x).sum() - 0.5 * (f(a) + f(b)))
        for j in range(1, i + 1):
            r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
    return r[-1, -1]


@add.on(A([1.0, 0.2]), 0.7)
def adaptive_heun(y, mu):
    f = lambda y: np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])
    t, h = 0.0, 0.2
    while t < 1.0:
        h = min(h, 1.0 - t)
        k1 = f(y)
        k2 = f(y + h * k1)
        error = np.max(np.abs(0.5 * h * (k2 - k1)))
        if error > 0.05:
            h *= 0.5
            continue
        y, t = y + 0.5 * h * (k1 + k2), t + h
    return y


@add.on(Y, 0.77)
def natural_spline(y, x):
    n, h = len(y) - 1, T[1] - T[0]
    a, b, c = np.full(n - 1, h), np.full(n - 1, 4 * h), np.full(n - 1, h)
    d = 6 * (y[2:] - 2 * y[1:-1] + y[:-2]) / h
    for i in range(1, n - 1):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    m = np.zeros(n + 1)
    for i in range(n - 2, -1, -1):
        m[i + 1] = (d[i] - c[i] * m[i + 2]) / b[i]
    k = int(np.searchsorted(T, x) - 1)
    u, v = T[k + 1] - x, x - T[k]
    cubic = (m[k] * u**3 + m[k + 1] * v**3) / (6 * h)
    return cubic + (y[k] / h - m[k] * h / 6) * u + (y[k + 1] / h - m[k + 1] * h / 6) * v


@add.on(A([1.1, 0.4, -0.7]), 0.6)
def clenshaw(coefficients, x):
    b1 = b2 = 0.0
    for c in coefficients[:0:-1]:
        b1, b2 = 2 * x * b1 - b2 + c, b1
    return x * b1 - b2 + coefficients[0]


@add.on(A([[4.0, 1.0, 0.3], [1.0, 3.0, -0.5], [0.3, -0.5, 2.0]]), A([1.0, 2.0, -1.0]))
def conjugate_gradients(matrix, rhs):
    x = np.zeros_like(rhs)
    r = rhs - matrix @ x
    p, rr = r.copy(), r @ r
    for _ in range(3):
        ap = matrix @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if np.sqrt(new) < 1e-12:
            break
        p = r + (new / rr) * p
        rr = new
    return x


@add.on(A([[4.0, 1.0, 0.3], [1.0, 3.0, -0.5], [0.3, -0.5, 2.0]]))
def jacobi_rotations(matrix):
    a = 0.5 * (matrix + matrix.T)
    for _ in range(4):
        for p in range(2):
            for q in range(p + 1, 3):
                theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, s = np.cos(theta), np.sin(theta)
                j = np.eye(3)
                j[[p, q], [p, q]] = c
                j[p, q], j[q, p] = s, -s
                a = j.T @ a @ j
    return np.sort(np.diag(a))


@add.on(A([0.5, 1.5]), 1.2)
def gauss_newton_fit(start, noise):
    t, data = np.linspace(0, 1, 5), np.array([2.0, 1.5, 1.2, 0.9, 0.75]) * noise
    p = start.copy()
    for _ in range(8):
        e = np.exp(-p[1] * t)
        jac = np.stack([e, -p[0] * t * e], axis=-1)
        p = p + np.linalg.solve(jac.T @ jac, jac.T @ (data - p[0] * e))
    return p


@add.on(2.3, 0.4)
def continued_fraction(a, x):
    tiny = 1e-30
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 200):
        an = -i * (i - a)
        b += 2
        d = an * d + b
        d = 1 / (tiny if abs(d) < tiny else d)
        c = b + an / c
        delta = c * d
        h *= delta
        if abs(delta - 1) < 1e-15:
            break
    return math.exp(-x + a * math.log(x)) * h


@add.on(A([1.0, -0.5, 0.25, 2.0]))
def durand_kerner(coefficients):
    poly = np.append(1.0, coefficients)
    roots = (0.4 + 0.9j) ** np.arange(4)
    for _ in range(60):
        new = roots.copy()
        for i in range(4):
            others = np.delete(new, i)
            new[i] -= np.polyval(poly, new[i]) / np.prod(new[i] - others)
        if np.allclose(new, roots, rtol=0, atol=1e-15):
            break
        roots = new
    return np.sort(np.abs(roots))


# ---- geometry, paths, dynamic programs


@add.on(A([[0.0, 0.0], [2.0, 0.3], [2.4, 1.8], [0.7, 2.2], [1.0, 1.0]]))
def hull_and_area(points):
    pts = sorted(points.tolist())

    def half(pts):
        chain = []
        for p in pts:
            while len(chain) >= 2:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                chain.pop()
            chain.append(p)
        return chain[:-1]

    hull = half(pts) + half(pts[::-1])
    return 0.5 * abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(hull, hull[1:] + hull[:1], strict=True)))


@add.on(A([0.7, 1.2, 0.4, 2.0, 0.9]))
def dijkstra(weights):
    graph = {0: [(1, 0), (2, 1)], 1: [(3, 3)], 2: [(1, 2), (3, 4)], 3: []}
    best, queue = {0: 0.0}, [(0.0, 0)]
    while queue:
        d, node = heapq.heappop(queue)
        if d > best[node]:
            continue
        for other, k in graph[node]:
            new = d + weights[k]
            if new < best.get(other, math.inf):
                best[other] = new
                heapq.heappush(queue, (new, other))
    return best[3]


@add.on(A([0.1, 0.4, -0.2, 0.9]), A([0.8, 0.1, 0.3, 0.5]))
def slerp(q1, q2):
    q1, q2 = q1 / np.linalg.norm(q1), q2 / np.linalg.norm(q2)
    dot = q1 @ q2
    if dot < 0:
        q2, dot = -q2, -dot
    if dot > 0.9995:
        return q1 + 0.3 * (q2 - q1)
    angle = np.arccos(dot)
    return (np.sin(0.7 * angle) * q1 + np.sin(0.3 * angle) * q2) / np.sin(angle)


@add.on(A([[0.0, 0.0, 1.0], [1.0, 0.2, 0.9], [0.1, 1.1, 1.2]]), A([0.3, 0.3, 0.0]), A([0.05, 0.1, 1.0]))
def ray_meets_triangle(triangle, origin, direction):
    e1, e2 = triangle[1] - triangle[0], triangle[2] - triangle[0]
    p = np.cross(direction, e2)
    det = e1 @ p
    if abs(det) < 1e-9:
        return np.zeros(3)
    t = origin - triangle[0]
    u = t @ p / det
    if not 0 <= u <= 1:
        return np.zeros(3)
    q = np.cross(t, e1)
    v = direction @ q / det
    return np.array([u, v, e2 @ q / det]) if v >= 0 and u + v <= 1 else np.zeros(3)


@add.on(A([1.0, 3.0, 0.5, 2.2, 1.7]), 0.9)
def buy_and_sell(prices, fee):
    @functools.cache
    def best(day, holding):
        if day == len(prices):
            return 0.0
        wait = best(day + 1, holding)
        if holding:
            return max(wait, prices[day] * fee + best(day + 1, False))
        return max(wait, best(day + 1, True) - prices[day])

    return best(0, False)


@add.on(A([0.3, 1.0, 0.2]), A([1.0, 0.4, 0.9, 0.3]))
def soft_edit_distance(gap, scores):
    a, b = "GATT", "GCAT"
    table = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            options = []
            if i:
                options.append(table[i - 1][j] + gap[0])
            if j:
                options.append(table[i][j - 1] + gap[1])
            if i and j:
                options.append(table[i - 1][j - 1] + (0.0 if a[i - 1] == b[j - 1] else scores[j - 1]))
            table[i][j] = -np.log(sum(np.exp(-np.array(options)))) if options else 0.0
    return table[-1][-1]


ROWS = list(add)
