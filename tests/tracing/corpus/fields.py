"""Models of epidemics, water, markets, reactions, orbits and the earth, as those who use them write them."""

import cmath
import dataclasses
import functools
import itertools
import math
import typing

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats

from tests.tracing.corpus.row import Rows

add = Rows("fields")
A = np.array
T = np.linspace(0.0, 3.0, 7)


# ---- epidemics


@add.on(A([0.9, 0.06, 0.04, 0.0]), 0.6, 0.25, 0.1)
def seir_by_solve_ivp(state, beta, sigma, gamma):
    def rhs(t, y, beta, sigma, gamma):
        s, e, i, _ = y
        infection = beta * s * i / y.sum()
        return infection * -1, infection - sigma * e, sigma * e - gamma * i, gamma * i

    sol = scipy.integrate.solve_ivp(
        rhs, (0, 8), state, t_eval=[2.0, 5.0, 8.0], args=(beta, sigma, gamma), rtol=1e-10, atol=1e-12
    )
    return sol.y[2], sol.y[:, -1].sum()


@add.on(A([[2.0, 0.5, 0.2], [0.5, 1.5, 0.4], [0.2, 0.4, 0.8]]), A([0.3, 0.5, 0.2]), 0.2)
def reproduction_by_next_generation(contacts, share, recovery):
    ngm = contacts * share[:, None] / share[None, :] / recovery * 0.1
    values, vectors = np.linalg.eig(ngm)
    k = np.argmax(values.real)
    dominant = np.abs(vectors[:, k].real)
    return values[k].real, dominant / dominant.sum()


@add.on(A([3.0, 5.0, 9.0, 14.0, 20.0, 27.0]), 4.7, 2.9)
def effective_reproduction(cases, mean, sd):
    shape, scale = (mean / sd) ** 2, sd**2 / mean
    edges = np.arange(6)
    serial = np.diff(scipy.stats.gamma.cdf(edges, shape, scale=scale))
    serial /= serial.sum()
    pressure = np.array([np.sum(cases[max(0, t - 5) : t][::-1] * serial[:t]) for t in range(1, len(cases))])
    return cases[1:] / pressure


@add.on(1.8, 0.3)
def final_size_and_herd_immunity(r0, immune):
    def g(z):
        return 1 - immune - z - (1 - immune) * np.exp(-r0 * z)

    z = scipy.optimize.brentq(g, 1e-6, 1.0, xtol=1e-14)
    return {"attack": z, "threshold": max(0.0, 1 - 1 / r0)}


@add.on(A([12.0, 30.0, 41.0, 22.0, 9.0]), A([0.25, 0.4, 0.35]))
def deconvolved_infections(onsets, delay):
    delay = delay / delay.sum()
    estimate = np.full(len(onsets) + 2, onsets.mean())
    for _ in range(5):  # Richardson and Lucy
        expected = np.convolve(estimate, delay, mode="valid")
        ratio = onsets / np.maximum(expected, 1e-9)
        estimate = estimate * np.convolve(ratio, delay[::-1], mode="full")
    return estimate


@dataclasses.dataclass
class _Stage:
    name: str
    count: float
    exits: dict = dataclasses.field(default_factory=dict)


@add.on(A([1000.0, 10.0, 0.0]), A([0.4, 0.2, 0.05]))
def compartments_as_objects(counts, rates):
    s, i, r = (_Stage(n, c) for n, c in zip("SIR", counts, strict=True))
    s.exits = {"I": lambda: rates[0] * s.count * i.count / sum(x.count for x in (s, i, r))}
    i.exits = {"R": lambda: rates[1] * i.count}
    r.exits = {"S": lambda: rates[2] * r.count}
    stages = {x.name: x for x in (s, i, r)}
    for _ in range(10):
        flows = [(a, stages[b], f()) for a in stages.values() for b, f in a.exits.items()]
        for a, b, flow in flows:
            a.count -= 0.5 * flow
            b.count += 0.5 * flow
    return [x.count for x in stages.values()]


@add.on(0.7, 0.15, 40.0)
def logistic_growth_doubling(r, frac, capacity):
    n0 = frac * capacity
    n = lambda t: capacity / (1 + (capacity - n0) / n0 * math.exp(-r * t))
    peak = math.log((capacity - n0) / n0) / r if n0 < capacity / 2 else 0.0
    return n(peak), n(2.0), peak, (n(2.0) - n(1.0)) / n(1.0)


# ---- water


@add.on(A([0.0, 5.0, 12.0, 3.0, 0.0, 8.0, 1.0, 0.0]), A([0.35, 15.0, 0.3]))
def bucket_model(rain, parameters):
    c, capacity, k = parameters
    store, flow = 4.0, []
    for p in rain:
        wet = store / capacity
        quick = p * c * wet**2
        store += p - quick
        spill = max(store - capacity, 0.0)
        store -= spill
        slow = k * store
        store -= slow
        flow.append(quick + spill + slow)
    return np.array(flow)


@add.on(0.03, 1.2, 0.002, 3.5)
def normal_depth_by_newton(n, side, slope, discharge):
    y, width = 0.5, 2.0
    for it in range(50):
        area = (width + side * y) * y
        wetted = width + 2 * y * math.sqrt(1 + side**2)
        f = area ** (5 / 3) * wetted ** (-2 / 3) * math.sqrt(slope) / n - discharge
        da = width + 2 * side * y
        df = (
            math.sqrt(slope)
            / n
            * (
                5 / 3 * (area / wetted) ** (2 / 3) * da
                - 2 / 3 * (area / wetted) ** (5 / 3) * 2 * math.sqrt(1 + side**2)
            )
        )
        dy = f / df
        y -= dy
        if abs(dy) < 1e-14 * y and it > 3:
            break
    else:
        raise RuntimeError("no depth")
    return y, discharge / area


@add.on(A([0.2, 1.1, 3.0]), 1.56, 3.6, 0.43, 0.078)
def van_genuchten_conductivity(h, n, alpha, full, residual):
    m = 1 - 1 / n
    se = (1 + np.abs(alpha * h) ** n) ** -m
    theta = residual + (full - residual) * se
    k = 24.96 * np.sqrt(se) * (1 - (1 - se ** (1 / m)) ** m) ** 2
    return np.stack([theta, k])


@add.on(A([1.0, 4.0, 10.0, 8.0, 5.0, 3.0]), 2.0, 0.2)
def muskingum_routing(inflow, k, x):
    dt = 1.0
    den = 2 * k * (1 - x) + dt
    c = np.array([dt - 2 * k * x, dt + 2 * k * x, 2 * k * (1 - x) - dt]) / den
    out = np.zeros_like(inflow)
    out[0] = inflow[0]
    for t in range(1, inflow.size):
        out[t] = c @ [inflow[t], inflow[t - 1], out[t - 1]]
    return out


@add.on(1e-3, 2e-4, A([10.0, 50.0, 200.0]))
def theis_drawdown(transmissivity, storage, time):
    u = 100.0**2 * storage / (4 * transmissivity * time * 86400)
    return 0.01 / (4 * np.pi * transmissivity) * scipy.special.exp1(u)


@add.on(A([12.0, 31.0, 18.0, 45.0, 22.0, 27.0, 15.0, 39.0]))
def flood_of_hundred_years_by_l_moments(peaks):
    x = np.sort(peaks)
    n = len(x)
    j = np.arange(n)
    b0 = x.mean()
    b1 = np.sum(j * x) / (n * (n - 1))
    b2 = np.sum(j * (j - 1) * x) / (n * (n - 1) * (n - 2))
    l1, l2, l3 = b0, 2 * b1 - b0, 6 * b2 - 6 * b1 + b0
    c = 2 / (3 + l3 / l2) - np.log(2) / np.log(3)
    k = 7.859 * c + 2.9554 * c**2
    alpha = l2 * k / ((1 - 2**-k) * scipy.special.gamma(1 + k))
    xi = l1 - alpha * (1 - scipy.special.gamma(1 + k)) / k
    return xi + alpha / k * (1 - (-np.log(0.99)) ** k)


@add.on(A([3.2, 2.9, 2.5]), 25.0)
def penman_from_a_record(readings, temperature):
    record = dict(zip(("net", "wind", "humid"), readings, strict=True))
    es = 0.6108 * np.exp(17.27 * temperature / (temperature + 237.3))
    delta = 4098 * es / (temperature + 237.3) ** 2
    gamma = 0.665e-3 * 101.3
    up = 0.408 * delta * record["net"] + gamma * 900 / (temperature + 273) * record["wind"] * (
        es - record["humid"] * 0.5
    )
    return up / (delta + gamma * (1 + 0.34 * record["wind"]))


@add.on(A([5.0, 4.8, 4.1, 3.3, 3.0]), A([2e-5, 3e-5]))
def confined_aquifer_sparse(heads, k):
    n = 12
    conductivity = np.where(np.arange(n + 1) < 7, k[0], k[1])
    main = conductivity[:-1] + conductivity[1:]
    off = -conductivity[1:-1]
    system = scipy.sparse.diags([off, main, off], [-1, 0, 1], format="csc")
    rhs = np.zeros(n)
    rhs[0] += conductivity[0] * heads[0]
    rhs[-1] += conductivity[-1] * heads[-1]
    rhs[4:7] += 1e-6 * heads[1:4]
    return scipy.sparse.linalg.spsolve(system, rhs)


# ---- markets


@add.on(A([0.01, 0.012, 0.016, 0.021]), 0.02)
def curve_by_bootstrapping_with_brentq(par, last):
    tenors = [1, 2, 3, 5]
    zeros = {}
    for tenor, rate in zip(tenors, [*par[:3], par[3] + last], strict=True):
        known = sorted(zeros)

        def price(z, tenor=tenor, rate=rate, known=known):
            xs, ys = [*known, tenor], [zeros[k] for k in known] + [z]
            total = 0.0
            for year in range(1, tenor + 1):
                y = np.interp(year, xs, ys)
                total += rate * np.exp(-y * year)
            return total + np.exp(-z * tenor) - 1

        zeros[tenor] = scipy.optimize.brentq(price, -0.5, 0.5, xtol=1e-15, rtol=1e-14)
    return list(zeros.values())


@add.on(A([0.035, -0.01, 0.008, 0.6]))
def nelson_siegel_prices(beta):
    def rate(t):
        x = t / beta[3]
        decay = (1 - np.exp(-x)) / x
        return beta[0] + beta[1] * decay + beta[2] * (decay - np.exp(-x))

    prices = {}
    for maturity, coupon in ((1, 0.03), (3, 0.04), (7, 0.05)):
        t = np.arange(1, maturity + 1)
        flows = np.where(t == maturity, 1 + coupon, coupon)
        prices[maturity] = np.dot(flows, np.exp(-rate(t) * t))
    return prices


@add.on(100.0, 105.0, 0.02, 12.0)
def implied_volatility(spot, strike, rate, price):
    def bs(v):
        d1 = (np.log(spot / strike) + rate + v * v / 2) / v
        return spot * scipy.stats.norm.cdf(d1) - strike * np.exp(-rate) * scipy.stats.norm.cdf(d1 - v)

    return scipy.optimize.brentq(lambda v: bs(v) - price, 1e-3, 3, xtol=1e-13)


class _Option:
    registry: typing.ClassVar[dict] = {}

    def __init_subclass__(cls, kind, **kwargs):
        super().__init_subclass__(**kwargs)
        _Option.registry[kind] = cls

    def __init__(self, strike):
        self.strike = strike


class _Call(_Option, kind="call"):
    def __call__(self, s):
        return np.maximum(s - self.strike, 0)


class _Put(_Option, kind="put"):
    def __call__(self, s):
        return np.maximum(self.strike - s, 0)


class _Digital(_Option, kind="digital"):
    def __call__(self, s):
        return np.where(s > self.strike, 1.0, 0.0)


@add.on(100.0, A([97.0, 103.0]), 0.2)
def payoffs_by_registry(spot, strikes, vol):
    x, w = np.polynomial.hermite_e.hermegauss(20)
    s = spot * np.exp(vol * x - vol**2 / 2)
    book = [("call", strikes[0], 2), ("put", strikes[1], -1), ("digital", strikes[0], 5)]
    return sum(q * np.sum(w * _Option.registry[kind](k)(s)) / np.sqrt(2 * np.pi) for kind, k, q in book)


@add.on(A([0.01, -0.02, 0.005, 0.013, -0.007, 0.002, -0.011, 0.004]), 0.94)
def value_at_risk_and_drawdown(returns, decay):
    wealth = np.cumprod(1 + returns)
    drawdown = 1 - wealth / np.maximum.accumulate(wealth)
    weights = decay ** np.arange(len(returns))[::-1]
    weights /= weights.sum()
    order = np.argsort(returns)
    cumulative = np.cumsum(weights[order])
    k = np.searchsorted(cumulative, 0.1)
    tail = returns[order][: k + 1]
    return (
        drawdown.max(),
        returns[order][k],
        tail.mean(),
        np.sqrt(weights @ (returns - weights @ returns) ** 2),
    )


@add.on(A([0.2, 0.3, 0.25]), A([0.4, 0.1, -0.2]), A([100.0, 90.0, 110.0]))
def basket_by_cholesky_and_fixed_draws(vols, corr, spots):
    c = np.eye(3)
    iu = np.triu_indices(3, 1)
    c[iu] = corr
    c.T[iu] = corr
    z = np.random.default_rng(42).standard_normal((64, 3))
    z = np.concatenate([z, -z])
    paths = spots * np.exp(-0.5 * vols**2 + (z @ np.linalg.cholesky(c).T) * vols)
    return np.mean(np.maximum(paths.mean(axis=1) - 95.0, 0))


@add.on(A([1e5, 0.045]), 12.0)
def mortgage_schedule(loan, years):
    principal, rate = loan
    monthly = rate / 12
    n = 12 * years
    payment = principal * monthly / (1 - (1 + monthly) ** -n)
    balance, interest = principal, 0.0
    table = []
    for month in itertools.count(1):
        paid = balance * monthly
        interest += paid
        balance += paid - payment
        if month in (1, 6, 12):
            table.append((balance, paid))
        if month == 12:
            break
    return np.array(table), interest, payment


@add.on(A([[0.9, 0.08, 0.02], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0]]), 0.4)
def credit_migration(matrix, recovery):
    generator = scipy.linalg.logm(matrix)
    survival = []
    for t in (0.5, 1.0, 2.5):
        p = scipy.linalg.expm(generator * t).real
        survival.append(1 - p[:2, 2])
    spread = -np.log(1 - (1 - recovery) * (1 - np.array(survival))) / np.array([[0.5], [1.0], [2.5]])
    return spread


@add.on(0.05, 0.3, A([0.9, 1.0, 1.1]), -0.4, 0.5)
def sabr_smile(f0, alpha, moneyness, rho, nu):
    beta = 0.7

    def vol(k):
        if abs(k - f0) < 1e-12:
            z_over = 1.0
            fk = f0
        else:
            fk = math.sqrt(f0 * k)
            z = nu / alpha * fk ** (1 - beta) * math.log(f0 / k)
            z_over = z / math.log((math.sqrt(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho))
        a = (1 - beta) ** 2 / 24 * alpha**2 / fk ** (2 - 2 * beta)
        b = rho * beta * nu * alpha / (4 * fk ** (1 - beta)) + (2 - 3 * rho**2) / 24 * nu**2
        lk = math.log(f0 / k)
        den = 1 + (1 - beta) ** 2 / 24 * lk**2 + (1 - beta) ** 4 / 1920 * lk**4
        return alpha / (fk ** (1 - beta) * den) * z_over * (1 + a + b)

    return [vol(f0 * m) for m in moneyness if m != 1.0]


@add.on(A([0.05, 0.07, 0.12]), A([[0.04, 0.006, 0.0], [0.006, 0.09, 0.01], [0.0, 0.01, 0.16]]))
def minimum_variance_by_slsqp(mu, cov):
    cov = (cov + cov.T) / 2
    res = scipy.optimize.minimize(
        lambda w: w @ cov @ w,
        np.ones(3) / 3,
        method="SLSQP",
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ mu - 0.08},
        ],
        options={"ftol": 1e-15, "maxiter": 300},
    )
    return res.x


# ---- reactions


@add.on(320.0, A([2.0, 30.0]))
def arrhenius_and_eyring(temperature, barriers):
    gas, kb, h = 8.314e-3, 1.380649e-23, 6.62607015e-34
    arrhenius = 1e5 * np.exp(-barriers / (gas * temperature))
    eyring = kb * temperature / h * np.exp(-barriers / (gas * temperature)) * 1e-12
    return np.array([arrhenius, eyring])


@add.on(A([0.1, 0.05, 0.02]), A([4.76, 9.25]))
def buffer_titration_by_newton(amounts, pka):
    ka = 10.0**-pka
    acid, ammonia, base = amounts
    ph = 7.0
    for _ in range(40):
        h = 10.0**-ph
        charge = h + base - 1e-14 / h - acid * ka[0] / (ka[0] + h) + ammonia * h / (ka[1] + h) * 0.1
        slope = -math.log(10) * (
            h + 1e-14 / h + acid * ka[0] * h / (ka[0] + h) ** 2 + 0.1 * ammonia * h * ka[1] / (ka[1] + h) ** 2
        )
        step = charge / slope
        step = max(-1.0, min(1.0, step))
        ph = ph - step
        if abs(step) < 1e-13:
            break
    return ph


@add.on(A([0.3, 0.5, 0.2]), A([1.2, 0.4, 2.5]))
def rachford_rice_flash(z, k):
    k_minus = k - 1
    low, high = 1 / (1 - k.max()) + 1e-9, 1 / (1 - k.min()) - 1e-9
    f = lambda v: np.sum(z * k_minus / (1 + v * k_minus))
    v = scipy.optimize.brentq(f, low, high, xtol=1e-14)
    x = z / (1 + v * k_minus)
    return v, x, k * x


@add.on(A([0.4, 0.6]), 0.5, 1.1)
def michaelis_menten_progress(s0, km, vmax):
    t = 0.7
    return np.array([km * scipy.special.lambertw(s / km * np.exp((s - vmax * t) / km)).real for s in s0])


@add.on(A([300.0, 400.0, 600.0]), A([3.5, 1.2, -0.4]))
def shomate_enthalpy(temperature, coefficients):
    t = temperature / 1000
    powers = np.vander(t, 3, increasing=True)
    cp = powers @ coefficients
    poly = np.polynomial.Polynomial(coefficients)
    return cp, poly.integ()(t), np.array([poly.deriv()(x) for x in t])


@add.on(A([1.0, 0.0, 0.0]), A([0.04, 3.0, 1.0]))
def robertson_implicit_euler(y, k):
    y = np.asarray(y, float)
    h = 0.1
    for _ in range(3):
        new = y.copy()
        for _ in range(12):
            r = np.array([k[0] * new[0], k[1] * new[1] ** 2, k[2] * new[1] * new[2]])
            g = new - y - h * np.array([-r[0] + r[2], r[0] - r[2] - r[1], r[1]])
            jac = np.eye(3) - h * np.array(
                [
                    [-k[0], k[2] * new[2], k[2] * new[1]],
                    [k[0], -k[2] * new[2] - 2 * k[1] * new[1], -k[2] * new[1]],
                    [0, 2 * k[1] * new[1], 0],
                ]
            )
            new = new - np.linalg.solve(jac, g)
            if np.linalg.norm(g) < 1e-15:
                break
        y = new
    return y


@add.on(1.2, A([0.3, 0.7]))
def huckel_energies(beta, alpha):
    n = 4
    h = np.diag(np.r_[alpha, alpha[::-1]]) - beta * (np.eye(n, k=1) + np.eye(n, k=-1))
    energies, orbitals = np.linalg.eigh(h)
    filled = orbitals[:, : n // 2]
    density = 2 * filled @ filled.T
    return 2 * energies[: n // 2].sum(), np.diag(density), density[0, 1]


# ---- orbits and the sky


@add.on(0.3, 0.7, 70.0, A([0.2, 1.0]))
def distances_in_a_universe(matter, dark, h0, z):
    def e(z):
        return np.sqrt(matter * (1 + z) ** 3 + (1 - matter - dark) * (1 + z) ** 2 + dark)

    out = []
    for zi in z:
        comoving = scipy.integrate.quad(lambda x: 1 / e(x), 0, zi, epsabs=0, epsrel=1e-12)[0]
        curvature = 1 - matter - dark
        if curvature > 1e-6:
            root = math.sqrt(curvature)
            comoving = math.sinh(root * comoving) / root
        elif curvature < -1e-6:
            root = math.sqrt(-curvature)
            comoving = math.sin(root * comoving) / root
        out.append(299792.458 / h0 * comoving * (1 + zi))
    return 5 * np.log10(np.array(out)) + 25


@add.on(A([1.0, 0.2, 0.5, 1.1, 0.4, 0.9]))
def elements_to_state(elements):
    a, e, inc, node, peri, mean = elements
    big_e = mean + e * np.sin(mean)
    while True:
        d = (big_e - e * np.sin(big_e) - mean) / (1 - e * np.cos(big_e))
        big_e -= d
        if np.abs(d) < 1e-15:
            break
    true = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(big_e / 2), np.sqrt(1 - e) * np.cos(big_e / 2))
    r = a * (1 - e * np.cos(big_e))
    rot = lambda t, ax: np.roll(
        np.roll(np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]]), ax, 0), ax, 1
    )
    position = functools.reduce(np.matmul, [rot(node, 0), rot(inc, 1), rot(peri, 0)]) @ [
        r * np.cos(true),
        r * np.sin(true),
        0,
    ]
    return position


@add.on(
    A([[0.0, 0.0], [1.0, 0.0], [0.3, 0.9]]), A([[0.1, -0.2], [0.0, 0.4], [-0.3, 0.0]]), A([1.0, 0.5, 0.2])
)
def three_bodies_by_leapfrog(x, v, m):
    def acceleration(x):
        d = x[None, :, :] - x[:, None, :]
        r3 = (np.einsum("...k,...k->...", d, d) + 0.01) ** 1.5
        return np.einsum("j,ijk,ij->ik", m, d, 1 / r3)

    x, v = x.copy(), v.copy()
    a = acceleration(x)
    for _ in range(5):
        v += 0.05 * a
        x += 0.1 * v
        a = acceleration(x)
        v += 0.05 * a
    energy = 0.5 * np.sum(m * np.sum(v**2, axis=1))
    return x, energy


@add.on(5800.0, 1.0, A([0.4, 0.55, 0.9]))
def star_colours(temperature, radius, bands):
    x = 14387.77 / (bands * temperature)
    flux = radius**2 / bands**5 / np.expm1(x)
    magnitude = -2.5 * np.log10(flux / flux[1])
    return np.diff(magnitude), np.trapezoid(flux, bands)


@add.on(0.1, 0.3, A([-0.12, -0.05, 0.0, 0.03, 0.2]))
def transit_with_limb_darkening(k, u, phase):
    z = np.abs(phase) * 10 / 1.1
    flux = np.ones_like(z)
    inside = z <= 1 - k
    partial = (z > 1 - k) & (z < 1 + k)
    mu = np.sqrt(np.clip(1 - z**2, 0, None))
    flux[inside] = 1 - k**2 * (1 - u * (1 - mu[inside])) / (1 - u / 3)
    zp = z[partial]
    k0 = np.arccos((k**2 + zp**2 - 1) / (2 * k * zp))
    k1 = np.arccos((1 - k**2 + zp**2) / (2 * zp))
    flux[partial] = 1 - (k**2 * k0 + k1 - np.sqrt((4 * zp**2 - (1 + zp**2 - k**2) ** 2) / 4)) / np.pi
    return flux


@add.on(A([10.1, 10.4, 9.8, 10.2, 10.0, 9.7]), A([0.0, 0.31, 0.72, 1.13, 1.4, 1.95]), 2.3)
def lomb_scargle_power(y, t, w):
    y = y - y.mean()
    tau = np.arctan2(np.sum(np.sin(2 * w * t)), np.sum(np.cos(2 * w * t))) / (2 * w)
    c, s = np.cos(w * (t - tau)), np.sin(w * (t - tau))
    return 0.5 * ((y @ c) ** 2 / (c @ c) + (y @ s) ** 2 / (s @ s)) / y.var(ddof=1)


# ---- the earth


@add.on(A([1500.0, 2100.0, 3000.0]), A([200.0, 350.0]), A([100.0, 400.0, 900.0]))
def refraction_travel_times(v, h, offsets):
    times = [offsets / v[0]]
    for n in range(1, len(v)):
        p = 1 / v[n]
        delay = sum(2 * h[i] * math.sqrt(1 / v[i] ** 2 - p**2) for i in range(n))
        times.append(offsets * p + delay)
    return np.min(times, axis=0)


@add.on(A([2700.0, 2200.0]), A([400.0, 900.0]), A([-500.0, 0.0, 250.0]))
def gravity_of_buried_spheres(densities, depths, x):
    g = np.zeros(x.shape)
    for rho, z, x0, r in zip(densities - 2000, depths, (0.0, 300.0), (150.0, 200.0), strict=True):
        mass = 4 / 3 * np.pi * r**3 * rho
        g += 6.674e-11 * mass * z / ((x - x0) ** 2 + z**2) ** 1.5 * 1e5
    return g


@add.on(A([0.1, 0.4, 0.2, -0.3, 0.05]), A([1.0, -0.5]))
def reflectivity_and_ricker(reflectivity, shift):
    t = (np.arange(9) - 4) * 0.004
    a = (np.pi * 30 * (t + 1e-3 * shift[0])) ** 2
    wavelet = (1 - 2 * a) * np.exp(-a)
    trace = np.convolve(reflectivity, wavelet)
    analytic = scipy.signal.hilbert(trace)
    return np.abs(analytic), np.unwrap(np.angle(analytic))[:3] * shift[1]


@add.on(A([[2.0, 0.3, 0.0], [0.3, 1.0, -0.2], [0.0, -0.2, 0.5]]), 0.6)
def stress_on_a_fault(stress, friction):
    stress = (stress + stress.T) / 2
    principal, directions = np.linalg.eigh(stress)
    s3, s2, s1 = principal
    theta = np.pi / 4 + np.arctan(friction) / 2
    normal = directions @ np.array([np.cos(theta), 0, np.sin(theta)])
    traction = stress @ normal
    sn = normal @ traction
    shear = np.sqrt(traction @ traction - sn**2)
    return shear - friction * sn, s1 - s3, (s1 + s2 + s3) / 3


@add.on(A([5.1, 7.3, 6.2, 9.9, 8.4]), A([0.5, 1.0, 10.0]))
def kriging_at_a_point(values, model):
    xy = np.array([[0, 0], [1, 0.2], [0.3, 1.1], [1.4, 1.2], [0.7, 0.5]])
    nugget, sill, range_ = model[0] * 0.1, model[1], model[2] * 0.1

    def variogram(h):
        return np.where(
            h < range_, nugget + sill * (1.5 * h / range_ - 0.5 * (h / range_) ** 3), nugget + sill
        ) * (h > 0)

    d = np.linalg.norm(xy[:, None] - xy[None], axis=-1)
    n = len(values)
    k = np.ones((n + 1, n + 1))
    k[:n, :n] = variogram(d)
    k[n, n] = 0
    rhs = np.append(variogram(np.linalg.norm(xy - [0.6, 0.8], axis=1)), 1.0)
    w = scipy.linalg.lu_solve(scipy.linalg.lu_factor(k), rhs)
    return w[:n] @ values, w @ rhs


@add.on(A([10.0, 100.0, 30.0]), A([5.0, 20.0]))
def magnetotelluric_impedance(resistivity, thickness):
    out = []
    for f in (0.1, 1.0, 10.0):
        w = 2 * cmath.pi * f
        mu = 4e-7 * cmath.pi
        z = cmath.sqrt(1j * w * mu * resistivity[-1])
        for rho, h in zip(resistivity[-2::-1], thickness[::-1], strict=True):
            k = cmath.sqrt(1j * w * mu / rho)
            layer = k * rho
            r = (layer - z) / (layer + z)
            e = cmath.exp(-2 * k * h * 100)
            z = layer * (1 - r * e) / (1 + r * e)
        out += [abs(z) ** 2 / (w * mu), math.degrees(cmath.phase(z))]
    return out


@add.on(A([3.0, 1.2]), 0.45)
def gutenberg_richter(parameters, completeness):
    magnitudes = np.array([1.1, 1.7, 2.4, 1.3, 3.2, 2.1])
    b = np.log10(np.e) / (magnitudes[magnitudes > 1.2].mean() - 1.2 + 0.1 * completeness)
    a, beta = parameters
    rate = 10 ** (a - b * np.array([2, 3, 4]))
    return b, rate, 1 - np.exp(-rate * beta)


@add.on(A([6.0, 0.3, 2.0]), A([15.0, 25.0]))
def steady_geotherm(parameters, depths):
    q, k, production = parameters
    out = np.empty_like(depths)
    for i, z in enumerate(depths):
        if z < 20:
            out[i] = 10 + q * z / k - production * z**2 / (2 * k) * 0.01
        else:
            out[i] = 10 + q * 20 / k - 2 * production / k + (q - 0.2 * production) / (k + 1) * (z - 20)
    return out


ROWS = list(add)
