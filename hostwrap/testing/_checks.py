"""The comparisons that `testing.check` makes. Each function asks one question and answers in the report."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._rules.differences import slope
from hostwrap.testing._probe import COPIES, Probe, flat, narrow, replaced, reverse
from hostwrap.testing._report import Report

# ---- values


def values(report: Report, p: Probe) -> None:
    with report.attempt("shapes and types", "", _in_the_call):
        _types(report, "shapes and types", p.value(), jax.eval_shape(p.call, *p.leaves))
        _equal(report, "jit = eager", "", jax.jit(p.call)(*p.leaves), p.value())


def single_precision(report: Report, p: Probe) -> None:
    leaves = list(map(narrow, p.leaves))
    with report.attempt("float32: shapes and types", "", _in_the_call):
        eager = p.call(*leaves)
        _types(report, "float32: shapes and types", eager, jax.eval_shape(p.call, *leaves))
        _types(report, "float32: under jit", jax.jit(p.call)(*leaves), eager)


def _types(report: Report, check: str, got: Any, expected: Any) -> None:
    found, declared = (str(jax.tree.map(lambda x: f"{x.dtype}{[*x.shape]}", t)) for t in (got, expected))
    if found == declared:
        report.note(check, "", found.replace("'", ""))
    else:
        why = "a shape or dtype that does not follow from the arguments' alone"
        report.fail(check, "", f"got      {found}\nexpected {declared}\nlikely   {why}")


def _equal(report: Report, check: str, argument: str, got: Any, expected: Any) -> None:
    """Equal up to rounding, which the compiler and the order of sums may change."""
    got, expected = flat(got), flat(expected)
    if got.shape != expected.shape:
        raise ValueError(f"the result has {got.size} numbers instead of {expected.size}")
    numbers = np.where(np.isfinite(expected), np.abs(expected), 0.0)
    allowed = 1e-3 * report.rtol * (numbers + 1e-3 * np.max(numbers, initial=0.0))
    report.compare(check, argument, got, expected, allowed)


# ---- derivatives


@dataclasses.dataclass(frozen=True)
class Direction:
    """A direction in one argument, and the numerical derivative along it."""

    name: str
    step: np.ndarray
    slope: np.ndarray
    error: np.ndarray

    def __str__(self) -> str:
        return f"along    {np.array2string(self.step, precision=3, threshold=6)}"


def derivatives(report: Report, p: Probe, order: int, prefix: str = "") -> list[int]:
    """In every argument, to this order. Returns the arguments in which reverse mode works."""
    sound, usable = [], []
    for i in p.moving():
        works = [_derivative(report, p, i, prefix + way, step) for way, step in p.steps(i)]
        if all(reverse for _, reverse in works):
            sound.append(i)
        if all(forward or reverse for forward, reverse in works):
            usable.append(i)
    for i in usable if order > 1 else []:
        first = dataclasses.replace(
            p, call=jax.jit(p.slope_in(i, p.steps(i)[0][1]))
        )  # it is called many times
        derivatives(report, first, order - 1, f"{prefix}d/d{p.names[i]}, ")
    return sound


def _derivative(report: Report, p: Probe, i: int, way: str, step: np.ndarray) -> tuple[bool, bool]:
    """Forward mode against differences; reverse against forward, or against differences where there is no forward.

    Returns which of the two work; one that fails stops the other.
    """
    f, x = p.of([i]), p.leaves[i]
    direction = Direction(p.names[i], step, *slope(lambda t: flat(f(x + t * step))))
    failed = len(report.failures)
    with report.attempt(f"{way}derivative", direction.name, _in_forward):
        pushed, tangent = p.forward(i, step), None
        if pushed is None:
            report.note(f"{way}forward", direction.name, "none: there is a reverse rule only")
        else:
            value, tangent = pushed
            _beside(report, p, way, direction.name, value)
            allowed = report.rtol * np.abs(direction.slope) + 10 * direction.error
            check = f"{way}forward = differences"
            report.compare(check, direction.name, tangent, direction.slope, allowed, str(direction))
        reverse = _reverse(report, p, i, way, direction, tangent)
        return tangent is not None and len(report.failures) == failed, reverse
    return False, False


def _reverse(
    report: Report, p: Probe, i: int, way: str, along: Direction, tangent: np.ndarray | None
) -> bool:
    """<w, J t> = <J' w, t> for a random w."""
    check = f"{way}reverse = {'differences' if tangent is None else 'forward'}"
    with report.attempt(check, along.name, _in_reverse):
        weights = p.weights(p.value())
        w = flat(weights)
        value, (cotangent,) = jax.jit(p.with_gradient([i], weights))(*map(jnp.asarray, p.leaves))
        if tangent is None:
            _beside(report, p, way, along.name, flat(value))
        expected, error = (along.slope, along.error) if tangent is None else (tangent, 0.0)
        got = np.sum(np.asarray(cotangent) * along.step).real
        allowed = np.sum(report.rtol * np.abs(w * expected) + 10 * np.abs(w) * error)
        one = [np.atleast_1d(x) for x in (got, np.sum(w * expected).real, allowed)]
        report.compare(check, along.name, one[0], one[1], one[2], str(along))
        return True
    return False


def reverse_twice(report: Report, p: Probe, i: int) -> None:
    """The gradient of <J' w, t> in all arguments, beside that of <w, J t>: both are the same number."""
    name, (_, step) = p.names[i], p.steps(i)[0]
    with report.attempt(f"d/d{name}, reverse over reverse", name, _in_reverse):
        if p.forward(i, step) is None:
            report.note(
                f"d/d{name}, reverse over reverse", name, "none to compare with: there is a reverse rule only"
            )
            return
        weights, where = p.weights(p.value()), tuple(p.moving())

        def pulled(*leaves: Any) -> Any:
            return jnp.sum(reverse(p.of([i], leaves), leaves[i], weights) * step).real

        def pushed(*leaves: Any) -> Any:
            moved = jax.jvp(p.of([i], leaves), (jnp.asarray(leaves[i]),), (step,))[1]
            return sum(
                jnp.sum(w * t).real for w, t in zip(*map(jax.tree.leaves, (weights, moved)), strict=True)
            )

        given = [jnp.asarray(x) for x in p.leaves]
        twice, once = (jax.jit(jax.grad(f, where))(*given) for f in (pulled, pushed))
        for j, got, expected in zip(where, twice, once, strict=True):
            got, expected = flat(got), flat(expected)
            allowed = report.rtol * (np.abs(expected) + np.max(np.abs(expected), initial=0.0))
            words = "of the gradient: reverse over forward mode has another number"
            check = f"d/d{name}, reverse over reverse = reverse over forward"
            report.compare(check, p.names[j], got, expected, allowed, words)


def _beside(report: Report, p: Probe, way: str, argument: str, value: np.ndarray) -> None:
    """Many a rule returns a value of its own, which jax.value_and_grad then takes for the function's."""
    expected = flat(p.value())
    numbers = np.where(np.isfinite(expected), np.abs(expected), 0.0)
    allowed = report.rtol * (numbers + 1e-3 * np.max(numbers, initial=0.0))
    words = "beside   a derivative a rule returns the value too; here it is another one than the function's"
    report.compare(f"{way}value beside derivative", argument, value, expected, allowed, words)


# ---- batches


def batches(report: Report, p: Probe, sound: Sequence[int]) -> None:
    """vmap over each argument and over all, value and gradient, against a loop."""
    every = list(range(len(p.leaves)))
    both = jax.jit(p.with_gradient(sound, p.weights(p.value())))
    for where in [[i] for i in every] + [every] * (len(every) > 1):
        name = p.names[where[0]] if len(where) == 1 else "all arguments"
        stacks = replaced(p.leaves, where, [p.stack(i) for i in where])
        axes = tuple(0 if i in where else None for i in every)
        with report.attempt("vmap = loop", name, _in_batch):
            loop = [both(*replaced(stacks, where, [stacks[i][k] for i in where])) for k in range(COPIES)]
            got = jax.vmap(both, axes)(*stacks)
            _equal(report, "vmap = loop", name, got[0], _stacked([y for y, _ in loop]))
            _equal(report, "vmap of gradient = loop", name, got[1], _stacked([g for _, g in loop]))


def broadcasting(report: Report, p: Probe, sound: Sequence[int], cores: Sequence[int]) -> None:
    """A new axis in one argument alone: the gradients in the others are sums over it."""
    rank = max(x.ndim - core for x, core in zip(p.leaves, cores, strict=True))
    gradient = jax.jit(lambda leaves, weights: p.with_gradient(sound, weights)(*leaves))
    for i, x in enumerate(p.leaves):
        with report.attempt("broadcast = loop", p.names[i], _in_batch):
            between = (1,) * (rank - (x.ndim - cores[i]))
            _broadcast(report, p, gradient, sound, i, (COPIES, *between, *x.shape))


def _broadcast(
    report: Report, p: Probe, gradient: Callable, sound: Sequence[int], i: int, shape: tuple[int, ...]
) -> None:
    stack, weights = p.stack(i), p.weights(p.value(), (COPIES,))
    each = [jax.tree.map(lambda w, k=k: w[k], weights) for k in range(COPIES)]
    loop = [gradient(replaced(p.leaves, [i], [stack[k]]), each[k]) for k in range(COPIES)]
    got = gradient(replaced(p.leaves, [i], [stack.reshape(shape)]), weights)
    _equal(report, "broadcast = loop", p.names[i], got[0], _stacked([y for y, _ in loop]))
    for place, j in enumerate(sound):
        parts = np.stack([g[place] for _, g in loop])
        name = f"{p.names[j]} ({p.names[i]} an array)"
        expected = parts if j == i else parts.sum(0)
        _equal(report, "broadcast: gradient = loop", name, got[1][place], expected)


def _stacked(results: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *parts: np.stack(parts), *results)


# ---- what an exception in a check is likely to mean


def _in_the_call(error: Exception) -> str:
    return "the function itself: it must work on concrete arrays, under jit, and in both precisions"


def _in_forward(error: Exception) -> str:
    return "the rule cannot be evaluated at this point"


def _in_reverse(error: Exception) -> str:
    if "shape" in str(error):
        return "a missing un-broadcast: a cotangent has its argument's shape, so sum over the axes it was broadcast on"
    return (
        "forward mode only: the rule is not linear in the tangents for JAX, as when it calls the host on a tangent;\n"
        "         give partials, or compute with the tangents in JAX"
    )


def _in_batch(error: Exception) -> str:
    return 'the function does not treat batch axes as its vmap_method says; "sequential" is right for every function'
