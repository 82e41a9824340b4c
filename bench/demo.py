"""`make demo`: what hostwrap does, each number beside mpmath's. Saves a picture in demo.png."""

import functools
import pathlib

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import scipy.special

import hostwrap as hw
from bench import matern, picture
from bench.ulp import Table, exact
from hostwrap import special
from hostwrap.testing import check

PICTURE = pathlib.Path("demo.png")


def your_own_function() -> None:
    """Any SciPy function: here the dilogarithm Li2(x), which is spence(1 - x)."""
    dilog = hw.wrap(lambda x: scipy.special.spence(1 - x))
    dilog.__name__ = "dilog"
    dilog.defpartials(x=lambda ans, x: -jnp.log1p(-x) / x)

    table, x = Table("A function of your own: hw.wrap(lambda x: scipy.special.spence(1 - x)), one rule"), 0.6
    exact_dilog = functools.partial(mpmath.polylog, 2)
    table.row("jit(dilog)(0.6)", jax.jit(dilog)(x), exact(exact_dilog, x))
    table.row("jit(grad(dilog))(0.6)", jax.jit(jax.grad(dilog))(x), exact(exact_dilog, x, orders=(1,)))
    table.row("jit(hessian(dilog))(0.6)", jax.jit(jax.hessian(dilog))(x), exact(exact_dilog, x, orders=(2,)))
    print("\n  hw.testing.check(dilog, 0.6) ->", str(check(dilog, x)).splitlines()[0])


def bessel() -> None:
    """The example of JAX's page "External callbacks", and what it cannot do."""
    jv, j1 = special.jv, functools.partial(special.jv, 1)
    print("\nThe Bessel example of JAX's documentation: j1 = partial(hw.special.jv, 1)\n")
    z = jnp.arange(5.0)
    print(f"  j1(z)       {j1(z)}\n  jit(j1)(z)  {jax.jit(j1)(z)}\n  vmap(j1)(z) {jax.vmap(j1)(z)}")

    table = Table("Its derivatives, and those in the order")
    for what, f, args, orders in (
        ("grad(j1)(2.0)", jax.grad(j1), (2.0,), (0, 1)),
        ("hessian(j1)(2.0)", jax.hessian(j1), (2.0,), (0, 2)),
        ("jv(1.5, 2.0)", jv, (1.5, 2.0), (0, 0)),
        ("grad(jv, 0)(1.5, 2.0)   in the order", jax.grad(jv, 0), (1.5, 2.0), (1, 0)),
        ("grad(jv, 0)(3.0, 2.0)   integer order", jax.grad(jv, 0), (3.0, 2.0), (1, 0)),
        ("hessian, twice in the order", jax.hessian(jv, 0), (1.5, 2.0), (2, 0)),
        ("hessian, mixed", jax.jacfwd(jax.grad(jv, 0), 1), (1.5, 2.0), (1, 1)),
    ):
        point = args if len(args) == 2 else (1.0, *args)
        table.row(what, jax.jit(f)(*args), exact(mpmath.besselj, *point, orders=orders))


def smoothness() -> None:
    """A Matérn kernel whose smoothness ν is learned from data."""

    def exact_matern(r, nu, length):
        s = mpmath.sqrt(2 * nu) * r / length
        return 2 ** (1 - nu) / mpmath.gamma(nu) * s**nu * mpmath.besselk(nu, s)

    table, point = Table("Matérn kernel k(r; ν, ℓ) at r = 0.8, ν = 1.7, ℓ = 1.3"), (0.8, 1.7, 1.3)
    table.row("k", jax.jit(matern.matern)(*point), exact(exact_matern, *point))
    for what, i in (("dk/dr", 0), ("dk/dν", 1), ("dk/dℓ", 2)):
        orders = tuple(int(k == i) for k in range(3))
        table.row(
            what, jax.jit(jax.grad(matern.matern, i))(*point), exact(exact_matern, *point, orders=orders)
        )

    x, y = matern.sample(nu=1.7, length=1.3)
    path = matern.learn((0.6, 0.5), x, y)
    truth = matern.loss(jnp.log(jnp.array([1.7, 1.3])), x, y)
    print(f"\n  learned from {len(x)} values of a process with ν = 1.7, ℓ = 1.3, by gradient descent:\n")
    for step in (0, 5, 10, 20, len(path) - 1):
        print("  step {:>3}   ν = {:.4f}   ℓ = {:.4f}   -log p / n = {:.5f}".format(step, *path[step]))
    print(f"  the truth  ν = 1.7000   ℓ = 1.3000   -log p / n = {truth:.5f}")
    assert np.isfinite(path).all()  # the diagonal of the Gram matrix has r = 0


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    your_own_function()
    bessel()
    smoothness()
    picture.draw(str(PICTURE))
    print(f"\nPicture: {PICTURE.resolve()}")


if __name__ == "__main__":
    main()
