"""Seconds of calls and gradients, for one number and for many; and of the first call, with its compilation."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

import hostwrap as hw
from hostwrap import linalg, special, stats

jax.config.update("jax_enable_x64", True)


def sersic(r, n):
    b = scipy.special.gammaincinv(2 * n, 0.5)
    return np.exp(-b * ((r / 1.1) ** (1 / n) - 1))


FUNCTIONS = {
    "a ufunc, erf": lambda x, a: special.erf(a * x),
    "Bessel's J, with its order": lambda x, a: special.jv(a, x),
    "gammainc, with its shape": lambda x, a: special.gammainc(a, x),
    "a quantile, with its shape": lambda x, a: stats.gamma.ppf(x / 10, a),
    "code without a rule": hw.wrap(sersic),
}


class Calls:
    """Compiled functions of an array and a number."""

    params = (tuple(FUNCTIONS), (1, 100_000))
    param_names = ("function", "n")

    def setup(self, name, n):
        f = FUNCTIONS[name]
        self.args = jnp.linspace(0.5, 9.0, n) if n > 1 else jnp.float64(2.5), jnp.float64(2.5)
        gradient = jax.grad(lambda x, a: f(x, a).sum(), (0, 1))
        self.value, self.gradient = (jax.jit(g).lower(*self.args).compile() for g in (f, gradient))

    def time_value(self, name, n):
        jax.block_until_ready(self.value(*self.args))

    def time_gradient(self, name, n):
        jax.block_until_ready(self.gradient(*self.args))


class First:
    """The first gradient of a function: traced, differentiated and compiled."""

    params = tuple(FUNCTIONS)
    param_names = ("function",)
    number, repeat, warmup_time = 1, 5, 0.0

    def setup(self, name):
        jax.clear_caches()

    def time_first_gradient(self, name):
        jax.block_until_ready(jax.jit(jax.grad(FUNCTIONS[name], (0, 1)))(2.5, 2.5))


class Matrices:
    """A matrix function with its gradient."""

    def setup(self):
        self.matrix = jnp.asarray(np.random.default_rng(0).normal(size=(20, 20)))
        self.gradient = (
            jax.jit(jax.grad(lambda a: linalg.sqrtm(a @ a.T).trace())).lower(self.matrix).compile()
        )

    def time_gradient_of_sqrtm(self):
        jax.block_until_ready(self.gradient(self.matrix))


class Imports:
    """`import hostwrap`, JAX apart."""

    timeraw_import = staticmethod(lambda: ("import hostwrap.special", "import jax, numpy, scipy.special"))
