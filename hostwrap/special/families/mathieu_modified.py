"""Modified Mathieu functions of the first and second kind."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special.definitions import mathieu as definitions
from hostwrap.special.families._known import both_known
from hostwrap.special.kernels.mathieu import domain, radial

__all__ = ["mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1", "mathieu_modsem2"]

# SciPy's second result is the derivative of the first, but where SciPy loses digits the two are wrong together:
# the derivatives are all of our own kernels.

mathieu_mc1_ij = kernel(
    "mathieu_mc1_ij(m, q, x, *, i, j) -> y, yp",  # (d/dq)^i (d/dx)^j, and one more in x
    host=radial.mc1_ij,
    dm=discrete,
    dq=lambda y, m, q, x, *, i, j: mathieu_mc1_ij(m, q, x, i=i + 1, j=j),
    dx=lambda y, m, q, x, *, i, j: mathieu_mc1_ij(m, q, x, i=i, j=j + 1),
    ref=lambda mp, m, q, x, *, i, j: definitions.modified_ij(mp, True, 1, m, q, x, i, j),
    m=integer(0, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    see="DLMF 28.24",
)

mathieu_mc2_ij = kernel(
    "mathieu_mc2_ij(m, q, x, *, i, j) -> y, yp",  # (d/dq)^i (d/dx)^j, and one more in x
    host=radial.mc2_ij,
    dm=discrete,
    dq=lambda y, m, q, x, *, i, j: mathieu_mc2_ij(m, q, x, i=i + 1, j=j),
    dx=lambda y, m, q, x, *, i, j: mathieu_mc2_ij(m, q, x, i=i, j=j + 1),
    ref=lambda mp, m, q, x, *, i, j: definitions.modified_ij(mp, True, 2, m, q, x, i, j),
    m=integer(0, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    see="DLMF 28.24",
)

mathieu_ms1_ij = kernel(
    "mathieu_ms1_ij(m, q, x, *, i, j) -> y, yp",  # (d/dq)^i (d/dx)^j, and one more in x
    host=radial.ms1_ij,
    dm=discrete,
    dq=lambda y, m, q, x, *, i, j: mathieu_ms1_ij(m, q, x, i=i + 1, j=j),
    dx=lambda y, m, q, x, *, i, j: mathieu_ms1_ij(m, q, x, i=i, j=j + 1),
    ref=lambda mp, m, q, x, *, i, j: definitions.modified_ij(mp, False, 1, m, q, x, i, j),
    m=integer(1, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    see="DLMF 28.24",
)

mathieu_ms2_ij = kernel(
    "mathieu_ms2_ij(m, q, x, *, i, j) -> y, yp",  # (d/dq)^i (d/dx)^j, and one more in x
    host=radial.ms2_ij,
    dm=discrete,
    dq=lambda y, m, q, x, *, i, j: mathieu_ms2_ij(m, q, x, i=i + 1, j=j),
    dx=lambda y, m, q, x, *, i, j: mathieu_ms2_ij(m, q, x, i=i, j=j + 1),
    ref=lambda mp, m, q, x, *, i, j: definitions.modified_ij(mp, False, 2, m, q, x, i, j),
    m=integer(1, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    see="DLMF 28.24",
)

mathieu_modcem1 = special(
    "mathieu_modcem1(m, q, x) -> y, yp",
    dm=discrete,
    dq=lambda y, m, q, x: both_known(y, mathieu_mc1_ij(m, q, x, i=1, j=0)),
    dx=lambda y, m, q, x: both_known(y, mathieu_mc1_ij(m, q, x, i=0, j=1)),
    ref=lambda mp, m, q, x: definitions.modified(mp, True, 1, m, q, x),
    m=integer(0, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    at=[(0, 1e-3, 0.5), (1, 25.0, 0.0), (2, 1e-3, 1.0), (5, 0.05, 0.4)],
    unsafe=domain.unsafe,
    see="DLMF 28.24",
)

mathieu_modcem2 = special(
    "mathieu_modcem2(m, q, x) -> y, yp",
    dm=discrete,
    dq=lambda y, m, q, x: both_known(y, mathieu_mc2_ij(m, q, x, i=1, j=0)),
    dx=lambda y, m, q, x: both_known(y, mathieu_mc2_ij(m, q, x, i=0, j=1)),
    ref=lambda mp, m, q, x: definitions.modified(mp, True, 2, m, q, x),
    m=integer(0, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    at=[(0, 1e-3, 0.5), (1, 25.0, 0.0), (2, 1e-3, 1.0), (5, 0.05, 0.4)],
    unsafe=domain.unsafe,
    see="DLMF 28.24",
)

mathieu_modsem1 = special(
    "mathieu_modsem1(m, q, x) -> y, yp",
    dm=discrete,
    dq=lambda y, m, q, x: both_known(y, mathieu_ms1_ij(m, q, x, i=1, j=0)),
    dx=lambda y, m, q, x: both_known(y, mathieu_ms1_ij(m, q, x, i=0, j=1)),
    ref=lambda mp, m, q, x: definitions.modified(mp, False, 1, m, q, x),
    m=integer(1, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    at=[(1, 1e-3, 0.5), (2, 25.0, 0.0), (3, 1e-3, 1.0), (5, 0.05, 0.4)],
    unsafe=domain.unsafe,
    see="DLMF 28.24",
)

mathieu_modsem2 = special(
    "mathieu_modsem2(m, q, x) -> y, yp",
    dm=discrete,
    dq=lambda y, m, q, x: both_known(y, mathieu_ms2_ij(m, q, x, i=1, j=0)),
    dx=lambda y, m, q, x: both_known(y, mathieu_ms2_ij(m, q, x, i=0, j=1)),
    ref=lambda mp, m, q, x: definitions.modified(mp, False, 2, m, q, x),
    m=integer(1, 10),
    q=real(0.01, 100),
    x=real(0, 3),
    at=[(1, 1e-3, 0.5), (2, 25.0, 0.0), (3, 1e-3, 1.0), (5, 0.05, 0.4)],
    unsafe=domain.unsafe,
    see="DLMF 28.24",
)
