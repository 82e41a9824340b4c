"""`scipy.stats`, differentiable in all parameters: distributions under SciPy's names, with SciPy's arguments.

Call a method as `gamma.cdf(x, a, loc=0, scale=1)`, or fix the parameters first: `gamma(a).cdf(x)`. The methods are pdf
and logpdf (pmf and logpmf for discrete distributions), cdf, sf, logcdf, logsf, ppf, isf; mean, var, std, entropy,
median, interval, support, moment; and `sample(key, a)`.

Values are SciPy's own. You can differentiate in x or q, in every real shape parameter, in loc and in scale, forward and
reverse, to any order. hostwrap differentiates a density by its formula, a probability on its smaller side, and a
quantile by the implicit function theorem. If a derivative does not exist, `MissingDerivative` says why.

`multivariate_normal.logpdf(x, mean, cov)` and others are distributions of vectors and matrices. The module also has
`gaussian_kde`, `as_numpyro`, and functions of SciPy such as `fit` and `boxcox_llf`. Others, such as `skew` and
`pearsonr`, lead to JAX's function, or follow SciPy's code.

Results of single precision arguments are single precision (computed in double precision); integers are converted to
floating-point numbers. Shapes that do not broadcast raise `SignatureError`. If SciPy refuses a parameter, the result is
NaN; for vectors and matrices SciPy's error is raised, inside a compiled program as `HostCallError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hostwrap.stats import _catalogue

if TYPE_CHECKING:
    from hostwrap.stats._distribution import Distribution as Distribution
    from hostwrap.stats._dunnett import dunnett as dunnett
    from hostwrap.stats._fit import fit as fit
    from hostwrap.stats._joint import Joint
    from hostwrap.stats._kde import gaussian_kde as gaussian_kde
    from hostwrap.stats._numpyro import as_numpyro as as_numpyro
    from hostwrap.stats._powers import boxcox_llf as boxcox_llf
    from hostwrap.stats._powers import boxcox_normmax as boxcox_normmax
    from hostwrap.stats._powers import ppcc_max as ppcc_max
    from hostwrap.stats._powers import yeojohnson_normmax as yeojohnson_normmax
    from hostwrap.stats._transport import wasserstein_distance_nd as wasserstein_distance_nd

    alpha: Distribution
    anglit: Distribution
    arcsine: Distribution
    argus: Distribution
    bernoulli: Distribution
    beta: Distribution
    betabinom: Distribution
    betanbinom: Distribution
    betaprime: Distribution
    binom: Distribution
    boltzmann: Distribution
    bradford: Distribution
    burr: Distribution
    burr12: Distribution
    cauchy: Distribution
    chi: Distribution
    chi2: Distribution
    cosine: Distribution
    crystalball: Distribution
    dgamma: Distribution
    dlaplace: Distribution
    dpareto_lognorm: Distribution
    dweibull: Distribution
    erlang: Distribution
    expon: Distribution
    exponnorm: Distribution
    exponpow: Distribution
    exponweib: Distribution
    f: Distribution
    fatiguelife: Distribution
    fisk: Distribution
    foldcauchy: Distribution
    foldnorm: Distribution
    gamma: Distribution
    gausshyper: Distribution
    genexpon: Distribution
    genextreme: Distribution
    gengamma: Distribution
    genhalflogistic: Distribution
    genhyperbolic: Distribution
    geninvgauss: Distribution
    genlogistic: Distribution
    gennorm: Distribution
    genpareto: Distribution
    geom: Distribution
    gibrat: Distribution
    gompertz: Distribution
    gumbel_l: Distribution
    gumbel_r: Distribution
    halfcauchy: Distribution
    halfgennorm: Distribution
    halflogistic: Distribution
    halfnorm: Distribution
    hypergeom: Distribution
    hypsecant: Distribution
    invgamma: Distribution
    invgauss: Distribution
    invweibull: Distribution
    irwinhall: Distribution
    jf_skew_t: Distribution
    johnsonsb: Distribution
    johnsonsu: Distribution
    kappa3: Distribution
    kappa4: Distribution
    ksone: Distribution
    kstwo: Distribution
    kstwobign: Distribution
    landau: Distribution
    laplace: Distribution
    laplace_asymmetric: Distribution
    levy: Distribution
    levy_l: Distribution
    levy_stable: Distribution
    loggamma: Distribution
    logistic: Distribution
    loglaplace: Distribution
    lognorm: Distribution
    logser: Distribution
    loguniform: Distribution
    lomax: Distribution
    maxwell: Distribution
    mielke: Distribution
    moyal: Distribution
    nakagami: Distribution
    nbinom: Distribution
    ncf: Distribution
    nchypergeom_fisher: Distribution
    nchypergeom_wallenius: Distribution
    nct: Distribution
    ncx2: Distribution
    nhypergeom: Distribution
    norm: Distribution
    norminvgauss: Distribution
    pareto: Distribution
    pearson3: Distribution
    planck: Distribution
    poisson: Distribution
    powerlaw: Distribution
    powerlognorm: Distribution
    powernorm: Distribution
    randint: Distribution
    rayleigh: Distribution
    rdist: Distribution
    recipinvgauss: Distribution
    reciprocal: Distribution
    rel_breitwigner: Distribution
    rice: Distribution
    semicircular: Distribution
    skellam: Distribution
    skewcauchy: Distribution
    skewnorm: Distribution
    studentized_range: Distribution
    t: Distribution
    trapezoid: Distribution
    triang: Distribution
    truncexpon: Distribution
    truncnorm: Distribution
    truncpareto: Distribution
    truncweibull_min: Distribution
    tukeylambda: Distribution
    uniform: Distribution
    vonmises: Distribution
    vonmises_line: Distribution
    wald: Distribution
    weibull_max: Distribution
    weibull_min: Distribution
    wrapcauchy: Distribution
    yulesimon: Distribution
    zipf: Distribution
    zipfian: Distribution
    multivariate_normal: Joint
    multivariate_t: Joint
    dirichlet: Joint
    vonmises_fisher: Joint
    normal_inverse_gamma: Joint
    wishart: Joint
    invwishart: Joint
    matrix_normal: Joint
    matrix_t: Joint
    multinomial: Joint
    dirichlet_multinomial: Joint
    poisson_binom: Joint
    multivariate_hypergeom: Joint


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted([*_catalogue.names(), *_catalogue.joint_names(), *_catalogue.OTHERS])


if not TYPE_CHECKING:  # to checkers a name that is not above is an error

    def __getattr__(name: str) -> Distribution | list[str]:
        """A distribution or a function, made when it is asked for."""
        if name == "__all__":
            return __dir__()
        if name.startswith("_"):
            raise AttributeError(f"module 'hostwrap.stats' has no attribute {name!r}")
        globals()[name] = found = _catalogue.public(name)
        return found
