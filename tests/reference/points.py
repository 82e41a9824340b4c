"""Where to look: points of an entry's boxes, linear and logarithmic, and the numbers at which formulas break.

Deterministic: the draws are seeded by the function's name. Every second point is a float32 number, so that single
precision can be compared with the same references.
"""

from __future__ import annotations

import zlib

import numpy as np

from hostwrap.special._function import Special
from tests.reference.entries import has_complex, is_integer

REAL, COMPLEX = 28, 20  # draws from the boxes; special values and `at=` come on top
SPECIAL = (0.0, 1.0, 2.0, 3.0, 0.5, 1.5, -1.0, -0.5, -2.0, 1e-9, 1.0 + 1e-9, 2.0 - 1e-6, 1e-3)
SPECIAL_EACH = 12  # special values of a function, divided among its arguments


# The name under which the points of a function were drawn first, where it has another one now.
DRAWN_AS = {
    "besselpoly_n": "besselpoly_hij",
    "beta_n": "beta_ij",
    "binom_n": "binom_ij",
    "diric_n": "diric_m",
    "ellip_normal_n": "norm_partial",
    "eval_chebyt_n": "chebyt_il",
    "eval_chebyu_n": "chebyu_il",
    "eval_gegenbauer_n": "gegenbauer_ijl",
    "eval_genlaguerre_n": "genlaguerre_ijl",
    "eval_jacobi_n": "jacobi_ijkl",
    "eval_laguerre_n": "laguerre_il",
    "eval_legendre_n": "legendre_il",
    "eval_sh_chebyt_n": "sh_chebyt_il",
    "eval_sh_chebyu_n": "sh_chebyu_il",
    "eval_sh_jacobi_n": "sh_jacobi_ijkl",
    "eval_sh_legendre_n": "sh_legendre_il",
    "lame_n": "lame_partial",
    "lpmv_n": "lpmv_il",
    "mathieu_cem_n": "mathieu_ce_ij",
    "mathieu_modcem1_n": "mathieu_mc1_ij",
    "mathieu_modcem2_n": "mathieu_mc2_ij",
    "mathieu_modsem1_n": "mathieu_ms1_ij",
    "mathieu_modsem2_n": "mathieu_ms2_ij",
    "mathieu_sem_n": "mathieu_se_ij",
    "modstruve_n": "modstruve_ij",
    "obl_ang1_n": "obl_ang1_ij",
    "obl_rad1_n": "obl_rad1_ij",
    "obl_rad2_n": "obl_rad2_ij",
    "poch_n": "poch_ij",
    "pro_ang1_n": "pro_ang1_ij",
    "pro_rad1_n": "pro_rad1_ij",
    "pro_rad2_n": "pro_rad2_ij",
    "riemann_zeta_n": "zeta_n",
    "struve_n": "struve_ij",
    "tklmbda_n": "tukey_lambda_ij",
}


def points(function: Special, is_complex: bool) -> np.ndarray:
    """The points as rows, one column for each argument."""
    if is_complex:
        return _complex(function) if has_complex(function) else np.empty((0, len(function.args)), complex)
    return _real(function)


def _real(function: Special) -> np.ndarray:
    drawn = _boxes(function, _generator(function.name, "real"), REAL if function.public else REAL // 2)
    rows = [p for p in function.at if np.isrealobj(np.array(p))]
    rows += _special(function, drawn)
    rows += list(_half_single(function, drawn))
    return _unique(np.array(rows, float).reshape(-1, len(function.args)))


def _complex(function: Special) -> np.ndarray:
    generator = _generator(function.name, "complex")
    count = COMPLEX if function.public else COMPLEX // 2
    z = _boxes(function, generator, count).astype(complex)
    for column, a in enumerate(function.args):
        box = function.boxes[a]
        if getattr(box, "im", None):
            z[:, column] += 1j * _mixed(-box.im, box.im, count, generator)
            z[0, column] = complex(z[0, column].real, 1e-9)
            z[1, column] = complex(abs(z[1, column].real), 0.0)
            if box.low <= 0 <= box.high:
                z[2, column] = complex(0.0, z[2, column].imag)
    z = _half_single(function, z)
    given = [p for p in function.at if not np.isrealobj(np.array(p)) or _off_the_cuts(function, p)]
    return _unique(np.array([*given, *z], complex).reshape(-1, len(function.args)))


def _off_the_cuts(function: Special, point: tuple) -> bool:
    """A real point that may stand in the complex table too: what would be complex is positive."""
    return all(
        x > 0 for a, x in zip(function.args, point, strict=True) if getattr(function.boxes[a], "im", None)
    )


def _generator(name: str, kind: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(f"{DRAWN_AS.get(name, name)} {kind}".encode()))


def _boxes(function: Special, generator: np.random.Generator, count: int) -> np.ndarray:
    """A Latin hypercube over the boxes, each axis half linear, half logarithmic."""
    draws = []
    for a in function.args:
        low, high = function.boxes[a].low, function.boxes[a].high
        if is_integer(function, a):
            draws.append(np.floor(_strata(count, generator) * (high + 1 - low)) + low)
        else:
            draws.append(generator.permutation(_mixed(low, high, count, generator)))
    return np.stack(draws, axis=1)


def _mixed(low: float, high: float, count: int, generator: np.random.Generator) -> np.ndarray:
    linear = low + (high - low) * _strata(count - count // 2, generator)
    return np.concatenate([linear, _logarithmic(low, high, count // 2, generator)])


def _logarithmic(low: float, high: float, count: int, generator: np.random.Generator) -> np.ndarray:
    """Magnitudes over the box's decades, down to 1e-6 where it reaches zero, with both signs where it has both."""
    if high <= 0:
        return -_logarithmic(-high, -low, count, generator)
    if low > 0:
        return low * (high / low) ** _strata(count, generator)
    least = 1e-6 * min(1.0, high)
    positive = least * (high / least) ** _strata(count, generator)
    mirrored = -least * (max(-low, least) / least) ** _strata(count, generator)
    return np.where((np.arange(count) % 2 == 1) & (low < 0), mirrored, positive)


def _strata(count: int, generator: np.random.Generator) -> np.ndarray:
    """`count` numbers of [0, 1), one in each interval of length 1 / count, in random order."""
    return (generator.permutation(count) + generator.random(count)) / max(count, 1)


def _special(function: Special, drawn: np.ndarray) -> list[np.ndarray]:
    """Rows of the draws with one argument replaced by a special value of its box."""
    smooth = [i for i, a in enumerate(function.args) if not is_integer(function, a)]
    rows = []
    for i in smooth:
        box = function.boxes[function.args[i]]
        inside = [s for s in (box.low, *SPECIAL, box.high) if box.low <= s <= box.high]
        for k, value in enumerate([*inside[: 1 + SPECIAL_EACH // len(smooth)], inside[-1]]):
            row = drawn[(5 * k + i) % len(drawn)].copy()
            row[i] = value
            rows.append(row)
    return rows


def _half_single(function: Special, rows: np.ndarray) -> np.ndarray:
    """Every second row in float32 numbers, of those that stay inside their boxes."""
    single = np.complex64 if np.iscomplexobj(rows) else np.float32
    rounded = rows.astype(single).astype(rows.dtype)
    boxes = [function.boxes[a] for a in function.args]
    inside = np.all(
        [(b.low <= r) & (r <= b.high) for b, r in zip(boxes, rounded.real.T, strict=True)], axis=0
    )
    return np.where((np.arange(len(rows)) % 2 == 0)[:, None] & inside[:, None], rounded, rows)


def _unique(rows: np.ndarray) -> np.ndarray:
    """Without repetitions and infinities, in the order given."""
    rows = rows[np.isfinite(rows).all(axis=1)]
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)]
