"""Student's t, of which the square has the F distribution with 1 and v degrees of freedom."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import abs, minimum, nan, where
from hostwrap.special.beta_incomplete import mp_distributions as definitions
from hostwrap.special.beta_incomplete import roots, t_distribution

__all__ = ["stdtr", "stdtridf", "stdtrit"]


def t_density_slope(y, v, t, n):
    """-(d/dv)^n of the density times t (v + 1) / (v + t^2), which is right for infinite v, and infinite t, too."""
    ratio = t / v
    rate = where(t * ratio > 1e17, (1 + v) / t, (t + ratio) / (1 + t * ratio))  # y t may underflow
    return where(y == 0, 0 * y, -y * rate - slope_changes(v, t, n))


def slope_changes(v, t, n):
    """What Leibniz has of derivatives of t (v + 1) / (v + t^2) = t + t (1 - t^2) / (v + t^2) in v."""
    far = abs(t) > 1
    near, inverse = where(far, 1.0, t), 1 / where(far, t, 1.0)  # squares may leave the doubles
    part = v + near * near
    change = where(far, (inverse - t) / (1 + v * inverse * inverse), near * (1 - near * near) / part)
    total = 0 * v * t
    for k in range(1, n + 1):
        lower = where(far, change * inverse / (t + v * inverse), change / part)
        change = -lower * (n + 1 - k)
        total = total + t_density(v, t, n=n - k) * change
    return total


t_density = kernel(
    "t_density(v, t, *, n=0)",  # the density, differentiated n times in v
    host=t_distribution.t_density,
    loops=True,
    dv=lambda y, v, t, *, n: t_density(v, t, n=n + 1),
    dt=lambda y, v, t, *, n: t_density_slope(y, v, t, n),
    ref=lambda mp, v, t, *, n: mp.diff(lambda u: definitions.t_density(mp, u, t), v, n),
    v=real(0.1, 100),
    t=real(-20, 20),
    at=[(1e6, 0.5), (1e-2, 3.0)],
    see="Abramowitz and Stegun 26.7.1",
)
t_parameter = kernel(
    "t_parameter(v, t, *, n=1)",  # (d/dv)^n of stdtr
    host=t_distribution.t_parameter,
    loops=True,
    dv=lambda y, v, t, *, n: t_parameter(v, t, n=n + 1),
    dt=lambda y, v, t, *, n: t_density(v, t, n=n),
    ref=lambda mp, v, t, *, n: mp.diff(lambda u: definitions.t_lower(mp, u, t), v, n),
    v=real(0.1, 100),
    t=real(-20, 20),
    at=[(1e6, 0.5), (1e-2, 3.0)],
    see="DLMF 8.17.1, differentiated under the integral",
)
t_shift = kernel(
    't_shift(v, t, *, wrt="")',  # (dF/dv) / (t dF/dt), and its derivatives in v and t
    host=t_distribution.t_shift,
    loops=True,
    dv=lambda y, v, t, *, wrt: t_shift(v, t, wrt=wrt + "v"),
    dt=lambda y, v, t, *, wrt: t_shift(v, t, wrt="t" + wrt),
    ref=lambda mp, v, t, *, wrt: definitions.t_shift(mp, v, t, wrt),
    v=real(0.1, 100),
    t=real(0.1, 20),
    see="implicit function theorem",
)

stdtr = special(
    "stdtr(df, t)",
    ddf=lambda y, df, t: t_parameter(df, t),
    dt=lambda y, df, t: t_density(df, t),
    ref=lambda mp, df, t: definitions.t_lower(mp, df, t),
    df=real(0.05, 200),
    t=real(-40, 10),
    at=[
        (3.3, 1.2),
        (1e6, -20.0),
        (45.0, -40.0),
        (0.1, -3.0),
        (1e-3, -1.0),
        (1e6, 0.0),
        (1e4, -23.0),
        (50.0, -1e3),
    ],
    see="DLMF 8.17.1; df by the score integral over one tail",
)


def at_root(t, df, p, derivative):
    """NaN where SciPy's number is no root: the end of its search, for small df.

    The root is a tenth away where the probability is off by a tenth of t times the density.
    """
    wanted = minimum(p, 1 - p)
    off, width = abs(stdtr(df, -abs(t)) - wanted), abs(t) * t_density(df, t)
    return derivative * where((off > 1e-3 * wanted) | (off > 0.1 * width + 4e-16 * wanted), nan, 1.0)


stdtrit = special(
    "stdtrit(df, p)",
    ddf=lambda t, df, p: at_root(t, df, p, -t * t_shift(df, t)),
    dp=lambda t, df, p: at_root(t, df, p, 1 / t_density(df, t)),
    ref=lambda mp, df, p: definitions.t_quantile(mp, df, p),
    df=real(0.3, 200),
    p=real(0.001, 0.999),
    at=[(3.3, 0.9), (3.3, 0.5), (1.0, 1e-8), (1e6, 0.01), (1e6, 1e-120), (10.0, 1 - 1e-12)],
    see="implicit function theorem",
)
t_df = kernel(
    "t_df(p, t)",  # stdtridf, with all digits
    host=roots.t_df,
    loops=True,
    dp=lambda df, p, t: 1 / t_parameter(df, t),
    dt=lambda df, p, t: -1 / (t * t_shift(df, t)),
    ref=lambda mp, p, t: definitions.t_df(mp, p, t),
    p=real(0.02, 0.06),
    t=real(-8, -3),
    see="implicit function theorem",
)
stdtridf = special(
    "stdtridf(p, t)",
    dp=lambda df, p, t: 1 / t_parameter(t_df(p, t), t),
    dt=lambda df, p, t: -1 / (t * t_shift(t_df(p, t), t)),
    ref=lambda mp, p, t: definitions.t_df(mp, p, t),
    p=real(0.01, 0.2),
    t=real(-12, -2),
    at=[(0.9, 1.35), (0.01, -8.0), (0.05, -3.0), (0.99, 4.0), (0.1, -1.29), (0.9, 2.0)],
    see="implicit function theorem; NaN where SciPy's number is no root",
)
