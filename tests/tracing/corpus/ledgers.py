"""Finance and statistics, as people write them."""

import contextlib
import functools
import itertools
import math
import warnings
from collections import Counter, defaultdict

import numpy as np
from numpy.linalg import LinAlgError, cholesky, inv
from scipy import integrate, linalg, optimize, signal, special, stats
from scipy.special import digamma, expit, gammaln, log_ndtr, logsumexp, ndtr, ndtri, xlogy
from scipy.stats import norm

from tests.tracing.corpus.row import Rows

add = Rows("ledgers")

# ---- finance


def heston_cf(u, kappa, theta, sigma, rho, v0, T):
    d = np.sqrt((rho * sigma * 1j * u - kappa) ** 2 + sigma**2 * (1j * u + u**2))
    g = (kappa - rho * sigma * 1j * u - d) / (kappa - rho * sigma * 1j * u + d)
    C = (
        kappa
        * theta
        / sigma**2
        * ((kappa - rho * sigma * 1j * u - d) * T - 2 * np.log((1 - g * np.exp(-d * T)) / (1 - g)))
    )
    D = (kappa - rho * sigma * 1j * u - d) / sigma**2 * (1 - np.exp(-d * T)) / (1 - g * np.exp(-d * T))
    return np.exp(C + D * v0)


def heston_call(k, kappa, theta, sigma, rho, v0):
    """By Fourier integrals with quad."""
    T = 1.0
    cf = functools.partial(heston_cf, kappa=kappa, theta=theta, sigma=sigma, rho=rho, v0=v0, T=T)

    def integrand(u):
        return np.real(np.exp(-1j * u * k) * cf(u - 0.5j) / (u**2 + 0.25))

    return 1 - np.exp(k / 2) / np.pi * integrate.quad(integrand, 0, 100, limit=200)[0]


def carr_madan(sigma, r):
    n, eta, alpha = 64, 0.5, 1.5
    v = np.arange(n) * eta
    u = v - 1j * (alpha + 1)
    phi = np.exp(1j * u * (r - sigma**2 / 2) - 0.5 * sigma**2 * u**2)
    psi = np.exp(-r) * phi / (alpha**2 + alpha - v**2 + 1j * (2 * alpha + 1) * v)
    lam = 2 * np.pi / (n * eta)
    b = n * lam / 2
    w = eta / 3 * (3 + (-1) ** np.arange(1, n + 1) - np.isin(np.arange(n), 0))
    x = np.exp(1j * b * v) * psi * w
    k = -b + lam * np.arange(n)
    c = np.exp(-alpha * k) / np.pi * np.fft.fft(x).real
    return c[n // 2 - 2 : n // 2 + 2]


def trinomial(S, sigma, american):
    n, K, r, T = 8, 1.0, 0.05, 1.0
    dt = T / n
    u = math.exp(sigma * math.sqrt(2 * dt))
    pu = (
        (math.exp(r * dt / 2) - math.exp(-sigma * math.sqrt(dt / 2)))
        / (math.exp(sigma * math.sqrt(dt / 2)) - math.exp(-sigma * math.sqrt(dt / 2)))
    ) ** 2
    pd = (
        (math.exp(sigma * math.sqrt(dt / 2)) - math.exp(r * dt / 2))
        / (math.exp(sigma * math.sqrt(dt / 2)) - math.exp(-sigma * math.sqrt(dt / 2)))
    ) ** 2
    j = np.arange(-n, n + 1)
    V = np.maximum(K - S * u**j, 0)
    for step in range(n - 1, -1, -1):
        V = math.exp(-r * dt) * (pu * V[2:] + (1 - pu - pd) * V[1:-1] + pd * V[:-2])
        if american:
            V = np.maximum(V, K - S * u ** j[n - step : n + step + 1])
    return V[0]


class Bond:
    def __init__(self, face, coupon, years, freq=2):
        self.face, self.coupon, self.years, self.freq = face, coupon, years, freq

    @property
    def flows(self):
        n = self.years * self.freq
        c = [self.face * self.coupon / self.freq] * n
        c[-1] += self.face
        return [(k / self.freq, v) for k, v in enumerate(c, start=1)]

    def price(self, y):
        return sum(cf / (1 + y / self.freq) ** (t * self.freq) for t, cf in self.flows)

    def ytm(self, price):
        return optimize.newton(lambda y: self.price(y) - price, 0.05, tol=1e-14, maxiter=100)

    def duration(self, price):
        y = self.ytm(price)
        return sum(t * cf * (1 + y / self.freq) ** (-t * self.freq) for t, cf in self.flows) / price


def bond_duration(price, coupon):
    return Bond(100.0, coupon, 5).duration(price)


def bootstrap_curve(rates):
    """Discount factors from par swap rates."""
    df = []
    for r in rates:
        df.append((1 - r * sum(df)) / (1 + r))
    zero = [-math.log(d) / (i + 1) for i, d in enumerate(df)]
    forward = [df[i] / df[i + 1] - 1 for i in range(len(df) - 1)]
    return np.array(zero), np.array(forward)


def svensson(beta, tau):
    t = np.array([0.5, 1, 2, 5, 10, 30])
    x1, x2 = t / tau[0], t / tau[1]
    f1 = (1 - np.exp(-x1)) / x1
    return (
        beta[0]
        + beta[1] * f1
        + beta[2] * (f1 - np.exp(-x1))
        + beta[3] * ((1 - np.exp(-x2)) / x2 - np.exp(-x2))
    )


def sabr(f, k, alpha, rho, nu):
    beta, t = 0.5, 1.0
    fk = (f * k) ** (1 - beta)
    lg = np.log(f / k)
    z = nu / alpha * fk**0.5 * lg
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.log((np.sqrt(1 - 2 * rho * z + z**2) + z - rho) / (1 - rho))
        ratio = np.where(np.abs(z) < 1e-8, 1.0, z / x)
    den = fk**0.5 * (1 + (1 - beta) ** 2 / 24 * lg**2 + (1 - beta) ** 4 / 1920 * lg**4)
    corr = (
        1
        + (
            (1 - beta) ** 2 / 24 * alpha**2 / fk
            + rho * beta * nu * alpha / (4 * fk**0.5)
            + (2 - 3 * rho**2) / 24 * nu**2
        )
        * t
    )
    return alpha / den * ratio * corr


def implied_vols(prices):
    """Of several strikes, by a loop and brentq."""

    def bs(k, s):
        d1 = (np.log(1 / k) + s * s / 2) / s
        return norm.cdf(d1) - k * norm.cdf(d1 - s)

    strikes = [0.9, 1.0, 1.1]
    vols = np.full(3, np.nan)
    for i, (k, p) in enumerate(zip(strikes, prices, strict=False)):
        with contextlib.suppress(ValueError):
            vols[i] = optimize.brentq(lambda s, k=k, p=p: bs(k, s) - p, 1e-4, 5.0, xtol=1e-14)
    return vols


def garch11(returns, params):
    omega, alpha, beta = params
    T = len(returns)
    sigma2 = np.empty(T)
    sigma2[0] = np.var(returns)
    for t in range(1, T):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    if np.any(sigma2 <= 0) or alpha + beta >= 1:
        return np.inf
    return 0.5 * np.sum(np.log(2 * np.pi) + np.log(sigma2) + returns**2 / sigma2)


def egarch(returns, params):
    w, a, g, b = params
    logv, ll = math.log(0.3), 0.0
    for r in returns:
        z = r / math.exp(logv / 2)
        ll -= 0.5 * (math.log(2 * math.pi) + logv + z * z)
        logv = w + b * logv + a * (abs(z) - math.sqrt(2 / math.pi)) + g * z
    return ll


def markowitz(mu, target):
    C = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]])
    ones = np.ones(3)
    A = np.block([[2 * C, mu[:, None], ones[:, None]], [mu, 0, 0], [ones, 0, 0]])
    w = np.linalg.solve(A, np.array([0, 0, 0, target, 1.0]))[:3]
    return w, np.sqrt(w @ C @ w)


def risk_parity(v):
    C = np.diag(v) + 0.02
    w = np.ones(3) / 3
    for _ in range(500):
        w_new = 1 / (C @ w)
        w_new /= w_new.sum()
        if np.allclose(w, w_new, rtol=0, atol=1e-14):
            break
        w = 0.5 * (w + w_new)
    return w


def black_litterman(q, tau):
    Sigma = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]])
    P = np.array([[1, -1, 0], [0, 0, 1.0]])
    pi = 2.5 * Sigma @ np.array([0.5, 0.3, 0.2])
    omega = np.diag(np.diag(P @ (tau * Sigma) @ P.T))
    M = inv(inv(tau * Sigma) + P.T @ inv(omega) @ P)
    return M @ (inv(tau * Sigma) @ pi + P.T @ inv(omega) @ q)


def value_at_risk(x, level):
    q = np.quantile(x, level)
    tail = x[x <= q]
    return q, tail.mean()


def drawdowns(x):
    wealth = np.cumprod(1 + x * 0.1)
    peak = np.maximum.accumulate(wealth)
    dd = (wealth - peak) / peak
    return dd.min(), wealth[-1] ** (12 / len(x)) - 1, np.std(x, ddof=1) * np.sqrt(12)


def longstaff(S0, sigma):
    """American put by regression on fixed random paths."""
    z = np.random.default_rng(5).standard_normal((40, 4))
    dt, r, K = 0.25, 0.05, 1.0
    S = S0 * np.exp(np.cumsum((r - sigma**2 / 2) * dt + sigma * np.sqrt(dt) * z, axis=1))
    cash = np.maximum(K - S[:, -1], 0)
    for t in range(2, -1, -1):
        cash = cash * np.exp(-r * dt)
        itm = S[:, t] < K
        X = np.vander(S[itm, t], 3)
        beta = np.linalg.lstsq(X, cash[itm], rcond=None)[0]
        exercise = K - S[itm, t]
        go = exercise > X @ beta
        cash[np.flatnonzero(itm)[go]] = exercise[go]
    return np.exp(-r * dt) * cash.mean()


def vasicek(r0, kappa, theta, sigma):
    out = {}
    for T in (1, 5, 10):
        B = (1 - np.exp(-kappa * T)) / kappa
        A = (theta - sigma**2 / (2 * kappa**2)) * (B - T) - sigma**2 * B**2 / (4 * kappa)
        out[f"P{T}"] = np.exp(A - B * r0)
    return out


def annuity(rate, growth):
    value = 0.0
    payment = 1.0
    for year in itertools.count(1):
        value += payment / (1 + rate) ** year
        payment *= 1 + growth
        if year >= 20:
            return value


def merton_jump(S, sigma, lam):
    price = 0.0
    for n in range(15):
        s = math.sqrt(sigma**2 + n * 0.04)
        d1 = (math.log(S) + 0.03 + s * s / 2) / s
        bs = S * 0.5 * math.erfc(-d1 / math.sqrt(2)) - math.exp(-0.03) * 0.5 * math.erfc(
            -(d1 - s) / math.sqrt(2)
        )
        price += math.exp(-lam) * lam**n / math.factorial(n) * bs
    return price


def cds_spread(h, recovery):
    t = np.arange(0.25, 5.01, 0.25)
    surv = np.exp(-h * t)
    df = np.exp(-0.03 * t)
    prev = np.concatenate([[1.0], surv[:-1]])
    return (1 - recovery) * np.sum(df * (prev - surv)) / np.sum(0.25 * df * (surv + 0.5 * (prev - surv)))


# ---- likelihoods


def em_gaussians(x, mu):
    """Three steps of EM, a class holding the state."""

    class State:
        pass

    st = State()
    st.pi, st.mu, st.sd = np.array([0.5, 0.5]), mu, np.array([1.0, 1.0])
    for _ in range(3):
        logp = np.log(st.pi) + stats.norm.logpdf(x[:, None], st.mu, st.sd)
        r = np.exp(logp - logsumexp(logp, axis=1, keepdims=True))
        nk = r.sum(axis=0)
        st.mu = (r * x[:, None]).sum(axis=0) / nk
        st.sd = np.sqrt((r * (x[:, None] - st.mu) ** 2).sum(axis=0) / nk)
        st.pi = nk / len(x)
    return np.concatenate([st.pi, st.mu, st.sd])


def kalman_inplace(y, q, r):
    """A local linear trend; matrices are written into."""
    F, H = np.array([[1, 1], [0, 1.0]]), np.array([[1.0, 0]])
    Q = np.zeros((2, 2))
    Q[0, 0], Q[1, 1] = q
    a, P = np.zeros(2), np.eye(2) * 10
    states = np.zeros((len(y), 2))
    loglik = 0.0
    for t, yt in enumerate(y):
        a[:] = F @ a
        P[...] = F @ P @ F.T + Q
        v = yt - (H @ a)[0]
        S = (H @ P @ H.T)[0, 0] + r
        K = (P @ H.T)[:, 0] / S
        a += K * v
        P -= np.outer(K, K) * S
        states[t] = a
        loglik += -0.5 * (np.log(2 * np.pi * S) + v * v / S)
    return loglik, states[-1]


def rts_smoother(y, q):
    n = len(y)
    m, P = np.zeros(n), np.zeros(n)
    mp, Pp = np.zeros(n), np.zeros(n)
    mm, PP = 0.0, 1.0
    for t in range(n):
        mp[t], Pp[t] = 0.9 * mm, 0.81 * PP + q
        K = Pp[t] / (Pp[t] + 0.3)
        mm = m[t] = mp[t] + K * (y[t] - mp[t])
        PP = P[t] = (1 - K) * Pp[t]
    for t in range(n - 2, -1, -1):
        G = 0.9 * P[t] / Pp[t + 1]
        m[t] += G * (m[t + 1] - mp[t + 1])
        P[t] += G**2 * (P[t + 1] - Pp[t + 1])
    return m


def hmm_log(A, B):
    """Forward and backward in the logarithm; posteriors."""
    obs = [0, 1, 1, 0, 2]
    logA, logB = np.log(A / A.sum(1, keepdims=True)), np.log(B / B.sum(1, keepdims=True))
    alpha = np.zeros((5, 2))
    alpha[0] = np.log(0.5) + logB[:, obs[0]]
    for t in range(1, 5):
        for j in range(2):
            alpha[t, j] = logsumexp(alpha[t - 1] + logA[:, j]) + logB[j, obs[t]]
    beta = np.zeros((5, 2))
    for t in reversed(range(4)):
        beta[t] = logsumexp(logA + logB[:, obs[t + 1]] + beta[t + 1], axis=1)
    gamma = alpha + beta
    return np.exp(gamma - logsumexp(gamma, axis=1, keepdims=True)), logsumexp(alpha[-1])


def clayton(u, v, theta):
    return (
        np.log1p(theta)
        - (1 + theta) * (np.log(u) + np.log(v))
        - (2 + 1 / theta) * np.log(u**-theta + v**-theta - 1)
    )


def gaussian_copula(u, rho):
    z = ndtri(u)
    R = np.array([[1, rho], [rho, 1]])
    L = cholesky(R)
    w = linalg.solve_triangular(L, z, lower=True)
    return -np.log(np.diag(L)).sum() - 0.5 * (w @ w - z @ z)


def t_copula(u, rho, nu):
    x = stats.t.ppf(u, nu)
    S = np.full((3, 3), rho)
    np.fill_diagonal(S, 1.0)
    return stats.multivariate_t.logpdf(x, shape=S, df=nu) - stats.t.logpdf(x, nu).sum()


def frank_tau(theta):
    d = integrate.quad(lambda t: t / np.expm1(t), 0, theta)[0] / theta
    return 1 - 4 / theta * (1 - d)


def mixed_model(y, s):
    """REML of a random intercept."""
    groups = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    X = np.column_stack([np.ones(8), np.arange(8) % 3])
    Z = (groups[:, None] == np.unique(groups)).astype(float)
    V = s[0] * Z @ Z.T + s[1] * np.eye(8)
    c = linalg.cho_factor(V)
    ViX = linalg.cho_solve(c, X)
    XtViX = X.T @ ViX
    beta = np.linalg.solve(XtViX, ViX.T @ y)
    r = y - X @ beta
    logdet = 2 * np.log(np.diagonal(c[0])).sum()
    return -0.5 * (logdet + np.linalg.slogdet(XtViX)[1] + r @ linalg.cho_solve(c, r))


def weibull_survival(params, t):
    k, lam = np.exp(params)
    event = np.array([1, 1, 0, 1, 0], bool)
    log_h = np.log(k / lam) + (k - 1) * np.log(t / lam)
    return np.sum(log_h[event]) - np.sum((t / lam) ** k)


def cox_partial(beta):
    t = np.array([5, 3, 9, 7, 2, 8])
    d = np.array([1, 1, 0, 1, 1, 0])
    X = np.array([[0.3, 1.0], [1.2, 0.0], [-0.4, 1.0], [0.1, 0.0], [0.9, 1.0], [-1.0, 0.0]])
    eta = X.dot(beta)
    ll = 0
    for i in np.where(d)[0]:
        ll += eta[i] - np.log(np.exp(eta[t >= t[i]]).sum())
    return ll


def l_moments(x):
    x = np.sort(x)
    n = len(x)
    b = [x.mean()]
    for r in range(1, 4):
        w = special.comb(np.arange(n), r) / special.comb(n - 1, r)
        b.append(np.mean(w * x))
    l1, l2 = b[0], 2 * b[1] - b[0]
    l3, l4 = 6 * b[2] - 6 * b[1] + b[0], 20 * b[3] - 30 * b[2] + 12 * b[1] - b[0]
    return np.array([l1, l2, l3 / l2, l4 / l2])


def gev_pwm(x):
    x = sorted(x)
    n = len(x)
    b = [sum(math.comb(i, r) / math.comb(n - 1, r) * v for i, v in enumerate(x)) / n for r in range(3)]
    c = (2 * b[1] - b[0]) / (3 * b[2] - b[0]) - math.log(2) / math.log(3)
    k = 7.859 * c + 2.9554 * c**2
    alpha = (2 * b[1] - b[0]) * k / (math.gamma(1 + k) * (1 - 2**-k))
    return k, alpha, b[0] + alpha * (math.gamma(1 + k) - 1) / k


def ordinal_probit(beta, cuts):
    x = np.array([0.2, -1.0, 0.7, 1.5])
    y = np.array([1, 0, 2, 2])
    edges = np.concatenate(([-np.inf], cuts, [np.inf]))
    eta = beta * x
    return np.sum(np.log(ndtr(edges[y + 1] - eta) - ndtr(edges[y] - eta)))


def tobit(params, y):
    b, s = params[0], np.exp(params[1])
    x = np.linspace(0, 1, len(y))
    z = (y - b * x) / s
    censored = y <= 0
    return np.where(censored, log_ndtr(-b * x / s), norm.logpdf(z) - np.log(s)).sum()


def heckman(params):
    rho = np.tanh(params[2])
    x, d = np.array([0.3, -0.5, 1.0, 0.7]), np.array([1, 0, 1, 1])
    zg = params[0] + 0.5 * x
    e = np.array([0.2, np.nan, -0.3, 0.5]) - params[1] * x
    ll = 0.0
    for i in range(4):
        if d[i] == 0:
            ll += stats.norm.logcdf(-zg[i])
        else:
            ll += stats.norm.logcdf((zg[i] + rho * e[i]) / np.sqrt(1 - rho**2)) + stats.norm.logpdf(e[i])
    return ll


def zip_loglik(lam, pi):
    y = np.array([0, 0, 3, 1, 0, 2])
    zero = y == 0
    ll = np.empty(y.shape)
    ll[zero] = np.log(pi + (1 - pi) * np.exp(-lam))
    ll[~zero] = np.log1p(-pi) + y[~zero] * np.log(lam) - lam - gammaln(y[~zero] + 1)
    return ll.sum()


def dirichlet_multinomial(alpha):
    counts = np.array([[3, 1, 0], [2, 2, 5]])
    n = counts.sum(1)
    return (
        gammaln(alpha.sum()) - gammaln(n + alpha.sum()) + (gammaln(counts + alpha) - gammaln(alpha)).sum(1)
    ).sum()


def minka_step(alpha):
    counts = np.array([[3, 1, 1], [2, 2, 5]])
    num = (digamma(counts + alpha) - digamma(alpha)).sum(0)
    den = (digamma(counts.sum(1) + alpha.sum()) - digamma(alpha.sum())).sum()
    return alpha * num / den


def glm_irls(X, y):
    """A Poisson regression until the deviance stands."""
    beta = np.zeros(X.shape[1])
    dev = np.inf
    for _it in range(100):
        eta = X @ beta
        mu = np.exp(eta)
        W = np.diag(mu)
        z = eta + (y - mu) / mu
        beta = np.linalg.solve(X.T @ W @ X, X.T @ W @ z)
        new = 2 * np.sum(xlogy(y, y / mu) - (y - mu))
        if abs(new - dev) < 1e-14 * (abs(new) + 0.1):
            break
        dev = new
    else:
        warnings.warn("not converged", RuntimeWarning, stacklevel=2)
    return beta, np.sqrt(np.diag(np.linalg.inv(X.T @ W @ X)))


def lasso_cd(X, y):
    """Coordinate descent."""
    _n, p = X.shape
    b = np.zeros(p)
    for _ in range(60):
        for j in range(p):
            r = y - X @ b + X[:, j] * b[j]
            rho = X[:, j] @ r
            b[j] = np.sign(rho) * max(abs(rho) - 0.2, 0) / (X[:, j] @ X[:, j])
    return b


def quantile_loss(beta, tau):
    x = np.linspace(0, 1, 6)
    y = np.array([0.3, 0.1, 0.8, 0.5, 1.2, 0.9])
    u = y - beta[0] - beta[1] * x
    return np.sum(u * (tau - (u < 0)))


def loess(y, x0):
    x = np.linspace(0, 1, len(y))
    d = np.abs(x - x0)
    h = np.sort(d)[4]
    w = np.where(d < h, (1 - (d / h) ** 3) ** 3, 0)
    A = np.vander(x - x0, 2)
    sw = np.sqrt(w)
    return np.linalg.lstsq(A * sw[:, None], y * sw, rcond=None)[0][-1]


def mahalanobis_shrunk(X, x0):
    S = np.cov(X, rowvar=False)
    S = 0.8 * S + 0.2 * np.trace(S) / S.shape[0] * np.eye(S.shape[0])
    d = x0 - X.mean(axis=0)
    try:
        return np.sqrt(d @ np.linalg.solve(S, d))
    except LinAlgError:
        return np.nan


def canonical(X):
    a, b = X[:, :2], X[:, 2:]
    a, b = a - a.mean(0), b - b.mean(0)
    qa, qb = np.linalg.qr(a)[0], np.linalg.qr(b)[0]
    return np.linalg.svd(qa.T @ qb, compute_uv=False)


def factor_scores(X):
    Z = (X - X.mean(0)) / X.std(0, ddof=1)
    R = np.corrcoef(Z.T)
    w, v = np.linalg.eigh(R)
    idx = np.argsort(w)[::-1][:2]
    load = v[:, idx] * np.sqrt(w[idx])
    return np.sum(load**2, axis=1), w[idx] / w.sum()


def cronbach(X):
    k = X.shape[1]
    return k / (k - 1) * (1 - X.var(axis=0, ddof=1).sum() / X.sum(axis=1).var(ddof=1))


def auc_soft(x):
    pos, neg = x[:4], x[4:]
    return np.mean([expit((p - n) * 5) for p in pos for n in neg]), roc(x)


def roc(x):
    y = np.array([1, 1, 0, 1, 0, 0, 1, 0])
    order = np.argsort(-x)
    true_rate = np.cumsum(y[order]) / y.sum()
    false_rate = np.cumsum(1 - y[order]) / (1 - y).sum()
    return np.trapezoid(true_rate, false_rate) + x.max()


def dcc(x):
    Q = np.eye(2)
    S = np.corrcoef(x.reshape(2, -1))
    ll = 0.0
    for e in x.reshape(2, -1).T:
        d = 1 / np.sqrt(np.diag(Q))
        R = Q * np.outer(d, d)
        ll += -0.5 * (np.log(np.linalg.det(R)) + e @ np.linalg.inv(R) @ e)
        Q = 0.9 * Q + 0.05 * S + 0.05 * np.outer(e, e)
    return ll


def arma_css(params, y):
    phi, theta = params
    e = signal.lfilter([1, -phi], [1, theta], y)
    return -0.5 * len(y) * np.log(np.mean(e**2))


def yule_walker(y):
    y = y - np.mean(y)
    g = [np.dot(y[: len(y) - k], y[k:]) / len(y) for k in range(4)]
    R = linalg.toeplitz(g[:3])
    phi = linalg.solve(R, g[1:])
    return phi, g[0] - phi @ g[1:]


def holt_winters(y, a):
    level, trend = y[0], y[1] - y[0]
    season = [y[i] - y[0] for i in range(4)]
    fit = []
    for i in range(4, len(y)):
        fit.append(level + trend + season[i % 4])
        new = a[0] * (y[i] - season[i % 4]) + (1 - a[0]) * (level + trend)
        trend = a[1] * (new - level) + (1 - a[1]) * trend
        level = new
        season[i % 4] = a[2] * (y[i] - level) + (1 - a[2]) * season[i % 4]
    return sum((f - v) ** 2 for f, v in zip(fit, y[4:], strict=False))


def changepoint(x):
    n = len(x)
    cs = np.concatenate([[0], np.cumsum(x)])
    best = max(range(2, n - 1), key=lambda k: cs[k] ** 2 / k + (cs[n] - cs[k]) ** 2 / (n - k))
    return cs[best] ** 2 / best + (cs[n] - cs[best]) ** 2 / (n - best)


def kde_cv(x, h):
    """Leave one out cross validation of a bandwidth."""
    n = len(x)
    K = stats.norm.pdf((x[:, None] - x[None, :]) / h) / h
    K[np.diag_indices(n)] = 0
    return np.log(K.sum(1) / (n - 1)).mean()


def energy_distance(x):
    a, b = x[:4], x[4:]
    ab = np.abs(np.subtract.outer(a, b)).mean()
    return 2 * ab - np.abs(np.subtract.outer(a, a)).mean() - np.abs(
        np.subtract.outer(b, b)
    ).mean(), stats.wasserstein_distance(a, b)


def mmd(x, gamma):
    k = lambda a, b: np.exp(-gamma * (a[:, None] - b[None]) ** 2)
    a, b = np.array_split(x, 2)
    return k(a, a).mean() + k(b, b).mean() - 2 * k(a, b).mean()


def distance_correlation(x):
    a, b = (np.abs(z[:, None] - z) for z in (x[:4], x[4:]))
    A, B = (z - z.mean(0) - z.mean(1)[:, None] + z.mean() for z in (a, b))
    return (A * B).mean() / math.sqrt((A * A).mean() * (B * B).mean())


def jackknife(x):
    theta = lambda v: np.log(v.var(ddof=1))
    parts = np.array([theta(np.delete(x, i)) for i in range(len(x))])
    n = len(x)
    return n * theta(x) - (n - 1) * parts.mean(), np.sqrt((n - 1) / n * ((parts - parts.mean()) ** 2).sum())


def isotonic(y):
    """Pool adjacent violators with a stack."""
    blocks = []
    for v in y:
        blocks.append([v, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            v2, n2 = blocks.pop()
            v1, n1 = blocks.pop()
            blocks.append([(v1 * n1 + v2 * n2) / (n1 + n2), n1 + n2])
    return np.concatenate([np.repeat(v, n) for v, n in blocks])


def contingency(table):
    expected = stats.contingency.expected_freq(table)
    return ((table - expected) ** 2 / expected).sum(), 2 * xlogy(table, table / expected).sum()


def welch(x):
    a, b = x[:4], x[4:]
    va, vb = a.var(ddof=1) / 4, b.var(ddof=1) / 4
    t = (a.mean() - b.mean()) / np.sqrt(va + vb)
    df = (va + vb) ** 2 / (va**2 / 3 + vb**2 / 3)
    return 2 * stats.t.sf(np.abs(t), df)


def beta_binomial_test(a, b):
    return (
        stats.beta.sf(0.5, 3 + a, 7 + b),
        stats.betabinom.pmf(3, 10, a, b),
        stats.beta.interval(0.9, 3 + a, 7 + b),
    )


def gaussian_process_ard(x, ls):
    X = x.reshape(-1, 2)
    y = np.sin(X.sum(1))
    d = (X[:, None, :] - X[None, :, :]) / ls
    r = np.sqrt(np.maximum((d**2).sum(-1), 1e-30))
    K = (1 + np.sqrt(5) * r + 5 / 3 * r**2) * np.exp(-np.sqrt(5) * r) + 0.1 * np.eye(len(X))
    L = linalg.cholesky(K, lower=True)
    a = linalg.cho_solve((L, True), y)
    return -0.5 * y @ a - np.log(np.diag(L)).sum()


def leapfrog_hmc(q, p):
    """A trajectory with a gradient by hand."""
    grad = lambda q: np.array(
        [-400 * 0.01 * q[0] * (q[1] - q[0] ** 2) + 2 * (q[0] - 1), 200 * 0.01 * (q[1] - q[0] ** 2)]
    )
    q, p = np.array(q), np.array(p)
    p -= 0.05 * grad(q)
    for i in range(5):
        q += 0.1 * p
        if i != 4:
            p -= 0.1 * grad(q)
    p -= 0.05 * grad(q)
    return np.concatenate([q, -p])


def vb_normal(x):
    """Variational steps with a dictionary of parameters."""
    q = {"mu": 0.0, "lam": 1.0, "a": 1.0, "b": 1.0}
    n, xbar = len(x), np.mean(x)
    for _ in range(8):
        e_tau = q["a"] / q["b"]
        q.update(mu=n * xbar / (1 + n), lam=(1 + n) * e_tau)
        q["a"] = 1.0 + (n + 1) / 2
        q["b"] = 1.0 + 0.5 * (np.sum((x - q["mu"]) ** 2) + n / q["lam"] + q["mu"] ** 2 + 1 / q["lam"])
    return [q[k] for k in sorted(q)]


def abc_summary(x):
    m = stats.moment(x, [2, 3, 4])
    acf = [np.corrcoef(x[:-k], x[k:])[0, 1] for k in (1, 2)]
    return np.hstack([m, acf, stats.iqr(x), stats.gmean(np.abs(x) + 1), stats.median_abs_deviation(x)])


def group_means(x):
    keys = ["a", "b", "a", "c", "b", "a", "c", "c"]
    groups = defaultdict(list)
    for k, v in zip(keys, x, strict=False):
        groups[k].append(v)
    counts = Counter(keys)
    grand = sum(x) / len(x)
    between = sum(counts[k] * (np.mean(g) - grand) ** 2 for k, g in groups.items())
    within = sum(sum((v - np.mean(g)) ** 2 for v in g) for g in groups.values())
    return (between / (len(groups) - 1)) / (within / (len(x) - len(groups)))


X8 = [0.3, 1.1, 0.7, -0.4, -1.2, -0.6, 0.5, 1.4]
M = np.sin(np.arange(24.0).reshape(6, 4) * 1.7) + 0.2

add(heston_call, 0.05, 1.5, 0.04, 0.4, -0.6, 0.05)
add(carr_madan, 0.3, 0.05)
add(trinomial, 1.02, 0.3, american=False)
add(trinomial, 1.02, 0.3, american=True)
add(bond_duration, 97.0, 0.04)
add(bootstrap_curve, [0.01, 0.015, 0.02, 0.022])
add(svensson, [0.03, -0.01, 0.02, 0.01], [1.5, 6.0])
add(sabr, 0.03, 0.035, 0.05, -0.3, 0.4)
add(implied_vols, [0.15, 0.09, 0.05])
add(garch11, X8, [0.1, 0.1, 0.8])
add(egarch, X8, [-0.1, 0.2, -0.1, 0.9])
add(markowitz, [0.05, 0.08, 0.12], 0.07)
add(risk_parity, [0.04, 0.09, 0.16])
add(black_litterman, [0.02, 0.1], 0.05)
add(value_at_risk, X8, 0.3)
add(drawdowns, X8)
add(longstaff, 1.0, 0.3)
add(vasicek, 0.03, 0.5, 0.04, 0.02)
add(annuity, 0.05, 0.02)
add(merton_jump, 1.0, 0.2, 0.5)
add(cds_spread, 0.02, 0.4)
add(em_gaussians, X8, [-0.5, 0.8])
add(kalman_inplace, X8, [0.1, 0.02], 0.3)
add(rts_smoother, X8, 0.1)
add(hmm_log, [[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
add(clayton, 0.3, 0.6, 1.5)
add(gaussian_copula, [0.3, 0.6], 0.4)
add(t_copula, [0.3, 0.6, 0.8], 0.4, 5.0)
add(frank_tau, 2.5)
add(mixed_model, X8, [0.4, 0.6])
add(weibull_survival, [0.2, 0.5], [0.5, 1.2, 2.0, 0.9, 1.6])
add(cox_partial, [0.3, -0.5])
add(l_moments, X8)
add(gev_pwm, [1.3, 2.1, 1.7, 0.6, 0.8, 1.0, 1.5, 3.4])
add(ordinal_probit, 0.7, [-0.4, 0.6])
add(tobit, [0.6, 0.1], [-0.1, 0.4, -0.2, 0.8, 0.9])
add(heckman, [0.3, 0.5, 0.2])
add(zip_loglik, 1.4, 0.3)
add(dirichlet_multinomial, [0.8, 1.2, 0.5])
add(minka_step, [0.8, 1.2, 0.5])
add(glm_irls, np.column_stack([np.ones(5), [0.1, 0.4, 0.5, 0.9, 1.3]]), [1.0, 2.0, 1.0, 3.0, 5.0])
add(lasso_cd, M[:, :3], [0.3, 1.0, -0.2, 0.8, 0.1, -0.5])
add(quantile_loss, [0.2, 0.8], 0.3)
add(loess, X8, 0.43)
add(mahalanobis_shrunk, M, [0.3, 0.1, -0.4, 0.8])
add(canonical, M)
add(factor_scores, M)
add(cronbach, M)
add(auc_soft, X8)
add(dcc, X8)
add(arma_css, [0.5, 0.3], X8)
add(yule_walker, X8)
add(holt_winters, X8, [0.3, 0.2, 0.4])
add(changepoint, X8)
add(kde_cv, X8, 0.5)
add(energy_distance, X8)
add(mmd, X8, 0.8)
add(distance_correlation, X8)
add(jackknife, X8)
add(isotonic, X8)
add(contingency, [[10.0, 5.0], [4.0, 12.0]])
add(welch, X8)
add(beta_binomial_test, 1.2, 2.3)
add(gaussian_process_ard, X8, [0.8, 1.3])
add(leapfrog_hmc, [0.3, 0.8], [0.5, -0.4])
add(vb_normal, X8)
add(abc_summary, X8)
add(group_means, X8)

ROWS = list(add)
