"""How functions and arguments are written in formulas; what is not listed here is written by its name."""

from __future__ import annotations

import re
from typing import Any

from hostwrap.special._entry import CATALOGUE
from hostwrap.special._function import Special

# `<z>` stands for what is passed as the argument or static z, `<z!>` for the same in brackets if it is a sum.
FUNCTIONS = {
    "agm": r"M(<a>, <b>)",
    "beta": r"\mathrm{B}(<a>, <b>)",
    "betainc": r"I_{<x>}(<a>, <b>)",
    "betaln": r"\ln \mathrm{B}(<a>, <b>)",
    "binom": r"\binom{<x>}{<y>}",
    "cbrt": r"\sqrt[3]{<x>}",
    "dawsn": r"F(<x>)",
    "digamma": r"\psi(<z>)",
    "ellipe": r"E(<m>)",
    "ellipeinc": r"E(<phi>, <m>)",
    "ellipk": r"K(<m>)",
    "ellipkinc": r"F(<phi>, <m>)",
    "ellipkm1": r"K(1 - <p!>)",
    "elliprc": r"R_C(<x>, <y>)",
    "elliprd": r"R_D(<x>, <y>, <z>)",
    "elliprf": r"R_F(<x>, <y>, <z>)",
    "elliprg": r"R_G(<x>, <y>, <z>)",
    "elliprj": r"R_J(<x>, <y>, <z>, <p>)",
    "eval_chebyc": r"C_{<n>}(<x>)",
    "eval_chebys": r"S_{<n>}(<x>)",
    "eval_chebyt": r"T_{<n>}(<x>)",
    "eval_chebyu": r"U_{<n>}(<x>)",
    "eval_gegenbauer": r"C_{<n>}^{(<alpha>)}(<x>)",
    "eval_genlaguerre": r"L_{<n>}^{(<alpha>)}(<x>)",
    "eval_hermite": r"H_{<n>}(<x>)",
    "eval_hermitenorm": r"\mathit{He}_{<n>}(<x>)",
    "eval_jacobi": r"P_{<n>}^{(<alpha>, <beta>)}(<x>)",
    "eval_laguerre": r"L_{<n>}(<x>)",
    "eval_legendre": r"P_{<n>}(<x>)",
    "eval_sh_chebyt": r"T^*_{<n>}(<x>)",
    "eval_sh_chebyu": r"U^*_{<n>}(<x>)",
    "eval_sh_legendre": r"P^*_{<n>}(<x>)",
    "exp1": r"E_1(<z>)",
    "expi": r"\mathrm{Ei}(<x>)",
    "expn": r"E_{<n>}(<x>)",
    "gamma": r"\Gamma(<z>)",
    "gammainc": r"P(<a>, <x>)",
    "gammaincc": r"Q(<a>, <x>)",
    "gammaln": r"\ln |\Gamma(<x>)|",
    "gaussian": r"\partial_z^{<n>}\,\mathrm{e}^{<c> <z!>^2 / 2}",
    "gaussian(c=-1)": r"\partial_z^{<n>}\,\mathrm{e}^{-<z!>^2 / 2}",
    "gaussian(c=-2)": r"\partial_z^{<n>}\,\mathrm{e}^{-<z!>^2}",
    "gaussian(c=2)": r"\partial_z^{<n>}\,\mathrm{e}^{<z!>^2}",
    "hankel1": r"H^{(1)}_{<v>}(<z>)",
    "hankel2": r"H^{(2)}_{<v>}(<z>)",
    "hyp0f1": r"{}_0F_1(; <v>; <z>)",
    "hyp1f1": r"{}_1F_1(<a>; <b>; <x>)",
    "hyp2f1": r"{}_2F_1(<a>, <b>; <c>; <z>)",
    "hyperu": r"U(<a>, <b>, <x>)",
    "i0": r"I_0(<x>)",
    "i1": r"I_1(<x>)",
    "iv": r"I_{<v>}(<z>)",
    "iv_order": r"\partial_v^{<n>} \partial_z^{<m>} I_{<v>}(<z>)",
    "j0": r"J_0(<x>)",
    "j1": r"J_1(<x>)",
    "jn": r"J_{<v>}(<z>)",
    "jv": r"J_{<v>}(<z>)",
    "jv_order": r"\partial_v^{<n>} J_{<v>}(<z>)",
    "k0": r"K_0(<x>)",
    "k1": r"K_1(<x>)",
    "kn": r"K_{<n>}(<x>)",
    "kv": r"K_{<v>}(<z>)",
    "kv_order": r"\partial_v^{<n>} \partial_z^{<m>} K_{<v>}(<z>)",
    "lambertw": r"W_{<k>}(<z>)",
    "log1p": r"\ln(1 + <x>)",
    "loggamma": r"\ln \Gamma(<z>)",
    "modstruve": r"L_{<v>}(<x>)",
    "ndtr": r"\Phi(<x>)",
    "ndtri": r"\Phi^{-1}(<y>)",
    "owens_t": r"T(<h>, <a>)",
    "poch": r"(<z>)_{<m>}",
    "polygamma": r"\psi^{(<n>)}(<x>)",
    "power_n": r"\partial_p^{<n>}\,<x!>^{<p>}",
    "psi": r"\psi(<z>)",
    "psi_n": r"\psi^{(<n>)}(<z>)",
    "psi_step": r"\left[\psi^{(<n>)}(<x> + <h>) - \psi^{(<n>)}(<x>)\right]",
    "quotient": r"\frac{<x>}{<y>}",
    "rgamma": r"\frac{1}{\Gamma(<z>)}",
    "riemann_zeta": r"\zeta(<x>)",
    "spherical_in": r"\mathsf{i}_{<n>}(<z>)",
    "spherical_jn": r"\mathsf{j}_{<n>}(<z>)",
    "spherical_kn": r"\mathsf{k}_{<n>}(<z>)",
    "spherical_yn": r"\mathsf{y}_{<n>}(<z>)",
    "struve": r"\mathbf{H}_{<v>}(<x>)",
    "wofz": r"w(<z>)",
    "y0": r"Y_0(<x>)",
    "y1": r"Y_1(<x>)",
    "yn": r"Y_{<n>}(<x>)",
    "yv": r"Y_{<v>}(<z>)",
    "yv_order": r"\partial_v^{<n>} Y_{<v>}(<z>)",
}
GREEK = "alpha beta gamma delta epsilon eta kappa mu nu omega phi psi rho sigma tau theta zeta"
LETTERS = {
    **{name: rf"\{name}" for name in GREEK.split()},
    "lmbda": r"\lambda",
    "lmb": r"\lambda",
    "l": r"\ell",
}


def symbol(name: str) -> str:
    """An argument's letter: `phi` is greek, `h2` has an index, `df` is a word."""
    if name in LETTERS:
        return LETTERS[name]
    if match := re.fullmatch(r"([a-z])(\d)", name):
        return f"{match[1]}_{match[2]}"
    return name if len(name) == 1 else rf"\mathit{{{word(name)}}}"


def word(name: str) -> str:
    return name.replace("_", r"\_")


def pattern(function: Special, given: dict[str, Any]) -> str:
    """The notation of a function with these arguments and statics."""
    keys = [f"{function.name}({s}={given[s]!r})" for s in function.statics if s in given]
    found = [FUNCTIONS[key] for key in [*keys, function.name] if key in FUNCTIONS]
    return found[0] if found else _derivative(function) or _named(function, given)


def called(function: Special) -> str:
    """A function of its own arguments, statics having their defaults."""
    given = {s: v for s, v in function.statics.items() if isinstance(v, bool | str)}
    return re.sub(r"<(\w+)!?>", lambda m: symbol(m[1]), pattern(function, given))


def _derivative(function: Special) -> str | None:
    """A kernel `f_n(x, *, dx)` that was made from f by `orders=`, as the derivative of f that it is."""
    of = CATALOGUE.get(function.name.removesuffix("_n"))
    if of is None or getattr(of, "derivatives", None) is not function:
        return None
    counted = [a for a in of.args if f"d{a}" in function.statics]
    return "".join(rf"\partial_{{{symbol(a)}}}^{{<d{a}>}}" for a in counted) + r"\," + pattern(of, {})


def _named(function: Special, given: dict[str, Any]) -> str:
    """`name(a, b)`, with its statics as an index unless they are 0, False or empty."""
    shown = [f"{word(s)}=<{s}>" for s in function.statics if given.get(s)]
    index = f"_{{{', '.join(shown)}}}" if shown else ""
    return rf"\operatorname{{{word(function.name)}}}{index}({', '.join(f'<{a}>' for a in function.args)})"
