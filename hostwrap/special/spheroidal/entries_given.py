"""Spheroidal wave functions that are given the characteristic value: `pro_ang1_cv` and its kin.

They are spheroidal functions only if `cv` is the characteristic value of m, n and c. For any other cv the two
recurrences that SciPy matches do not meet, and what it returns solves no equation and depends on where it matches them.
So there is no derivative in cv; the one in c is along the curve cv(c), the derivative of `pro_ang1(m, n, c, x)`. Off
the curve the derivatives are NaN. To differentiate cv = pro_cv(m, n, c) together with the function would count c twice:
use `pro_ang1`, or jax.lax.stop_gradient(cv).
"""

from hostwrap.special._entry import discrete, integer, kernel, real, special, unknown
from hostwrap.special._known import all_known
from hostwrap.special._math import isnan, where
from hostwrap.special.spheroidal import angular, domain, radial
from hostwrap.special.spheroidal import mp as definitions
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE
from hostwrap.special.spheroidal.entries import obl_ang1, pro_ang1
from hostwrap.special.spheroidal.entries_radial import BOXES, obl_rad1, obl_rad2, pro_rad1, pro_rad2

__all__ = ["obl_ang1_cv", "obl_rad1_cv", "obl_rad2_cv", "pro_ang1_cv", "pro_rad1_cv", "pro_rad2_cv"]

CURVE_ONLY = unknown(
    "it is a spheroidal function only where cv is the characteristic value, which m, n and c determine: "
    "the derivative in c is the one along that curve. Differentiate the function without _cv, or pass "
    "jax.lax.stop_gradient(cv)"
)

# (m, n, c) and the characteristic value
PROLATE_CURVE = (
    (0, 0, 0.5, 0.08241480674252699),
    (0, 1, 1.5, 3.314662589660973),
    (1, 1, 0.25, 2.0124821725869335),
    (0, 2, 3.0, 11.192938649526784),
    (1, 2, 2.0, 7.653149562003569),
    (2, 2, 4.0, 7.903860949601779),
    (0, 3, 5.5, 29.79007150432673),
    (1, 4, 1.0, 20.48169601305318),
    (2, 5, 7.0, 50.856896867161296),
    (3, 3, 0.125, 12.001735867599534),
    (3, 6, 8.5, 68.61620913084354),
    (0, 5, 10.0, 89.73926723888566),
    (1, 6, 6.0, 60.47141405398883),
    (2, 7, 0.75, 56.26226678005533),
    (0, 8, 12.0, 155.0245380060025),
)
OBLATE_CURVE = (
    (0, 0, 0.5, -0.08426655241996713),
    (0, 1, 1.5, 0.6160411732979887),
    (1, 1, 0.25, 1.987482113063163),
    (0, 2, 3.0, 2.251269210562806),
    (1, 2, 2.0, 4.2227473333576295),
    (2, 2, 4.0, 3.027624006013504),
    (0, 3, 5.5, -2.537132389282768),
    (1, 4, 1.0, 19.520683337002477),
    (2, 5, 7.0, 9.676763777854983),
    (3, 3, 0.125, 11.998263645276117),
    (3, 6, 8.5, 14.259942484153852),
    (0, 5, 10.0, -15.32814425475611),
    (1, 6, 6.0, 25.237666016141745),
    (2, 7, 0.75, 55.73794611007314),
    (0, 8, 12.0, 11.091972537211431),
)
INSIDE = (0.25, -0.5, 0.97, 0.0, -0.7, 0.6, 0.125)
OUTSIDE = (1.05, 2.0, 1.5, 6.0, 1.25, 3.0, 12.0)


def points(curve, places):
    """Each point of the curve at two places."""
    return [(*given, places[(2 * k + j) % len(places)]) for k, given in enumerate(curve) for j in (0, 1)]


def on_curve(first, slopes):
    """`slopes`, but NaN off the curve, where the first derivatives are NaN."""
    return tuple(where(isnan(u), u, slope) for u, slope in zip(first, slopes, strict=True))


def given(function, sign, host, unsafe, **boxes):
    """`function` with the argument cv after c."""
    derivatives = function.derivatives
    curve = PROLATE_CURVE if sign == PROLATE else OBLATE_CURVE
    places = INSIDE if function in (pro_ang1, obl_ang1) else OUTSIDE
    boxes = {"m": integer(0, 2), "n": integer(2, 8), "cv": real(-50, 100), **boxes}
    both = lambda mp, m, n, c, x, i, j: [
        mp.diff(lambda s, t, k=k: function.ref(mp, m, n, s, t)[k], (c, x), (i, j)) for k in (0, 1)
    ]
    first = kernel(
        f"{function.name}_cv_1(m, n, c, cv, x) -> rc, sc, rx, sx",
        host=host,
        loops=True,
        dm=discrete,
        dn=discrete,
        dc=lambda y, m, n, c, cv, x: on_curve(
            y, (*derivatives(m, n, c, x, dc=2, dx=0), *derivatives(m, n, c, x, dc=1, dx=1))
        ),
        dcv=CURVE_ONLY,
        dx=lambda y, m, n, c, cv, x: on_curve(
            y, (*derivatives(m, n, c, x, dc=1, dx=1), *derivatives(m, n, c, x, dc=0, dx=2))
        ),
        ref=lambda mp, m, n, c, cv, x: definitions.on_the_curve(
            mp,
            sign,
            lambda mp, m, n, c, x: [*both(mp, m, n, c, x, 1, 0), *both(mp, m, n, c, x, 0, 1)],
            m,
            n,
            c,
            cv,
            x,
        ),
        **boxes,
        at=points(curve, places)[:6],
        see=function.see,
    )
    return special(
        f"{function.name}_cv(m, n, c, cv, x) -> {', '.join(function.outs)}",
        dm=discrete,
        dn=discrete,
        dc=lambda y, m, n, c, cv, x: all_known(y, first(m, n, c, cv, x)[:2]),
        dcv=CURVE_ONLY,
        dx=lambda y, m, n, c, cv, x: all_known(y, first(m, n, c, cv, x)[2:]),
        ref=lambda mp, m, n, c, cv, x: definitions.on_the_curve(mp, sign, function.ref, m, n, c, cv, x),
        **boxes,
        at=points(curve, places),
        unsafe=unsafe,
        see=function.see,
    )


ANGULAR = {"c": real(0, 20), "x": real(-0.99, 0.99)}

pro_ang1_cv = given(pro_ang1, PROLATE, angular.pro_ang1_given, domain.unsafe_ang1_cv, **ANGULAR)
pro_rad1_cv = given(pro_rad1, PROLATE, radial.pro_rad1_given, domain.unsafe_rad1_cv, **BOXES[PROLATE])
pro_rad2_cv = given(pro_rad2, PROLATE, radial.pro_rad2_given, domain.unsafe_rad2_cv, **BOXES[PROLATE])
obl_ang1_cv = given(obl_ang1, OBLATE, angular.obl_ang1_given, domain.unsafe_ang1_cv, **ANGULAR)
obl_rad1_cv = given(obl_rad1, OBLATE, radial.obl_rad1_given, domain.unsafe_rad1_cv, **BOXES[OBLATE])
obl_rad2_cv = given(obl_rad2, OBLATE, radial.obl_rad2_given, domain.unsafe_rad2_cv, **BOXES[OBLATE])
