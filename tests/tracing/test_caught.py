"""Exceptions that code catches depend on numbers: it is recorded. And rounding to decimals, which makes steps."""

import contextlib
import math
import warnings

import jax
import numpy as np
import pytest

import hostwrap as hw


def of_math(x):
    try:
        return math.log(x - 3)
    except ValueError:
        return x**3


def singular(x):
    m = np.array([[1.0, x], [x, x * x]])
    try:
        return np.linalg.cholesky(m - np.eye(2)).sum()
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(m + np.eye(2)).sum()


def suppressed(x):
    found = x**2
    with contextlib.suppress(ValueError):
        found = math.log(x - 3)
    return found


def of_floating_point(x):
    try:
        with np.errstate(all="raise"):
            return np.sqrt(x - 3) * x
    except FloatingPointError:
        return x * x


def of_warnings(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.log(x - 3)
        except RuntimeWarning:
            return x * x


def everything(x):
    try:
        if x > 0:
            return x * x
    except Exception:
        return x**3
    return x


def inside_of_finally(x):
    try:
        try:
            return math.sqrt(x - 2)
        finally:
            x = x + 1
    except:  # noqa: E722
        return x**3


def by_zero(x):
    try:
        return math.exp(x) / (1 / 0)
    except ZeroDivisionError:
        return math.exp(2 * x)


@pytest.mark.parametrize(
    "f",
    [of_math, singular, suppressed, of_floating_point, of_warnings, everything, inside_of_finally, by_zero],
)
def test_what_may_be_caught_is_recorded(f):
    wrapped = hw.wrap(f)
    assert hw.explain(wrapped, 1.37).way == "recorded"
    slope = (f(1.37 + 1e-5) - f(1.37 - 1e-5)) / 2e-5
    np.testing.assert_allclose(jax.grad(wrapped)(1.37), slope, rtol=1e-8)


def other_errors(x):
    table, total = {"a": 2.0}, 0.0
    for name in "ab":
        try:
            total = total + table[name] * math.log(x)
        except KeyError:
            total = total + 1
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return total * np.log(x)


def cleaned_up(x):
    try:
        y = math.log(x)
    finally:
        x = 0.0
    return y * math.exp(x)


@pytest.mark.parametrize("f", [other_errors, cleaned_up])
def test_other_errors_do_not_matter(f):
    assert hw.explain(hw.wrap(f), 1.37).way == "traced"


# ---- rounding


@pytest.mark.parametrize(
    "f",
    [
        lambda x: round(x, 2) * x,
        lambda x: np.round(x, 2) + x,
        lambda x: np.around(x, 1) if x > 0 else x,
        lambda x: round(x, -1) * x if x > 0 else x,
        lambda x: x.round(decimals=3),
    ],
)
@pytest.mark.parametrize("along", [jax.grad, jax.jacfwd, lambda f: jax.jit(jax.grad(f))])
def test_rounding_to_decimals_is_refused(f, along):
    """Its derivative would be 0 everywhere, which nobody means who rounds for a table."""
    wrapped = hw.wrap(f)
    with pytest.raises((hw.MissingDerivative, jax.errors.JaxRuntimeError)) as refusal:
        jax.block_until_ready(along(wrapped)(1.37))
    assert "rounding to decimals" in f"{refusal.value} {hw.last_error()}"


@pytest.mark.parametrize(
    "f",
    [
        lambda x: [print(round(x, 3)), x * x][1],
        lambda x: x * x if np.round(x, 3) > 0 else x,
        lambda x: x * x + 0 * np.round(x),
    ],
)
def test_what_is_rounded_may_be_looked_at(f):
    np.testing.assert_allclose(jax.grad(hw.wrap(f))(1.37), 2.74)


@pytest.mark.parametrize("key", [5, -4, [0, 3]], ids=str)
def test_an_index_out_of_range_is_an_error_in_traced_code_too(key):
    def f(x):
        try:
            return x[key].sum()
        except IndexError:
            return x[0] * 3.0

    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((), float))(f)
    np.testing.assert_allclose(jax.grad(wrapped)(np.array([0.5, 2.0, 1.0])), [3.0, 0.0, 0.0])
