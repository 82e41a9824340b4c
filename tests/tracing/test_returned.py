"""What recorded and traced code returns, in classes of the user's that JAX takes apart."""

import dataclasses
from typing import Any

import jax
import numpy as np
import pytest

import hostwrap as hw


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Orbit:
    """A pytree of the user's: JAX knows exactly this class, and not the copy of it that recorded code makes."""

    path: Any
    energy: Any


@jax.tree_util.register_pytree_node_class
class Slotted:
    __slots__ = ("inner", "others")

    def __init__(self, inner, others):
        self.inner, self.others = inner, others

    def tree_flatten(self):
        return (self.inner, self.others), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
def test_results_in_classes_that_jax_knows(branch):
    number = jax.ShapeDtypeStruct((), np.float32)
    path = jax.ShapeDtypeStruct((3,), np.float32)

    @hw.wrap(out=lambda x: Slotted(Orbit(path, number), [Orbit(number, number)]))
    def simulate(x):
        if branch and x[0] > 100:
            raise ValueError
        return Slotted(Orbit(np.cumsum(x), np.sum(x * x)), [Orbit(x[0], x[1] ** 3)])

    def loss(x):
        found = simulate(x)
        return found.inner.path[-1] + found.inner.energy + found.others[0].energy

    x = np.array([1.0, 2.0, 3.0], np.float32)
    for gradient in (jax.grad(loss), jax.jit(jax.grad(loss)), jax.jacfwd(loss)):
        np.testing.assert_allclose(gradient(x), 1 + 2 * x + np.array([0, 12, 0]), rtol=1e-6)


class Series:
    """An array with labels, as those of pandas: NumPy asks it for the array."""

    def __init__(self, values, index):
        self.values, self.index = values, index

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
def test_results_that_numpy_asks_for_an_array(branch):
    @hw.wrap("(n)->(n)")
    def sums(x):
        if branch and x[0] > 100:
            raise ValueError
        return Series(np.cumsum(x * x), ["a", "b", "c"])

    x = np.array([0.5, 2.0, 3.0])
    for slopes in (jax.jacfwd(sums), jax.jit(jax.jacrev(sums))):
        np.testing.assert_allclose(slopes(x), np.tril(np.ones((3, 3))) * 2 * x, rtol=1e-15)
    np.testing.assert_allclose(jax.hessian(lambda x: sums(x)[2])(x), 2 * np.eye(3), atol=1e-15)
