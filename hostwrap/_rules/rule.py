"""The base class of derivative rules, how a rule is attached, and the rules in JAX.

A host call looks up its rule when JAX differentiates it. So a rule also serves programs that JAX traced before you
attached the rule, and a traced program does not keep the wrapped function alive. `Rule.attach` has three forms:

* by jvp: the function is a `host_call`, which calls the jvp of the rule. Most rules are of this kind.
* by vjp: the host call is inside a `jax.custom_vjp`.
* by form: the function is a multilinear form, whose derivatives and transposes are forms (see `form`, `products`).

(The partials of an elementwise function go into a table, see `hostwrap._table`.) A rule does not see the batch axes
of a signature, nor the lane of the host call. It computes only what JAX needs: the tangent of an unperturbed argument
is None.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from hostwrap._call.arguments import Statics, as_dict
from hostwrap._call.dtypes import Counts, check_real, counts
from hostwrap._call.spec import Call, Spec, as_tuple
from hostwrap._errors import ADD_ONE, RuleError, SignatureError, check_array, missing_derivative
from hostwrap._lanes.primitive import along, mapped, over_batch
from hostwrap._table.partials import Unknown, discrete, evaluate, in_jax, inexact
from hostwrap._table.table import with_partials

Attached = Callable[[Call, Sequence[Any]], Any]


class Derivation:
    """The current rule of a function, and whether JAX has used it already."""

    def __init__(self, spec: Spec, rule: Rule) -> None:
        self.spec, self.rule, self.taken = spec, rule, False
        self.function = functools.lru_cache(maxsize=256)(self._function)

    def attach(self, rule: Rule) -> None:
        """Attach the rule, also for programs that JAX traced before; JAX traces programs with a derivative anew."""
        if self.taken:
            jax.clear_caches()
        self.rule = rule
        self.function.cache_clear()

    def call(self, statics: Statics, leaves: Sequence[Any], declared: Call) -> Any:
        """Make the declared call, with the derivatives of the rule."""
        return self.function(statics)(declared, leaves)

    def _function(self, statics: Statics) -> Attached:
        return self.rule.attach(Function(self, statics))


@dataclasses.dataclass(frozen=True)
class Function:
    """The function with fixed statics, as a rule sees it: a differentiable function of its arrays."""

    derivation: Derivation
    statics: Statics

    @property
    def spec(self) -> Spec:
        return self.derivation.spec

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def names(self) -> tuple[str, ...]:
        return self.spec.names

    @property
    def keywords(self) -> dict[str, Any]:
        return as_dict(self.statics)

    def __call__(self, *values: Any) -> Any:
        declared = self.spec.declare(values, self.statics)
        return self.derivation.call(self.statics, jax.tree.leaves(values), declared)

    def traced(self, declared: Call, leaves: Sequence[Any]) -> Any:
        """The host call, whose derivative is the jvp of the rule."""
        return declared.traced(leaves, Forward(self, declared, tuple(x.ndim for x in leaves), counts(leaves)))


@dataclasses.dataclass(frozen=True)
class Forward:
    """The derivative of a host call: the jvp of the rule at the time of differentiation."""

    f: Function
    declared: Call
    ranks: tuple[int, ...]
    counts: Counts

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        derivation, layout = self.f.derivation, self.declared.layout
        derivation.taken = True
        if not derivation.rule.by_jvp(self.f):  # traced before the rule was attached
            answers, moved = along(self._as_attached, primals, tangents)
            return list(answers), _of_inexact(answers, moved)
        cores, batch = layout.in_core, layout.batch(x.shape for x in primals)
        ranks = cores
        if derivation.spec.elementwise and derivation.rule.whole and not derivation.spec.kind:
            # vmap adds its axes in front of those of the call
            own, ranks = len(self.declared.batch), self.ranks
            cores, batch = (own,) * len(primals), batch[: len(batch) - own]
        return over_batch(functools.partial(self._on_core, ranks), cores, batch, primals, tangents)

    def _as_attached(self, *leaves: Any) -> list:
        """The function with its current rule. (JAX takes no jvp of a `custom_vjp` inside of a vmap.)"""
        layout, tree, out_tree = self.declared.layout, self.declared.tree, self.declared.out_tree
        on_core = lambda *core: out_tree.flatten_up_to(self.f(*jax.tree.unflatten(tree, core)))
        if self.f.spec.elementwise:
            return on_core(*leaves)
        return mapped(on_core, leaves, layout.in_core, layout.batch(x.shape for x in leaves))

    def _on_core(self, ranks: Sequence[int], leaves: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        leaves, tangents = (list(map(_with_rank, row, ranks)) for row in (leaves, tangents))
        primals = jax.tree.unflatten(self.declared.tree, self.counts.among(leaves))
        result = self.f.derivation.rule.jvp(self.f, primals, tangents)
        answers, moved = map(self.declared.out_tree.flatten_up_to, result)
        return list(map(jnp.asarray, answers)), _of_inexact(answers, moved)


def _of_inexact(answers: Sequence[Any], tangents: Sequence[Any]) -> list:
    """The tangents, with None for integers."""
    return [t if _is_inexact(y) else None for y, t in zip(answers, tangents, strict=True)]


def _with_rank(x: Any, rank: int) -> Any:
    """Remove the leading axes of size 1 that lined the array up with other operands."""
    return x if x is None or x.ndim <= rank else jnp.squeeze(x, tuple(range(x.ndim - rank)))


class Rule:
    """Base of all rules. A rule that is attached by jvp defines `jvp`, others define `attach`."""

    effectful = False  # whether a function with side effects may have this rule
    whole = False  # whether the rule sees whole arrays of an elementwise function, not single elements
    given: Mapping[str, Any] = {}  # partials, or reasons why there is none, by argument

    def attach(self, f: Function) -> Attached:
        """A function of a declared call and its leaves, with the derivatives of this rule."""
        return f.traced

    def by_jvp(self, f: Function) -> bool:
        """Whether `jvp` gives the derivative of this function; else the attached function has its own."""
        return type(self).attach is Rule.attach

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        """(answer, its tangent) at core arrays; `tangents` has one entry for each leaf, None for a constant."""
        raise NotImplementedError

    def check(self, function: str, names: Sequence[str], values: Sequence[Any]) -> None:
        """Raise if an argument declared discrete is not an integer."""
        for name, value in zip(names, values, strict=True):
            if self.given.get(name) is discrete:
                for dtype in map(jnp.result_type, jax.tree.leaves(value)):
                    if jnp.issubdtype(dtype, jnp.inexact):
                        raise SignatureError(f"{function}: `{name}` is discrete: pass integers, not {dtype}.")

    def refuse(self, function: str, argument: str) -> None:
        """Raise if the argument was declared as `hw.unknown` or `hw.discrete`."""
        if isinstance(self.given.get(argument), Unknown):
            raise missing_derivative(function, argument, self.given[argument].why)


class NoRule(Rule):
    """No rule is attached: every derivative raises, with the advice how to add a rule."""

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        owners = [name for name, x in zip(f.names, primals, strict=True) for _ in jax.tree.leaves(x)]
        with_effects = "side effects and no derivative rule; add one with defpartials, defjvp or defvjp"
        why = f"it has {with_effects if f.spec.kind else f'no derivative rule; {ADD_ONE}'}"
        raise missing_derivative(f.name, owners[perturbed(tangents)[0]], why)


# ---- rules in JAX


class Jvp(Rule):
    """`rule(primals, tangents) -> (answer, tangent of the answer)`, as for `jax.custom_jvp`."""

    effectful = whole = True

    def __init__(self, rule: Callable) -> None:
        self.rule = rule

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        given = tuple(primals), by_argument(primals, tangents)
        result = in_jax(f.name, "the jvp rule", self.rule, *given, **f.keywords)
        answer, tangent = pair(f.name, "the jvp rule", "tangent", result)
        answer = fit(f.name, "answer of the jvp rule", jax.eval_shape(f, *primals), answer)
        return answer, fit(f.name, "jvp rule's tangent", answer, tangent)


class Partials(Rule):
    """`rules[argument](answer, *arguments)` is the partial derivative of an elementwise function.

    Of a function with core axes it is the Jacobian, shaped `core of the result + core of the argument`.
    """

    effectful = True

    def __init__(self, names: Sequence[str], rules: Mapping[str, Callable | Unknown]) -> None:
        self.given = {n: rules.get(n, Unknown("no partial derivative was given for it")) for n in names}

    def attach(self, f: Function) -> Attached:
        if self.by_jvp(f):
            return f.traced
        function = with_partials(f.spec, self.given, f.statics)
        attached: Any = lambda declared, leaves: function(*jax.tree.unflatten(declared.tree, leaves))
        attached.table = function.table  # type: ignore[attr-defined]
        return attached

    def by_jvp(self, f: Function) -> bool:
        return not f.spec.elementwise or bool(f.spec.kind)  # all others have a table

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        answer = f(*primals)
        total = jax.tree.map(jnp.zeros_like, answer)
        for name, x, t in zip(f.names, primals, by_argument(primals, tangents), strict=True):
            if t is None:
                continue
            what = f"{f.name}: the partial with respect to `{name}`"
            if not hasattr(x, "shape"):
                came = f"`{name}` is a pytree ({jax.tree.structure(x)})"
                raise RuleError(f"{f.name}: {came}, and partials are for arrays; use defjvp.")
            jacobian = evaluate(f.name, name, self.given[name], answer, *primals, **f.keywords)
            trees: Any = jax.tree.structure(total), jax.tree.structure(jacobian)
            if trees[0] != trees[1]:
                raise RuleError(
                    f"{what} must have the result's structure, {trees[0]}; the rule returned {trees[1]}."
                )
            total = jax.tree.map(functools.partial(_contracted, what, x, t), total, jacobian)
        return answer, total


def _contracted(what: str, x: Any, tangent: Any, total: Any, jacobian: Any) -> Any:
    """Add Jacobian times tangent, summed over the axes of the argument."""
    jacobian = jnp.asarray(inexact(what, jacobian, total))
    if jacobian.shape != total.shape + x.shape:
        raise RuleError(
            f"{what} must have the result's shape followed by the argument's, {total.shape} + {x.shape}; the rule "
            f"returned {jacobian.shape}."
        )
    explicit = any(jax.typeof(tangent).sharding.spec)  # an explicit mesh
    sharding = jax.typeof(total).sharding if explicit else None
    return (total + product(jacobian, tangent, out_sharding=sharding)).astype(total.dtype)


def product(jacobian: Any, tangent: Any, **options: Any) -> Any:
    """Jacobian times tangent, in one dtype: the transpose of a product of two dtypes warns in JAX 0.8."""
    tangent = tangent.astype(jnp.result_type(jacobian, tangent))
    return jnp.tensordot(jacobian, tangent, axes=tangent.ndim, **options)


class Vjp(Rule):
    """`fwd(*args) -> (answer, residuals)`, `bwd(residuals, cotangent) -> a cotangent for each argument`.

    None is a missing derivative, not a zero: it is allowed only for an argument in which nobody differentiates.
    """

    effectful = whole = True

    def __init__(self, fwd: Callable, bwd: Callable) -> None:
        self.fwd, self.bwd = fwd, bwd

    def attach(self, f: Function) -> Attached:
        def forward(*traced: Any) -> Any:
            # with symbolic zeros the leaves are (value, perturbed)
            is_leaf = lambda x: hasattr(x, "perturbed")
            args = jax.tree.map(lambda leaf: leaf.value, traced, is_leaf=is_leaf)
            leaves = [jax.tree.leaves(x, is_leaf=is_leaf) for x in traced]
            # flags as pytrees without leaves, which JAX passes through
            flags = [() if any(leaf.perturbed for leaf in row) else None for row in leaves]
            result = pair(f.name, "fwd", "residuals", in_jax(f.name, "fwd", self.fwd, *args, **f.keywords))
            answer = fit(f.name, "answer of fwd", jax.eval_shape(value, *args), result[0])
            return answer, (result[1], args, flags)

        def backward(residuals: Any, cotangent: Any) -> tuple:
            kept, args, flags = residuals
            is_zero = lambda x: isinstance(x, SymbolicZero)
            cotangent = jax.tree.map(lambda t: zeros_of(t) if is_zero(t) else t, cotangent, is_leaf=is_zero)
            cotangents = in_jax(f.name, "bwd", self.bwd, kept, cotangent, **f.keywords)
            cotangents = each(f.name, f.names, "bwd", "cotangent", cotangents)
            rows = zip(f.names, args, cotangents, flags, strict=True)
            return tuple(self._cotangent(f.name, *row) for row in rows)

        def value(*values: Any) -> Any:
            return f.traced(f.spec.declare(values, f.statics), jax.tree.leaves(values))

        def attached(declared: Call, leaves: Sequence[Any]) -> Any:
            if f.spec.elementwise:  # JAX un-broadcasts the cotangents
                return custom(*jax.tree.unflatten(declared.tree, jnp.broadcast_arrays(*leaves)))
            function = lambda *core: custom(*jax.tree.unflatten(declared.tree, core))
            return mapped(function, tuple(leaves), declared.layout.in_core, declared.batch)

        custom = jax.custom_vjp(value)
        custom.defvjp(forward, backward, symbolic_zeros=True)
        return attached

    def _cotangent(self, function: str, name: str, x: Any, cotangent: Any, perturbed: Any) -> Any:
        why = "bwd returned None for it (a derivative that is zero is jnp.zeros_like)"
        if isinstance(cotangent, Unknown):
            cotangent, why = None, cotangent.why
        if cotangent is not None:
            return fit(function, f"cotangent of `{name}`", x, cotangent)
        if perturbed is not None:
            raise missing_derivative(function, name, why)
        return None


# ---- arguments and results of rules


def perturbed(tangents: Sequence[Any]) -> list[int]:
    """The numbers of the leaves with a tangent."""
    return [i for i, t in enumerate(tangents) if t is not None]


def by_argument(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
    """One tangent per argument: None if no leaf of it is perturbed, else with zeros for the other leaves."""
    rest = iter(tangents)

    def one(argument: Any) -> Any:
        leaves, tree = jax.tree.flatten(argument)
        own = [next(rest) for _ in leaves]
        full = (zeros_of(x) if t is None else t for x, t in zip(leaves, own, strict=True))
        return jax.tree.unflatten(tree, full) if perturbed(own) else None

    return tuple(map(one, primals))


def zeros_of(x: Any) -> Any:
    """A tangent of zeros; for integers of dtype float0, as in JAX."""
    if x.dtype == jax.dtypes.float0 or not jnp.issubdtype(x.dtype, jnp.inexact):
        return np.zeros(x.shape, jax.dtypes.float0)
    return jnp.zeros(x.shape, x.dtype)


def each(function: str, names: Sequence[str], rule: str, kind: str, value: Any) -> Sequence[Any]:
    """Raise unless the rule returned one item for each argument."""
    if not isinstance(value, tuple | list) or len(value) != len(names):
        wanted = f"a tuple with a {kind} (or None) for each of {', '.join(names)}"
        raise RuleError(f"{function}: {rule} must return {wanted}; got {came(value)}.")
    return value


def came(value: Any) -> str:
    """What a rule returned in place of a tuple of a certain length."""
    return f"{len(value)} of them" if isinstance(value, tuple | list) else type(value).__name__


def pair(function: str, rule: str, second: str, result: Any) -> tuple:
    """Raise unless the result is a tuple of two."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuleError(f"{function}: {rule} must return (answer, {second}), got {type(result).__name__}.")
    return result


def fit(function: str, what: str, like: Any, value: Any) -> Any:
    """Check that `value` has the structure, shapes and dtypes of `like`; None stands for integers."""
    expected: Any
    found: Any
    none = lambda x: x is None
    ys, expected = jax.tree.flatten(like, is_leaf=none)
    if value is None and expected.num_leaves != 1:
        value = jax.tree.unflatten(expected, [None] * expected.num_leaves)
    ts, found = jax.tree.flatten(as_tuple(value, expected), is_leaf=none)
    if found != expected:
        raise RuleError(f"{function}: the {what} has structure {found}, expected {expected}.")

    def leaf(y: Any, t: Any) -> Any:
        if t is None and (y is None or not (what.startswith("answer") or _is_inexact(y))):
            return y if y is None else jnp.zeros_like(y)
        if t is None:
            raise RuleError(f"{function}: the {what} is None; one that is zero is jnp.zeros_like(..).")
        check_array(f"{function}: the {what}", t)
        check_real(f"{function}: the {what}", t, y)
        if jnp.shape(t) != jnp.shape(y):
            raise RuleError(f"{function}: the {what} has shape {jnp.shape(t)}, expected {jnp.shape(y)}.")
        return jnp.asarray(t, y.dtype) if _is_inexact(y) else t

    return jax.tree.unflatten(expected, [leaf(y, t) for y, t in zip(ys, ts, strict=True)])


def _is_inexact(value: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(value), jnp.inexact))
