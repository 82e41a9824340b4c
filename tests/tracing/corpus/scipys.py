"""SciPy's own functions outside of `special`'s ufuncs and of the distributions' private methods."""

import numpy as np
from scipy import (
    constants,
    differentiate,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    spatial,
    special,
    stats,
)
from scipy.integrate import quad

from tests.tracing.corpus.row import Rows

add = Rows("scipy")
U = [0.31, -0.72, 1.15, 0.58, -1.4, 0.9, 0.2, -0.35]
V = [1.3, 0.4, -0.9, 2.1, 0.77, 0.1, -1.2, 0.6]
P = [0.8, 1.7, 2.9, 3.1, 4.6, 5.0, 6.3, 7.1]  # positive, ascending
A = [[1.9, 0.3, -0.4], [0.2, 2.4, 0.5], [-0.1, 0.6, 1.7]]
S = [[2.1, 0.3, 0.4], [0.3, 1.3, 0.2], [0.4, 0.2, 0.9]]
B = [[0.7, -1.2], [1.5, 0.4], [0.3, 0.9]]
IMAGE = np.sin(np.arange(1.0, 31.0) ** 1.3).reshape(5, 6) + 0.3

# ---- signal

W = signal.windows
for f, x in ((W.kaiser, 3.2), (W.gaussian, 2.3), (W.tukey, 0.4), (W.exponential, None), (W.general_hamming, 0.54),
             (W.kaiser_bessel_derived, 3.2), (W.chebwin, 61.0), (W.dpss, 2.4)):  # fmt: skip
    if f is W.exponential:
        add(lambda tau: W.exponential(9, tau=tau), 3.1, id="signal.windows.exponential")
    else:
        add(lambda x, f=f: f(10, x), x, id=f"signal.windows.{f.__name__}")
add(lambda p, s: W.general_gaussian(9, p, s), 1.4, 2.7, id="signal.windows.general_gaussian")
add(lambda a: W.general_cosine(9, a), [0.4, 0.5, 0.1], id="signal.windows.general_cosine")
add(lambda s: W.taylor(9, nbar=3, sll=s), 31.0, id="signal.windows.taylor")
add(signal.detrend, U)
add(signal.detrend, U, type="constant")
add(signal.convolve, U, [0.3, 0.5, 0.1])
add(signal.convolve, U, [0.3, 0.5, 0.1], method="direct")
add(signal.correlate, U, [0.3, 0.5, 0.1])
add(signal.fftconvolve, U, [0.3, 0.5, 0.1])
add(signal.oaconvolve, U, [0.3, 0.5, 0.1])
add(signal.convolve2d, IMAGE, [[0.3, 0.5], [0.1, -0.4]])
add(signal.hilbert, U)
add(signal.lfilter, [0.3, 0.5], [1.0, -0.4], U)
add(signal.filtfilt, [0.3, 0.5], [1.0, -0.4], P + P)
add(signal.savgol_filter, U, window_length=5, polyorder=2)
add(signal.freqz, [0.3, 0.5], [1.0, -0.4], worN=5)
add(signal.zpk2tf, [0.3, 0.5], [0.9, -0.4], 1.2)
add(signal.tf2zpk, [1.0, 0.5], [1.0, -0.4, 0.03])
add(signal.chirp, P, 0.4, 5.1, 1.3)
add(signal.gausspulse, P, fc=0.7)
add(signal.sawtooth, P)
add(signal.periodogram, U)
add(signal.welch, U, nperseg=4)
add(signal.medfilt, U)
add(signal.wiener, U, mysize=3)
add(signal.resample, U, num=6)
add(lambda c: signal.firwin(7, c), 0.31, id="signal.firwin")
add(lambda c: signal.butter(2, c), 0.31, id="signal.butter")
add(lambda rp, c: signal.cheby1(2, rp, c), 1.2, 0.31, id="signal.cheby1")
add(signal.bilinear, [0.3, 0.5], [1.0, 0.4])

# ---- stats

for f in (stats.zscore, stats.skew, stats.kurtosis, stats.sem, stats.variation, stats.gstd, stats.iqr,
          stats.gmean, stats.hmean, stats.tmean, stats.tvar, stats.trim_mean, stats.median_abs_deviation, stats.moment,
          stats.entropy, stats.circmean, stats.circvar, stats.circstd, stats.boxcox_llf, stats.yeojohnson_llf,
          stats.kstat, stats.kstatvar, stats.differential_entropy, stats.lmoment, stats.gzscore,
          stats.jarque_bera):  # fmt: skip
    statics = {"proportiontocut": 0.2} if f is stats.trim_mean else {"order": 3} if f is stats.moment else {}
    if f in (stats.boxcox_llf, stats.yeojohnson_llf):
        add(f, 0.4, P)
    else:
        add(f, P, **statics)
add(stats.pmean, P, p=2.5)
add(lambda *given: tuple(stats.pearsonr(*given)), U, V, id="stats.pearsonr")
add(lambda *given: tuple(stats.linregress(*given)), U, V, id="stats.linregress")
add(lambda *given: tuple(stats.ttest_ind(*given)), U, V, id="stats.ttest_ind")
add(lambda *given: tuple(stats.ttest_1samp(*given)), U, 0.1, id="stats.ttest_1samp")
add(lambda *given: tuple(stats.ttest_rel(*given)), U, V, id="stats.ttest_rel")
add(stats.f_oneway, U, V)
add(stats.chisquare, P)
add(stats.power_divergence, P, lambda_="log-likelihood")
add(stats.bartlett, U, V)
add(stats.entropy, P, [1.3, 0.4, 0.9, 2.1, 0.77, 0.1, 1.2, 0.6])
add(stats.boxcox, P, lmbda=0.4)
add(stats.yeojohnson, P, lmbda=0.4)
add(stats.zmap, U, V)
add(stats.combine_pvalues, [0.2, 0.1, 0.4])
add(stats.combine_pvalues, [0.2, 0.1, 0.4], method="stouffer")
add(stats.wasserstein_distance, U, V)
add(stats.energy_distance, U, V)
add(stats.multivariate_normal.logpdf, [0.2, 0.7, -0.4], [0.1, 0.3, 0.2], cov=np.array(S))
add(stats.multivariate_normal.pdf, [0.2, 0.7, -0.4], [0.1, 0.3, 0.2], cov=1.7)
add(stats.multivariate_t.logpdf, [0.2, 0.7, -0.4], [0.1, 0.3, 0.2], df=4.0)
add(stats.dirichlet.logpdf, [0.2, 0.7], [1.2, 2.3, 0.9])
for name, shapes in (("norm", (0.2, 1.3)), ("gamma", (2.3, 0.1, 1.2)), ("t", (4.2, 0.1, 1.2)), ("beta", (2.1, 3.2)),
                     ("lognorm", (0.7,)), ("weibull_min", (1.7,)), ("skewnorm", (1.3, 0.2)), ("ncx2", (3.1, 0.8)),
                     ("rice", (0.8,)), ("genextreme", (-0.2,))):  # fmt: skip
    for method, x in (("logpdf", 0.63), ("cdf", 0.41), ("ppf", 0.37)):
        add(getattr(getattr(stats, name), method), x, *shapes, id=f"stats.{name}.{method}")


def frozen(x, a, scale):
    return stats.gamma(a, scale=scale).logpdf(x).sum()


def kde(data, x):
    return stats.gaussian_kde(data)(x)


def new_normal(x, mu, sigma):
    return stats.Normal(mu=mu, sigma=sigma).logpdf(x)


add(frozen, P, 2.3, 1.4, id="stats.gamma(a, scale=).logpdf")
add(kde, U, [0.1, 0.7], id="stats.gaussian_kde")
add(new_normal, 0.3, 0.2, 1.4, id="stats.Normal")

# ---- special's functions in Python

add(special.multigammaln, 4.3, d=3)
add(special.logsumexp, U)
add(special.logsumexp, [U, V], axis=0)
add(special.logsumexp, U, b=np.array([1, 2, 1, 3, 1, 1, 0.5, 2]))
add(special.softmax, U)
add(special.log_softmax, U)
add(special.sinc, U)
add(lambda x: special.polygamma(2, x), P, id="special.polygamma")
add(lambda v, z: special.jvp(v, z, 2), 0.7, 2.3, id="special.jvp")
add(lambda z: special.h1vp(1, z), 2.3, id="special.h1vp")
add(lambda z: special.spherical_jn(2, z), 2.3, id="special.spherical_jn")
add(lambda z: special.spherical_kn(2, z, derivative=True), 2.3, id="special.spherical_kn'")
add(lambda x: special.diric(x, 5), U, id="special.diric")
add(special.factorial, 3.4)
add(special.comb, 7.3, 2.4)
add(lambda p: special.ellip_harm(5.0, 8.0, 2, 1, p), 6.3, id="special.ellip_harm")
add(special.hyp0f1, 1.3, 0.4, id="special.hyp0f1", elementwise=True)
add(lambda x: special.lambertw(x).real, 0.7, id="special.lambertw")
add(lambda x: special.zeta(x, 1.3), 2.7, id="special.zeta")
add(lambda t, p: special.sph_harm_y(2, 1, t, p), 0.7, 1.3, id="special.sph_harm_y")
add(lambda x: special.legendre_p_all(4, x), 0.3, id="special.legendre_p_all")
add(lambda c, x: np.poly1d(c)(x), [0.3, 1.2, -0.7], 0.4, id="numpy.poly1d")
add(lambda x: special.legendre(3)(x), 0.4, id="special.legendre(3)")
add(lambda x: special.eval_chebyt(3, x), 0.4, id="special.eval_chebyt")
add(lambda a: special.roots_jacobi(4, a, 0.5)[0], 0.7, id="special.roots_jacobi")

# ---- integrate

add(integrate.trapezoid, U, P)
add(integrate.simpson, U, P)
add(integrate.simpson, [*U, 0.3], dx=0.2)
add(integrate.romb, [*U, 0.3], dx=0.2)
add(integrate.cumulative_trapezoid, U, P)
add(integrate.cumulative_trapezoid, U, initial=0)
add(integrate.cumulative_simpson, U, x=np.array(P))


def fixed(a, b, k):
    return integrate.fixed_quad(lambda x: np.exp(-k * x) * np.sin(x), a, b, n=6)[0]


def adaptive(a, b, k):
    return quad(lambda x: np.exp(-k * x) * np.sin(x), a, b)[0]


def adaptive_with_args(k, m):
    return integrate.quad(lambda x, k, m: np.exp(-k * x * x) + m * x, 0, 2, args=(k, m))[0]


def infinite(k):
    return integrate.quad(lambda x: np.exp(-k * x * x), 0, np.inf)[0]


def double(k):
    return integrate.dblquad(lambda y, x: np.exp(-k * x * y), 0, 1, 0, 2)[0]


def vector(k):
    return integrate.quad_vec(lambda x: np.array([np.exp(-k * x), np.sin(k * x)]), 0, 1)[0]


def tanhsinh(k):
    return integrate.tanhsinh(lambda x: np.exp(-k * x), 0, 1).integral


def ivp(y0, k):
    right = lambda t, y: np.array([y[1], -k * y[0]])
    return integrate.solve_ivp(right, (0, 2), y0, rtol=1e-10, atol=1e-12).y[:, -1]


def lsoda(y0, k):
    return integrate.odeint(lambda y, t: [y[1], -k * y[0]], y0, [0.0, 1.0, 2.0], rtol=1e-11, atol=1e-12)


def one_rk_step(y, h):
    from scipy.integrate._ivp.rk import RK45, rk_step

    right = lambda t, y: np.array([y[1], -y[0]])
    return rk_step(right, 0.0, y, right(0.0, y), h, RK45.A, RK45.B, RK45.C, np.empty((7, 2)))[0]


add(fixed, 0.2, 1.4, 0.7, id="integrate.fixed_quad")
add(adaptive, 0.2, 1.4, 0.7, id="integrate.quad")
add(adaptive_with_args, 0.7, 1.4, id="integrate.quad, args=")
add(infinite, 0.7, id="integrate.quad to infinity")
add(double, 0.7, id="integrate.dblquad")
add(vector, 0.7, id="integrate.quad_vec")
add(tanhsinh, 0.7, id="integrate.tanhsinh")
add(ivp, [1.0, 0.3], 1.7, id="integrate.solve_ivp")
add(lsoda, [1.0, 0.3], 1.7, id="integrate.odeint")
add(one_rk_step, [1.0, 0.3], 0.1, id="integrate.ivp.rk_step")

# ---- interpolate

for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "BarycentricInterpolator", "KroghInterpolator",
             "make_interp_spline", "interp1d", "InterpolatedUnivariateSpline"):  # fmt: skip
    add(
        lambda x, y, at, name=name: getattr(interpolate, name)(x, y)(at),
        P,
        U,
        [1.1, 3.7],
        id=f"interpolate.{name}",
    )
add(lambda c, at: interpolate.BSpline(np.arange(10.0), c, 3)(at), [0.3, 0.5, 1.1, -0.4, 0.2, 0.9], [3.7, 4.4],
    id="interpolate.BSpline")  # fmt: skip
add(lambda c, at: interpolate.PPoly(c, [0.0, 1.0, 2.0])(at), B, [0.3, 1.2], id="interpolate.PPoly")
add(
    lambda y, at: interpolate.splev(at, interpolate.splrep(np.arange(8.0), y)),
    U,
    [1.1, 3.7],
    id="interpolate.splrep",
)
add(lambda v, at: interpolate.interpn((np.arange(5.0), np.arange(6.0)), v, at), IMAGE[:, :6], [[1.3, 2.4]],
    id="interpolate.interpn")  # fmt: skip
add(lambda v, at: interpolate.RegularGridInterpolator((np.arange(5.0), np.arange(6.0)), v)(at), IMAGE, [[1.3, 2.4]],
    id="interpolate.RegularGridInterpolator")  # fmt: skip
add(lambda d, at: interpolate.RBFInterpolator(np.arange(8.0)[:, None], d)(at), U, [[1.3], [2.4]],
    id="interpolate.RBFInterpolator")  # fmt: skip
add(
    lambda w, x: interpolate.lagrange(np.arange(4.0), w)(x),
    [0.4, 0.2, -0.3, 1.1],
    1.3,
    id="interpolate.lagrange",
)

# ---- optimize

add(optimize.rosen, U)
add(optimize.rosen_der, U)
add(optimize.rosen_hess, [0.3, 0.7, -0.2])
add(optimize.rosen_hess_prod, [0.3, 0.7, -0.2], [1.1, 0.4, 0.6])


def root(method):
    def solved(a):
        return optimize.root_scalar(
            lambda x: x**3 + a * x - 2, bracket=[0, 2], method=method, xtol=1e-14
        ).root

    return solved


for method in ("brentq", "bisect", "ridder", "toms748"):
    add(root(method), 1.3, id=f"optimize.{method}")
add(lambda a: optimize.newton(lambda x: x**3 + a * x - 2, 1.0, tol=1e-14), 1.3, id="optimize.newton")
add(lambda a: optimize.newton(lambda x: x**3 + a * x - 2, 1.0, lambda x: 3 * x * x + a, tol=1e-13), 1.3,
    id="optimize.newton, fprime=")  # fmt: skip
add(lambda a: optimize.fsolve(lambda x: [x[0] ** 2 + x[1] - a, x[0] - x[1] ** 3], [0.5, 0.6], xtol=1e-13), 1.3,
    id="optimize.fsolve")  # fmt: skip
add(lambda a: optimize.root(lambda x: x**3 + a * x - 2, [1.0], tol=1e-13).x, 1.3, id="optimize.root")
add(lambda a: optimize.fixed_point(lambda x: np.cos(a * x), 0.7, xtol=1e-13), 0.8, id="optimize.fixed_point")
add(
    lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2 + x**4, tol=1e-12).x,
    1.3,
    id="optimize.minimize_scalar",
)
add(lambda a: optimize.minimize(lambda x: ((x - a) ** 2).sum() + (x**4).sum(), [0.5, 0.4],
    jac=lambda x: 2 * (x - a) + 4 * x**3, tol=1e-13).x, [1.3, 0.7], id="optimize.minimize")  # fmt: skip
EXACT = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}  # differences of a fit are as exact as the fit
add(lambda y: optimize.curve_fit(lambda x, a, b: a * np.exp(-b * x), np.arange(4.0), y, p0=[1, 0.5], **EXACT)[0],
    [1.9, 1.2, 0.8, 0.4], id="optimize.curve_fit")  # fmt: skip
add(lambda a, b: optimize.nnls(a, b)[0], B, [1.1, 0.9, 1.4], id="optimize.nnls")

# ---- linalg

for f in (linalg.expm, linalg.inv, linalg.det, linalg.pinv, linalg.logm, linalg.sqrtm, linalg.sinm, linalg.cosm,
          linalg.tanhm, linalg.norm):  # fmt: skip
    add(f, A)
add(linalg.solve, A, B)
add(linalg.solve, A, [0.3, 1.1, 0.2], assume_a="gen")
add(linalg.solve_triangular, A, [0.3, 1.1, 0.2])
add(linalg.solve_triangular, A, B, lower=True)
add(linalg.cholesky, S)
add(linalg.cholesky, S, lower=True)
add(linalg.eigvalsh, S)
add(linalg.eigh, S, eigvals_only=True)
add(linalg.svdvals, B)
add(
    lambda a, b: linalg.cho_solve(linalg.cho_factor(a @ a.T + np.eye(3)), b),
    A,
    [0.3, 1.1, 0.2],
    id="linalg.cho_solve",
)
add(lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b), A, [0.3, 1.1, 0.2], id="linalg.lu_solve")
add(lambda a: linalg.lu(a)[2], A, id="linalg.lu")
add(lambda a: linalg.qr(a, mode="r")[0], A, id="linalg.qr")
add(linalg.lstsq, B, [0.3, 1.2, -0.4])
add(lambda u, d, l, b: linalg.solve_banded((1, 1), np.array([u, d, l]), b), [0.0, 0.3, 0.2], [2.1, 1.9, 2.3],
    [0.4, 0.1, 0.0], [0.3, 1.1, 0.2], id="linalg.solve_banded")  # fmt: skip
add(linalg.solve_sylvester, A, S, [[0.3, 0.5, 0.1]] * 3)
add(linalg.solve_continuous_lyapunov, A, S)
add(linalg.solve_discrete_lyapunov, [[0.4, 0.1], [0.2, 0.3]], [[1.0, 0.2], [0.2, 1.4]])
add(linalg.toeplitz, [0.3, 0.5, 1.1], [0.3, -0.7, 0.2])
add(linalg.solve_toeplitz, [1.3, 0.5, 0.1], [0.3, -0.7, 0.2])
add(linalg.hankel, [0.3, 0.5, 1.1], [0.3, -0.7, 0.2])
add(linalg.circulant, [0.3, 0.5, 1.1])
add(linalg.companion, [0.3, 0.5, 1.1])
add(linalg.leslie, [0.3, 0.5, 1.1], [0.3, 0.7])
add(linalg.block_diag, A, B)
add(linalg.khatri_rao, A, [[0.3, 0.5, 1.1]])
add(linalg.fiedler, [0.3, 0.5, 1.1])
add(linalg.fiedler_companion, [1.0, 0.5, 1.1])
add(linalg.convolution_matrix, [0.3, 0.5, 1.1], n=3)
add(linalg.orthogonal_procrustes, A, S)
add(linalg.expm_frechet, A, S, compute_expm=False)
add(linalg.matmul_toeplitz, [1.3, 0.5, 0.1], [0.3, -0.7, 0.2])

# ---- ndimage, fft, spatial, constants, differentiate

add(ndimage.gaussian_filter, IMAGE, sigma=0.8)
add(ndimage.gaussian_filter1d, U, sigma=0.8)
add(ndimage.convolve, IMAGE, [[0.3, 0.5, 0.1], [0.2, -0.4, 0.7], [0.9, 0.6, 0.1]])
add(ndimage.correlate1d, U, [0.3, 0.5, 0.1])
add(ndimage.uniform_filter, IMAGE, size=3)
add(ndimage.sobel, IMAGE)
add(ndimage.laplace, IMAGE)
add(ndimage.gaussian_laplace, IMAGE, sigma=0.8)
add(ndimage.gaussian_gradient_magnitude, IMAGE, sigma=0.8)
add(ndimage.map_coordinates, IMAGE, [[1.3, 2.4], [2.2, 3.7]], order=1)
add(ndimage.shift, U, shift=0.4, order=1)
add(ndimage.zoom, U, zoom=1.5, order=1)
add(ndimage.spline_filter, IMAGE)
add(ndimage.center_of_mass, abs(IMAGE) + 0.2)
add(ndimage.maximum_filter, U, size=3)
add(ndimage.median_filter, U, size=3)
add(ndimage.sum_labels, U, labels=np.array([1, 1, 2, 2, 1, 0, 0, 2]), index=[1, 2])
for name in ("dct", "idct", "dst", "fft", "ifft", "rfft", "hfft"):
    add(getattr(fft, name), U, id=f"fft.{name}")
add(fft.dct, U, type=4, norm="ortho")
add(fft.dctn, IMAGE)
add(fft.fft2, B)
add(fft.fftshift, U)
add(fft.fht, P, dln=0.1, mu=0.4)
for name in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "braycurtis", "canberra",
             "minkowski", "jensenshannon"):  # fmt: skip
    u, v = (P, [1.3, 0.4, 0.9, 2.1, 0.77, 0.1, 1.2, 0.6]) if name == "jensenshannon" else (U, V)
    add(getattr(spatial.distance, name), u, v, id=f"spatial.distance.{name}")
add(spatial.distance.mahalanobis, U[:3], V[:3], S)
add(spatial.distance.cdist, B, [[0.3, 0.5]])
add(spatial.distance.pdist, B)
add(spatial.distance.squareform, [0.3, 0.5, 1.1])
add(spatial.distance_matrix, B, [[0.3, 0.5]])
add(lambda q, v: spatial.transform.Rotation.from_quat(q).apply(v), [0.1, 0.2, 0.3, 0.9], [1.0, 0.2, -0.4],
    id="spatial.transform.Rotation.apply")  # fmt: skip
add(lambda r: spatial.transform.Rotation.from_rotvec(r).as_matrix(), [0.1, 0.2, 0.3],
    id="spatial.transform.Rotation.from_rotvec")  # fmt: skip
add(constants.convert_temperature, 31.0, old_scale="Celsius", new_scale="Fahrenheit")
add(constants.nu2lambda, 31.0)
add(constants.lambda2nu, [1.3, 2.2])
add(
    lambda x, k: differentiate.derivative(lambda t: np.sin(k * t), x).df,
    0.7,
    1.3,
    id="differentiate.derivative",
)
ROWS = list(add)
