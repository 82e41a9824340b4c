"""What came of a call: arrays, or an error; and whether that is an error of ours."""

import collections
import warnings

import jax
import jax.numpy as jnp
import numpy as np

import hostwrap as hw

counts = collections.Counter()


class Wrong(AssertionError):
    """A case that does not hold."""


def outcome(call, *args):
    """(result as a tree of NumPy arrays, None) or (None, the exception)."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = jax.block_until_ready(call(*args))
            return jax.tree.map(np.asarray, result), None
    except Exception as error:
        return None, error


def is_ours(error):
    """An error of hostwrap: itself, or as the text that a compiled program makes of it."""
    if isinstance(error, jax.errors.JaxRuntimeError):
        last = hw.last_error()
        return last is not None and str(last) in str(error)
    return isinstance(error, hw.HostwrapError)


def eager_and_compiled(f, *args, refused_by_jax=False, raises=()):
    """The result of `f`, the same with and without jit; None where both are clear errors.

    JAX itself refuses, when a jitted function is called, what is no array; a host function `raises` what it likes.
    """
    eager, error = outcome(f, *args)
    compiled, error_of_jit = outcome(jax.jit(lambda *xs: f(*xs)), *args)
    if error_of_jit is None and isinstance(error, hw.ResultError) and _empty(compiled):
        counts["errors of ours"] += 1  # XLA makes no call for results without elements
        return None
    if (error is None) != (error_of_jit is None):
        raise Wrong(
            f"eager: {eager if error is None else error!r}; jit: {compiled if eager is None else error_of_jit!r}"
        )
    if error is None:
        same(compiled, eager, "jit and eager")
        return eager
    if not (is_ours(error) or isinstance(error, raises)):
        raise Wrong(f"not an error of ours: {error!r}") from error
    by_jax = refused_by_jax and isinstance(error_of_jit, TypeError | ValueError | OverflowError)
    if not (by_jax or is_ours(error_of_jit)):
        raise Wrong(f"not an error of ours, under jit: {error_of_jit!r}") from error_of_jit
    counts["errors of ours"] += 1
    return None


def _empty(results):
    return all(not leaf.size for leaf in jax.tree.leaves(results))


def same(got, want, what, rtol=0.0):
    """The same tree, types, shapes and bits (all NaNs are one); or up to a relative error."""
    if jax.tree.structure(got) != jax.tree.structure(want):
        raise Wrong(f"{what}: {jax.tree.structure(got)}, not {jax.tree.structure(want)}")
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        if g.dtype != w.dtype or g.shape != w.shape:
            raise Wrong(f"{what}: {g.dtype}{g.shape}, not {w.dtype}{w.shape}")
        equal = alike(g, w, rtol)
        if not equal.all():
            raise Wrong(f"{what}: {g[~equal][:3]}, not {w[~equal][:3]}")


def alike(got, want, rtol=0.0):
    """Where two arrays have the same number."""
    if jnp.issubdtype(got.dtype, jnp.complexfloating):
        parts = alike(got.real, want.real, rtol) & alike(got.imag, want.imag, rtol)
        return (
            parts | (np.isnan(got) & np.isnan(want)) if rtol else parts
        )  # NaN + 0i is as little as NaN + NaN i
    if not jnp.issubdtype(got.dtype, jnp.floating):
        return np.asarray(got == want)
    g, w = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        near = (g == w) & (np.signbit(g) == np.signbit(w))
        if rtol:  # XLA's own arithmetic takes subnormal numbers for 0
            near = np.isclose(g, w, rtol, float(jnp.finfo(got.dtype).tiny))
    return np.asarray(near | (np.isnan(g) & np.isnan(w)))
