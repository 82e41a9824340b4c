"""An example for a function, run when the site is built: a value, and its derivatives in each argument."""

from __future__ import annotations

import contextlib
import io
import itertools

import jax
import numpy as np
import scipy.stats

from docs.generate.site import choice
from docs.generate.site.choice import Curve
from hostwrap import MissingDerivative, special, stats
from hostwrap.special._function import Special
from tests.stats.cases import SHAPES

HEAD = """import jax
import hostwrap.special as sc

jax.config.update("jax_enable_x64", True)
"""
PLACES = (0.6, 0.35, 0.45, 0.2, 0.8, 0.05, 0.95)  # on the axis of the plot, until all numbers are finite
OF_ARRAYS = {  # functions that take or give arrays, as functions of x, and an x
    "assoc_legendre_p": ("2, 1, x", "0.3"),
    "assoc_legendre_p_all": ("2, 1, x", "0.3"),
    "legendre_p": ("2, x", "0.3"),
    "legendre_p_all": ("3, x", "0.3"),
    "jn_zeros": ("x, 3", "2.5"),
    "jnp_zeros": ("x, 3", "2.5"),
    "yn_zeros": ("x, 3", "2.5"),
    "ynp_zeros": ("x, 3", "2.5"),
    "roots_gegenbauer": ("3, x", "0.7"),
    "roots_genlaguerre": ("3, x", "0.5"),
    "roots_jacobi": ("3, x, 0.5", "1.2"),
    "roots_sh_jacobi": ("3, x, 0.8", "1.5"),
    "log_softmax": ("x", "jax.numpy.array([1.0, 2.0, 4.0])"),
    "logsumexp": ("x", "jax.numpy.array([1.0, 2.0, 4.0])"),
    "riccati_jn": ("2, x", "1.5"),
    "riccati_yn": ("2, x", "1.5"),
    "softmax": ("x", "jax.numpy.array([1.0, 2.0, 4.0])"),
    "sph_harm_y_all": ("1, 1, x, 0.5", "1.2"),
    "sph_legendre_p": ("2, 1, x", "1.2"),
    "sph_legendre_p_all": ("2, 1, x", "1.2"),
    "zeta": ("x", "3.5"),
}


def example(name: str, function: Special | None) -> str:
    """The code, and what it prints; nothing for a function that has no public name of its own."""
    if name in OF_ARRAYS:
        return _with_output(_of_arrays(name))
    if name not in special.__all__:
        return ""
    for curve, place in itertools.product(reversed(choice.curves(function)), PLACES):
        made = _with_output(_code(function, curve, place))
        if "nan" not in made and "inf" not in made:
            return made
    raise ValueError(f"no example of {name} has finite numbers")


def of_distribution(name: str) -> str:
    """Interactive lines with a density of `hostwrap.stats` and its derivative in the first argument that has one."""
    law, shapes = getattr(stats, name), SHAPES.get(name, [()])[0]
    with np.errstate(all="ignore"):
        middle = float(getattr(scipy.stats, name)(*shapes).median())
    given = [float(f"{middle:.2g}") if law.methods[0] == "pdf" else round(middle), *shapes]
    call = ", ".join(map(repr, given))
    for method, i in itertools.product((law.methods[1], "cdf"), range(1, len(given))):
        try:
            slope = jax.grad(getattr(law, method), i)(*given)
        except (MissingDerivative, TypeError):  # a TypeError: an integer
            continue
        if np.isfinite(slope):
            line = f"jax.grad(stats.{name}.{method}, {i})({call})"
            return f'>>> from hostwrap import stats\n>>> print(f"{{{line}:.6g}}")\n{slope:.6g}'
    value = getattr(law, law.methods[1])(*given)
    return f'>>> from hostwrap import stats\n>>> print(f"{{stats.{name}.{law.methods[1]}({call}):.6g}}")\n{value:.6g}'


def _with_output(code: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "<example>", "exec"), {})
    return f"```python\n{code}```\n\n```text\n{printed.getvalue()}```"


def _of_arrays(name: str) -> str:
    call, x = OF_ARRAYS[name]
    lines = [HEAD, f"f = lambda x: sc.{name}({call})", f"x = {x}", "print(f(x))", "print(jax.jacfwd(f)(x))"]
    return "\n".join(lines) + "\n"


def _code(function: Special, curve: Curve, place: float) -> str:
    call, names = _call(function, curve, place), choice.smooth(function)
    numbers = tuple(function.args.index(a) for a in names)
    tool = "jax.jacfwd" if function.outs or choice.is_complex([curve]) else "jax.grad"
    lines = [HEAD, f"value = sc.{function.name}({call})"]
    if function.outs:
        lines += [
            f"slopes = jax.jacfwd(sc.{function.name}, {numbers})({call})",
            f"for name, y, (d{', d'.join(names)}{',' * (len(names) == 1)}) in zip(value._fields, value, slopes):",
            f"    print(name, {_shown(['y', *(f'd{a}' for a in names)])})",
        ]
    else:
        lines.append(f"print({_shown(['value'])})")
        if names:
            chosen = {(0,): ""}.get(numbers, f", {numbers if len(numbers) > 1 else numbers[0]}")
            slopes = [f"d{a}" for a in names]
            lines.append(f"{', '.join(slopes)} = {tool}(sc.{function.name}{chosen})({call})")
            lines.append(f"print({_shown(slopes)})")
    return "\n".join(lines) + "\n"


def _shown(names: list[str]) -> str:
    return f'f"{"  ".join(f"{{{name}:.8g}}" for name in names)}"'


def _call(function: Special, curve: Curve, place: float) -> str:
    x = curve.x[int(place * (len(curve.x) - 1))]
    given = {**curve.fixed, choice.along(function): round(float(x), 2)}
    texts = [
        repr(int(given[a]) if choice.is_integer(function, a) else float(given[a])) for a in function.args
    ]
    return ", ".join([*texts, *(f"{s}={value!r}" for s, value in choice.statics(function).items())])
