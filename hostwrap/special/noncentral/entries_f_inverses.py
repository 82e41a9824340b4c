"""The inverses of the noncentral F distribution, with the derivatives of an implicit function.

SciPy finds their values by searches that stop early, some at 1e-3 of the root. They stay SciPy's; the derivatives are
those at the root itself, which is a kernel with the same rules. Where there is no root they are NaN.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import where
from hostwrap.special.noncentral import mp_inverses as inverses
from hostwrap.special.noncentral import roots
from hostwrap.special.noncentral.entries_f import by_dfd, by_dfn, by_f, by_nc

__all__ = ["ncfdtri", "ncfdtridfd", "ncfdtridfn", "ncfdtrinc"]


def at_f(slope, dfn, dfd, nc, p):
    return slope(dfn, dfd, nc, root_f(dfn, dfd, nc, p))


def f_slope(slope, f, dfn, dfd, nc, p):
    """Of the inverse in a parameter; at p = 0 the inverse is 0 whatever the parameters."""
    return where(f == 0, 0, -at_f(slope, dfn, dfd, nc, p) / at_f(by_f, dfn, dfd, nc, p))


def at_dfn(slope, p, dfd, nc, f):
    return slope(root_dfn(p, dfd, nc, f), dfd, nc, f)


def at_dfd(slope, dfn, p, nc, f):
    return slope(dfn, root_dfd(dfn, p, nc, f), nc, f)


def at_nc(slope, dfn, dfd, p, f):
    return slope(dfn, dfd, root_nc(dfn, dfd, p, f), f)


INVERSE_F = {
    "ddfn": lambda f, dfn, dfd, nc, p: f_slope(by_dfn, f, dfn, dfd, nc, p),
    "ddfd": lambda f, dfn, dfd, nc, p: f_slope(by_dfd, f, dfn, dfd, nc, p),
    "dnc": lambda f, dfn, dfd, nc, p: f_slope(by_nc, f, dfn, dfd, nc, p),
    "dp": lambda f, dfn, dfd, nc, p: 1 / at_f(by_f, dfn, dfd, nc, p),
    "ref": lambda mp, dfn, dfd, nc, p: inverses.ncfdtri(mp, dfn, dfd, nc, p),
    "dfn": real(0.5, 40),
    "dfd": real(2, 60),
    "nc": real(0.01, 30),
    "p": real(0.001, 0.99),
    "see": "implicit function theorem",
}
INVERSE_DFN = {
    "dp": lambda dfn, p, dfd, nc, f: 1 / at_dfn(by_dfn, p, dfd, nc, f),
    "ddfd": lambda dfn, p, dfd, nc, f: -at_dfn(by_dfd, p, dfd, nc, f) / at_dfn(by_dfn, p, dfd, nc, f),
    "dnc": lambda dfn, p, dfd, nc, f: -at_dfn(by_nc, p, dfd, nc, f) / at_dfn(by_dfn, p, dfd, nc, f),
    "df": lambda dfn, p, dfd, nc, f: -at_dfn(by_f, p, dfd, nc, f) / at_dfn(by_dfn, p, dfd, nc, f),
    "ref": lambda mp, p, dfd, nc, f: inverses.ncfdtridfn(mp, p, dfd, nc, f),
    "p": real(0.3, 0.9),
    "dfd": real(5, 40),
    "nc": real(1, 15),
    "f": real(1.2, 4),
    "see": "implicit function theorem; NaN where there is no root",
}
INVERSE_DFD = {
    "ddfn": lambda dfd, dfn, p, nc, f: -at_dfd(by_dfn, dfn, p, nc, f) / at_dfd(by_dfd, dfn, p, nc, f),
    "dp": lambda dfd, dfn, p, nc, f: 1 / at_dfd(by_dfd, dfn, p, nc, f),
    "dnc": lambda dfd, dfn, p, nc, f: -at_dfd(by_nc, dfn, p, nc, f) / at_dfd(by_dfd, dfn, p, nc, f),
    "df": lambda dfd, dfn, p, nc, f: -at_dfd(by_f, dfn, p, nc, f) / at_dfd(by_dfd, dfn, p, nc, f),
    "ref": lambda mp, dfn, p, nc, f: inverses.ncfdtridfd(mp, dfn, p, nc, f),
    "dfn": real(8, 30),
    "p": real(0.5, 0.7),
    "nc": real(0.5, 3),
    "f": real(1.3, 1.9),
    "see": "implicit function theorem; NaN where SciPy's search ends without a root, as for half of all arguments",
}
INVERSE_NC = {
    "ddfn": lambda nc, dfn, dfd, p, f: -at_nc(by_dfn, dfn, dfd, p, f) / at_nc(by_nc, dfn, dfd, p, f),
    "ddfd": lambda nc, dfn, dfd, p, f: -at_nc(by_dfd, dfn, dfd, p, f) / at_nc(by_nc, dfn, dfd, p, f),
    "dp": lambda nc, dfn, dfd, p, f: 1 / at_nc(by_nc, dfn, dfd, p, f),
    "df": lambda nc, dfn, dfd, p, f: -at_nc(by_f, dfn, dfd, p, f) / at_nc(by_nc, dfn, dfd, p, f),
    "ref": lambda mp, dfn, dfd, p, f: inverses.ncfdtrinc(mp, dfn, dfd, p, f),
    "dfn": real(1, 20),
    "dfd": real(3, 60),
    "p": real(0.01, 0.6),
    "f": real(1.2, 6),
    "see": "implicit function theorem; NaN where there is no root",
}

root_f = kernel("ncfdtri_root(dfn, dfd, nc, p)", host=roots.ncf_f, loops=True, **INVERSE_F)
root_dfn = kernel("ncfdtridfn_root(p, dfd, nc, f)", host=roots.ncf_dfn, loops=True, **INVERSE_DFN)
root_dfd = kernel("ncfdtridfd_root(dfn, p, nc, f)", host=roots.ncf_dfd, loops=True, **INVERSE_DFD)
root_nc = kernel("ncfdtrinc_root(dfn, dfd, p, f)", host=roots.ncf_nc, loops=True, **INVERSE_NC)

ncfdtri = special(
    "ncfdtri(dfn, dfd, nc, p)",
    at=[(4.0, 10.0, 3.0, 0.05), (1.0, 2.0, 0.1, 0.9), (30.0, 60.0, 25.0, 0.99), (4.0, 0.5, 3.0, 0.95)],
    **INVERSE_F,
)
ncfdtridfn = special(
    "ncfdtridfn(p, dfd, nc, f)",
    at=[(0.5, 10.0, 3.0, 1.6), (0.3, 10.0, 3.0, 1.2), (0.9, 20.0, 1.0, 2.0), (0.7, 5.0, 10.0, 3.0)],
    **INVERSE_DFN,
)
ncfdtridfd = special(
    "ncfdtridfd(dfn, p, nc, f)",
    at=[(4.0, 0.5, 3.0, 1.68), (5.0, 0.9, 1.0, 3.0), (10.0, 0.7, 10.0, 2.4), (6.0, 0.6, 2.0, 1.7)],
    **INVERSE_DFD,
)
ncfdtrinc = special(
    "ncfdtrinc(dfn, dfd, p, f)",
    at=[(4.0, 10.0, 0.5, 1.6), (4.0, 10.0, 0.3, 2.0), (5.0, 20.0, 0.7, 2.0), (10.0, 5.0, 0.7, 3.0)],
    **INVERSE_NC,
)
