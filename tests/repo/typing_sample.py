"""What users write, for mypy and pyright (tests/repo/test_typing.py): no error here, and the types are these."""

from collections.abc import Callable
from typing import Any, assert_type

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from jax import Array
from jax.typing import ArrayLike

import hostwrap as hw
from hostwrap import (
    compat,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    special,
    stats,
)
from hostwrap.testing import Report, check


def wrapped(function: hw.Wrapped) -> None:
    """Any wrapped function, whatever its parameters are."""


# ---- the decorator, in each of its forms


@hw.wrap
def spence(x: Any) -> Any:
    return scipy.special.spence(x)


@hw.wrap("(n,n),(n)->(n)", vmap_method="expand_dims", thread_safe=True)
def solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b[..., None])[..., 0]


@hw.wrap(out=lambda x, *, k: jax.ShapeDtypeStruct((2,), x.dtype), on_error="nan", static=("k",))
def powers(x: Any, *, k: int) -> Any:
    return np.array([x, x**k])


spence_at: Callable[[ArrayLike], Any] = spence
spence(jnp.ones(3))


@hw.wrap
def cube(x: np.ndarray) -> np.ndarray:  # what it gets from hostwrap
    return np.asarray(x**3)


cube(jnp.ones(3))  # what you may give it
wrapped(spence)
wrapped(solve)
wrapped(powers)
solve(a=np.eye(2), b=jnp.ones(2))
powers(1.5, k=2)
wrapped(hw.wrap(np.hypot))
wrapped(spence.defpartials(x=lambda ans, x: jnp.log(x) / (1 - x)))
wrapped(hw.wrap(np.sin, numerical={"initial_step": 0.1}))


@solve.defjvp
def solve_jvp(primals: Any, tangents: Any) -> Any:
    (a, b), (da, db) = primals, tangents
    x = solve(a, b)
    return x, solve(a, db - da @ x)


wrapped(solve_jvp)
wrapped(hw.wrap(np.sin).defvjp(lambda x: (jnp.sin(x), x), lambda x, c: (c * jnp.cos(x),)))
wrapped(hw.wrap(np.sin).defhost(vjp=lambda primals, c: (c * np.cos(primals[0]),)))
wrapped(hw.wrap(np.sin).defjacobian(np.cos, hessian=lambda x: -np.sin(x)))
wrapped(hw.wrap(np.sin).defvalue_and_grad(lambda x: (np.sin(x), np.cos(x))))
wrapped(hw.wrap(np.arcsin).defimplicit(lambda y, x: jnp.sin(y) - x))


@hw.linear("(3)->(2)", transpose=lambda c: np.ones((3, 2)) @ c)
def total(x: Any) -> Any:
    return np.ones((2, 3)) @ x


wrapped(total)
wrapped(hw.linear(np.negative, transpose=np.negative))


@hw.cached(maxsize=2)
def factor(a: Any) -> Any:
    return np.linalg.inv(a)


with factor.hold(np.eye(2)) as inverse:
    inverse.sum()

# ---- special functions


def loss(v: Array, z: Array) -> Array:
    return special.kv(v, z).sum() + special.airy(z).aip


assert_type(special.kv(1.5, np.ones(3)), Array)
assert_type(hw.special.kv(1.5, 2.0), Array)
assert_type(special.airy(1.0).bi, Array)
assert_type(special.gammainc(np.array([1.0, 2.0]), 0.5), Array)
jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(jnp.ones(()), jnp.ones(()))
jax.vmap(special.jv, (None, 0))(0.5, jnp.ones(3))

# ---- the rest

report = check(special.jv, 0.5, 1.0, order=1)
assert_type(report, Report)
assert_type(hw.lanes(), dict[str, str])
with hw.lane("callback"), hw.threads(1):
    jax.jit(spence)(0.5)

try:
    jax.grad(hw.wrap(np.sin, derivatives="rules"))(1.0)
except hw.MissingDerivative as error:
    assert_type(error, hw.MissingDerivative)

assert_type(linalg.sqrtm(jnp.eye(2)), Array)
assert_type(linalg.expm([[0.0, 1.0], [0.0, 0.0]]), Array)
assert_type(linalg.eigh(np.eye(2)), tuple[Array, Array])
assert_type(linalg.eigh(np.eye(2), eigvals_only=True), Array)
assert_type(linalg.eig(np.eye(2)), tuple[Array, Array])
assert_type(linalg.eig(np.eye(2), right=False), Array)
assert_type(linalg.eig(np.eye(2), left=True), tuple[Array, Array, Array])
assert_type(linalg.eig(np.eye(2), left=True, right=False), tuple[Array, Array])
assert_type(optimize.newton(lambda x: x**2 - 2, 1.0), Array)
assert_type(optimize.ridder(lambda x: x**2 - 2, 0.0, 2.0), Array)
assert_type(optimize.ridder(lambda x: x**2 - 2, 0.0, 2.0, full_output=True)[0], Array)
assert_type(optimize.fsolve(lambda x: x**2 - 2, np.ones(2)), Array)
assert_type(optimize.fsolve(lambda x: x**2 - 2, np.ones(2), full_output=True)[2], int)
assert_type(sparse.csgraph.dijkstra(np.eye(2)), Array)
assert_type(sparse.csgraph.dijkstra(np.eye(2), return_predecessors=True), tuple[Array, Array])
assert_type(sparse.csgraph.yen(np.eye(2), 0, 1, 2, return_predecessors=True), tuple[Array, Array])
assert_type(ndimage.distance_transform_edt(np.eye(2)), Array)
assert_type(ndimage.distance_transform_edt(np.eye(2), return_indices=True), tuple[Array, Array])
assert_type(linalg.rq(np.eye(2), mode="r"), Array)
assert_type(linalg.hessenberg(np.eye(3), calc_q=True), tuple[Array, Array])
assert_type(signal.lfilter([1.0], [1.0, -0.5], np.ones(3)), Array)
assert_type(signal.lfilter([1.0], [1.0, -0.5], np.ones(3), zi=np.zeros(1)), tuple[Array, Array])
assert_type(signal.resample(np.ones(4), 8, np.arange(4.0)), tuple[Array, Array])
assert_type(signal.hilbert(np.ones(4)), Array)
assert_type(fft.dctn(np.ones((2, 2)), axes=(0,)), Array)
assert_type(stats.genextreme.logpdf(0.3, 0.1), Array)
wrapped(optimize.brentq(lambda x, a: x**3 - a))
wrapped(integrate.quad(lambda x, a: a * x))
assert_type(interpolate.make_interp_spline(np.arange(5.0), np.arange(5.0)), interpolate.BSpline)
assert_type(interpolate.splder(interpolate.BSpline(np.arange(8.0), np.ones(4), 3)), interpolate.BSpline)
assert_type(interpolate.splder((np.arange(8.0), np.ones(8), 3)), tuple[Array, Array, int])
assert_type(interpolate.splev(np.arange(3.0), (np.arange(8.0), np.ones(8), 3)), Array)
assert_type(interpolate.PchipInterpolator(np.arange(5.0), np.arange(5.0))([0.5, 1.5]), Array)
assert_type(signal.freqz([1.0], worN=np.ones(3)), tuple[Array, Array])
assert_type(stats.gaussian_kde(np.arange(5.0), 0.3)(1.0), Array)
assert_type(ndimage.map_coordinates(jnp.ones((4, 4)), jnp.ones((2, 3))), Array)
assert_type(ndimage.gaussian_filter(jnp.ones((4, 4)), 1.0), Array)
assert_type(signal.sosfiltfilt(jnp.ones((1, 6)), jnp.ones(20)), Array)
assert_type(stats.norm.logpdf(0.3), Array)
assert_type(
    sparse.linalg.spsolve(jnp.ones(2), jnp.arange(2), jnp.arange(3), jnp.ones(2)),
    Array,
)
assert_type(sparse.linalg.eigsh(np.eye(3), 1), tuple[Array, Array])
assert_type(sparse.linalg.svds(np.eye(3), 1, return_singular_vectors=False), Array)
compat.barrier_wait()
