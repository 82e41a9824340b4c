"""What is tested of a function under SciPy's name: its bits are SciPy's, its derivatives are differences of them."""

import functools
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._rules.differences import slope
from tests._kit.toys import same


class Case(NamedTuple):
    """`f(*args, **kwargs)`, differentiable in the first `moving` arguments."""

    name: str
    args: tuple
    kwargs: Mapping = types.MappingProxyType({})
    moving: int = 1
    step: float = 0.02
    exact: float = 1e-9

    def __str__(self):
        return "-".join([self.name, *map(str, self.kwargs.values())])

    def of(self, module):
        f = functools.partial(getattr(module, self.name), **self.kwargs)
        return lambda *moving: f(*moving, *self.args[len(moving) :])

    @property
    def point(self):
        return self.args[: self.moving]


def each(cases):
    return {"argvalues": cases, "ids": list(map(str, cases))}


def flat(result: Any) -> Any:
    """All numbers of a result; the parts of complex ones side by side."""
    leaves = [jnp.ravel(x) for x in jax.tree.leaves(result)]
    parts = [jnp.concatenate([x.real, x.imag]) if jnp.iscomplexobj(x) else x for x in leaves]
    return jnp.concatenate(parts)


def directions(point, seed=11):
    random = np.random.default_rng(seed)
    found = []
    for x in point:
        d = random.normal(size=np.shape(x))
        found.append(d + 1j * random.normal(size=np.shape(x)) if np.iscomplexobj(x) else d)
    return tuple(found)


def bits(ours, theirs, case):
    """Eager and compiled values are SciPy's own."""
    expected = jax.tree.map(np.asarray, case.of(theirs)(*case.point))
    for f in (case.of(ours), jax.jit(case.of(ours))):
        got = f(*case.point)
        assert jax.tree.structure(got) == jax.tree.structure(expected)
        for y, e in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            assert y.dtype == np.result_type(e.dtype, np.float64)
            np.testing.assert_array_equal(y, e)


def derivatives(ours, theirs, case):
    """Forward mode is as differences of SciPy's values, reverse mode as forward mode; so are second derivatives."""
    f, point = case.of(ours), case.point
    steps = directions(point)
    weights = np.random.default_rng(5).normal(size=flat(f(*point)).shape)

    def scipys(t):
        return np.asarray(flat(case.of(theirs)(*(x + t * d for x, d in zip(point, steps, strict=True)))))

    exact, error = slope(scipys, case.step)
    assert np.max(error) < case.exact * max(1.0, np.max(np.abs(exact)))
    tangent = jax.jit(lambda *d: jax.jvp(lambda *a: flat(f(*a)), point, d)[1])(*steps)
    same(tangent, jnp.asarray(exact), case.exact)

    def energy(*args):
        y = flat(f(*args))
        return jnp.sum(weights * (y + y**2 / 2))

    every = tuple(range(case.moving))

    def along(t):
        return jax.jvp(energy, tuple(x + t * d for x, d in zip(point, steps, strict=True)), steps)[1]

    pulled = jax.jit(jax.grad(energy, every))(*point)
    first = sum(jnp.sum(g * d).real for g, d in zip(pulled, steps, strict=True))
    same(first, along(0.0), 1e-11)
    expected, _ = slope(lambda t: np.asarray(along(t)), case.step)
    same(jax.grad(along)(0.0), jnp.asarray(expected), 10 * case.exact)


def batches(ours, case):
    f, point = case.of(ours), case.point
    stacks = [np.stack([x, 1.05 * np.asarray(x)]) for x in point]
    energy = lambda *a: jnp.sum(flat(f(*a)) ** 2)
    every = tuple(range(case.moving))
    for g, exact in ((f, 1e-14), (jax.grad(energy, every), 1e-11)):
        loop = [g(*(s[k] for s in stacks)) for k in range(2)]
        same(jax.jit(jax.vmap(g))(*stacks), jax.tree.map(lambda *y: jnp.stack(y), *loop), exact)


def narrow(ours, case):
    """In single precision out comes single precision, about the same."""
    single = lambda x: np.asarray(x).astype(np.complex64 if np.iscomplexobj(x) else np.float32)
    f = case.of(ours)
    for got, wide in zip(
        jax.tree.leaves(f(*map(single, case.point))), jax.tree.leaves(f(*case.point)), strict=True
    ):
        assert got.dtype == single(wide).dtype
        np.testing.assert_allclose(got, wide, rtol=1e-3, atol=1e-3)
