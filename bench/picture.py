"""The picture of `make demo`: J_ν(z), its derivatives in z and in ν, and the error of each in ULP."""

import functools

import jax
import matplotlib

matplotlib.use("Agg")
import mpmath
import numpy as np
from matplotlib import pyplot

from bench.ulp import exact, ulp
from hostwrap import special

ORDERS = (0.0, 0.5, 1.3, 2.7, 5.5)
Z = np.linspace(0.05, 20.0, 500)
SAMPLES = slice(3, None, 8)  # where mpmath is asked
COLUMNS = (  # title, function of (ν, z), derivative orders
    (r"$J_\nu(z)$", special.jv, (0, 0)),
    (r"$\partial J_\nu(z)\,/\,\partial z$", jax.grad(special.jv, 1), (0, 1)),
    (r"$\partial J_\nu(z)\,/\,\partial\nu$", jax.grad(special.jv, 0), (1, 0)),
)
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.titlesize": 13,
}


def draw(path: str) -> None:
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(
            2, 3, figsize=(13, 6.6), height_ratios=(1.25, 1), sharex=True, sharey="row", layout="constrained"
        )
        for (title, function, orders), top, bottom in zip(COLUMNS, *axes, strict=True):
            errors = curves(top, function, orders)
            for found, color in zip(errors, colors(), strict=True):
                bottom.plot(Z[SAMPLES], np.maximum(found, 0.1), "o", color=color, markersize=3)
            top.set_title(title)
            bottom.set_title(f"median error {np.median(errors):.0f} ULP", fontsize=10)
            bottom.set_xlabel("z")
        _finish(figure, axes)
        figure.savefig(path, dpi=130)
        pyplot.close(figure)


def curves(ax, function, orders) -> list[list[float]]:
    """Draws a function of z for each ν, ours as a line and mpmath's as dots; returns the errors in ULP."""
    ax.axhline(0.0, color="black", linewidth=0.6)
    errors = []
    for v, color in zip(ORDERS, colors(), strict=True):
        values = np.asarray(jax.jit(jax.vmap(functools.partial(function, v)))(Z))
        exacts = [exact(mpmath.besselj, v, z, orders=orders) for z in Z[SAMPLES]]
        ax.plot(Z, values, color=color, linewidth=1.6, label=f"ν = {v:g}")
        ax.plot(Z[SAMPLES], list(map(float, exacts)), "o", color=color, markersize=2.2)
        errors.append([ulp(y, e) for y, e in zip(values[SAMPLES], exacts, strict=True)])
    return errors


def colors() -> np.ndarray:
    return matplotlib.colormaps["viridis"](np.linspace(0.0, 0.88, len(ORDERS)))


def _finish(figure, axes) -> None:
    figure.suptitle("hostwrap.special.jv under jit: lines are ours, dots are mpmath", fontsize=13)
    axes[0, 0].legend(ncols=2, frameon=False, loc="upper right")
    axes[0, 0].set_ylim(-1.05, 1.05)
    axes[1, 0].set_ylabel("error [ULP]")
    axes[1, 0].set_yscale("log")
    axes[1, 0].set_ylim(0.05, 3e4)
    for bottom in axes[1]:
        bottom.axhspan(0.05, 0.5, color="black", alpha=0.06, linewidth=0)
        bottom.text(19.9, 0.06, "correctly rounded", fontsize=8, ha="right", va="bottom", alpha=0.7)
    axes[1, 0].text(0.1, 1.2e4, "SciPy's own value", fontsize=8, va="center", alpha=0.7)
