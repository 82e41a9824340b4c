"""The `def...` methods, which attach a derivative rule to a wrapped function, and the record of their arguments."""

from __future__ import annotations

import copyreg
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeVar, cast

from hostwrap._call.spec import Spec
from hostwrap._errors import RuleError
from hostwrap._host.origins import imported
from hostwrap._rules.form import TANGENT
from hostwrap._rules.implicit import Implicit
from hostwrap._rules.ladder import Jacobians
from hostwrap._rules.onhost import NumpyRule, check_arity, check_options
from hostwrap._rules.products import Linear, Products, slot_of_one
from hostwrap._rules.rule import Derivation, Jvp, NoRule, Partials, Rule, Vjp
from hostwrap._table.partials import Unknown

F = TypeVar("F", bound=Callable[..., Any])


def remembered(method: F) -> F:
    """A method that attaches a rule; its arguments are kept in the `_rules_given` of the function, for pickling."""

    @functools.wraps(method)
    def define(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        self._rules_given = (*self._rules_given, (method.__name__, args, kwargs))
        return result

    return cast(F, define)


class Definable:
    """A function that a derivative rule can be attached to; each `def...` method returns the function itself.

    It is pickled by its name, as functions are; by cloudpickle by value, where that pickles functions by value: in
    `__main__`, which is another module in another process, and where there is no name. So what was said of it is kept.
    """

    __name__: str
    _spec: Spec
    _derivation: Derivation
    _function: Any
    _options: dict[str, Any]
    _rules_given: tuple[tuple[str, tuple, dict], ...] = ()

    @remembered
    def defpartials(self, *in_order: Any, **partials: Any) -> Self:
        """Give partial derivatives: `f.defpartials(x=lambda ans, x, y: ..., y=hw.unknown("why"))`.

        Without names they are those of the first, the second, ... argument.

        A partial takes the answer and all arguments (statics by keyword). Of an elementwise function it is the
        plain derivative, which hostwrap multiplies, sums and un-broadcasts, forward and reverse, to any order; of
        a function with core axes it is the Jacobian, shaped as the result followed by the argument. Arguments
        without one raise MissingDerivative when asked. For several results a partial is a tuple.
        """
        names, signature = self._spec.names, self._spec.parameters.signature
        known = f"the arguments are {list(names)}"
        if unknown_names := sorted(set(partials) - set(names)):
            raise RuleError(f"{self.__name__}: partials given for {unknown_names}; {known}.")
        if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
            raise RuleError(f"{self.__name__}{signature}: partials belong to named arguments; use defjvp.")
        named = dict(zip(names, in_order, strict=False))
        if len(in_order) > len(names) or named.keys() & partials:
            given = f"{len(in_order)} partials in order and {sorted(partials)} by name"
            raise RuleError(f"{self.__name__}: {given}; {known}, and each takes one.")
        partials = {**named, **partials}
        for name, rule in partials.items():
            if not isinstance(rule, Unknown):
                self._check_arity(f"the partial with respect to `{name}`", rule, ("ans", *names))
        self._attach(Partials(names, partials))
        return self

    @remembered
    def defjvp(self, rule: Callable) -> Self:
        """Give a forward rule, as for jax.custom_jvp: `rule(primals, tangents) -> (answer, tangent)`.

        The tangent of an argument that nobody differentiates is None. Statics come by keyword. Reverse mode
        works if the rule is linear in the tangents for JAX (no host call on a tangent).
        """
        self._check_arity("the jvp rule", rule, ("primals", "tangents"))
        self._attach(Jvp(rule))
        return self

    @remembered
    def defvjp(self, fwd: Callable, bwd: Callable | None = None) -> Self:
        """Give a reverse rule, as for jax.custom_vjp: `fwd(*args) -> (answer, residuals)` and
        `bwd(residuals, cotangent) -> a tuple of cotangents`, None (or `unknown(why)`) for an argument without one.
        Statics come by keyword. Forward mode is not possible with such a rule.
        """
        if bwd is None:
            raise RuleError(
                f"{self.__name__}: defvjp wants two functions, fwd(*args) -> (answer, residuals) and bwd(residuals, "
                "cotangent) -> cotangents."
            )
        self._check_arity("fwd", fwd, self._spec.names)
        self._check_arity("bwd", bwd, ("residuals", "cotangent"))
        self._attach(Vjp(fwd, bwd))
        return self

    @remembered
    def defimplicit(
        self, residual: Callable | None = None, *,
        solve: Callable | None = None, transpose_solve: Callable | None = None, symmetric: bool = False,
        rtol: float = 1e-3, atol: float = 1e-11,
    ) -> Self:  # fmt: skip
        """Say which equation the function solves: `residual(answer, *args) = 0`; derivatives follow from it.

        The residual is a JAX function (or one that hostwrap made), like the answer in structure, shape and type,
        with None for integers; statics come by keyword. Forward and reverse mode, to any order.

        Args:
            solve: `solve(matvec, b)` returns x with `matvec(x) = b`, where matvec is the derivative of the residual
                in the answer; by default the system is made dense. As for jax.lax.custom_linear_solve, as are
            transpose_solve: the same for the transposed system, which reverse mode needs;
            symmetric: the system is symmetric (the residual is a gradient), and solve serves for both.
            rtol, atol: the answer is a root if a Newton step from it is at most `atol + rtol * scale`, else to
                differentiate it is a ResultError. rtol=math.inf asks for no check.

        Where the system is singular, derivatives are inf or NaN.
        """
        if residual is None:
            raise RuleError(
                f"{self.__name__}: defimplicit wants a function, residual(answer, *args), which is zero at the answer."
            )
        self._check_arity("the residual", residual, ("answer", *self._spec.names))
        options = solve, transpose_solve, symmetric, rtol, atol, self._spec.options.on_error
        self._attach(Implicit(self.__name__, residual, *options))
        return self

    @remembered
    def defhost(
        self, *, jvp: Callable | None = None, vjp: Callable | None = None, hvp: Callable | None = None,
        vmap_method: str | None = None, **excluded: Any,
    ) -> Self:  # fmt: skip
        """Give derivatives as NumPy functions, without a Jacobian: what a solver or a simulator has.

        `jvp(primals, tangents)` returns the tangent of the answer; the tangent of an argument that nobody
        differentiates is None. `vjp(primals, cotangent)` returns a tuple with a cotangent for each argument (None for
        one that is not needed), without conjugation, as jax.vjp does. `hvp(primals, tangents, cotangent)` returns the
        derivative of that tuple along the tangents: the Hessian of `sum(cotangent * f)` times the tangents.

        Each gets NumPy arrays (pytrees, where the arguments are), without the batch axes unless `vmap_method` says
        otherwise, and statics by keyword. A rule that has a parameter `ans` gets the answer, one that has `needed`
        a tuple of flags: in which arguments somebody differentiates.

        Args:
            jvp: forward mode.
            vjp: reverse mode. One of them is enough; the other mode is then MissingDerivative.
            hvp: second derivatives in all modes.
            vmap_method: what the rules see of batch axes; by default what the function sees.
            excluded: `x=hw.unknown("why")` for an argument without a derivative, `n=hw.discrete`.
        """
        check_options(self.__name__, self._spec.names, vmap_method, excluded)
        if jvp is None and vjp is None:
            raise RuleError(f"{self.__name__}: defhost wants jvp=, vjp= or both.")
        rows = [("jvp", jvp, "primals tangents"), ("vjp", vjp, "primals cotangent")]
        rows += [("hvp", hvp, "primals tangents cotangent")]
        rules = {k: self._numpy_rule(f"the {k} rule", r, a.split()) for k, r, a in rows if r is not None}
        self._attach(Products(rules, vmap_method, excluded))
        return self

    @remembered
    def defjacobian(
        self, rule: Callable, *, hessian: Callable | None = None, vmap_method: str | None = None, **excluded: Any,
    ) -> Self:  # fmt: skip
        """Give the whole Jacobian, computed in NumPy: `rule(*args)` returns one for each argument.

        The Jacobian with respect to an argument has the shape of the result followed by that of the argument (with
        pytrees: the result's structure, with the argument's in each leaf, as jax.jacobian has it). Of a function of one
        argument the rule returns the Jacobian itself, of several a tuple, None for one that is not needed.

        Args:
            rule: called with the arguments as the function itself; `ans`, `needed` and statics as in `defhost`.
            hessian: `hessian(*args)` returns the Jacobian of the Jacobian, shaped result + argument + argument: for
                several arguments a tuple of tuples. Without it second derivatives are MissingDerivative.
            vmap_method: what the rules see of batch axes; by default what the function sees.
            excluded: as in `defhost`.
        """
        self._attach_jacobian("the Jacobian", rule, hessian, False, vmap_method, excluded)
        return self

    @remembered
    def defvalue_and_grad(
        self, rule: Callable, *, hessian: Callable | None = None, vmap_method: str | None = None, **excluded: Any,
    ) -> Self:  # fmt: skip
        """Give value and derivatives in one call: `rule(*args)` returns `(value, gradients)`.

        The gradients are Jacobians as in `defjacobian`. jax.value_and_grad, jax.jvp and jax.jacobian then call the
        host once; the value alone is computed by the function itself.

        Args:
            rule, hessian, vmap_method, excluded: as in `defjacobian`.
        """
        self._attach_jacobian("the value_and_grad rule", rule, hessian, True, vmap_method, excluded)
        return self

    @remembered
    def _deflinear(self, what: str, transpose: Any) -> None:
        if isinstance(transpose, Mapping):
            self._attach(Linear(self._transposes(what, transpose)))
        else:
            rule = self._numpy_rule(what, transpose, ("cotangent",))
            self._attach(Linear({TANGENT: rule}, conjugated=what == "the adjoint"))

    def _transposes(self, what: str, given: Mapping[str, Any]) -> dict[str, NumpyRule]:
        names = self._spec.names
        strangers = sorted(set(given) - set(names))
        if strangers or not given or what != "the transpose":
            raise RuleError(
                f"{self.__name__}: linear in each argument is transpose={{argument: rule}} with one for some of "
                f"{', '.join(names)}; got {what} of {', '.join(strangers or given) or 'none'}."
            )
        positional = ("cotangent", *names)
        rule = lambda name: self._numpy_rule(f"the transpose in `{name}`", given[name], positional)
        return {slot_of_one(name): rule(name) for name in given}

    def _attach_jacobian(
        self, what: str, rule: Any, hessian: Any, with_value: bool, vmap_method: str | None, excluded: dict
    ) -> None:
        check_options(self.__name__, self._spec.names, vmap_method, excluded)
        second = None if hessian is None else self._numpy_rule("the hessian", hessian, self._spec.names)
        first = self._numpy_rule(what, rule, self._spec.names)
        self._attach(Jacobians(first, second, with_value, vmap_method, excluded))

    def _numpy_rule(self, what: str, rule: Any, positional: Sequence[str]) -> NumpyRule:
        return NumpyRule.of(self.__name__, what, rule, positional, self._spec.parameters.statics)

    def _attach(self, rule: Rule) -> None:
        if not isinstance(self._derivation.rule, NoRule):
            raise RuleError(
                f"{self.__name__} has a derivative rule already, which compiled programs may hold; attach one kind, "
                "once. For another rule wrap the function again: in a notebook, run its definition again."
            )
        if self._spec.kind == "debug":
            raise RuleError(
                f"{self.__name__}: a debug function returns nothing; there is nothing to differentiate."
            )
        if self._spec.kind and not rule.effectful:
            why = "has side effects, and this kind of rule is for pure functions"
            raise RuleError(f"{self.__name__} {why}; use defpartials, defjvp or defvjp.")
        self._derivation.attach(rule)

    def _check_arity(self, what: str, rule: Callable, positional: Sequence[str]) -> None:
        check_arity(self.__name__, what, rule, positional, self._spec.parameters.statics)

    # ---- in another process it is made again of what was said

    def __reduce__(self) -> Any:
        module, name = (str(vars(self).get(n)) for n in ("__module__", "__qualname__"))
        if imported(module, name) is self and not (module == "__main__" and _is_cloudpickle_at_work()):
            return name
        # empty at first: the function may refer to itself
        return copyreg.__newobj__, (type(self),), (self._function, self._options, self._rules_given)  # type: ignore[attr-defined]

    def __setstate__(self, state: Any) -> None:
        function, options, rules = state
        type(self).__init__(self, function, **options)  # type: ignore[call-arg]
        for method, args, kwargs in rules:
            getattr(self, method)(*args, **kwargs)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def _is_cloudpickle_at_work() -> bool:
    """Whether cloudpickle, or a copy of it in joblib, dask or ray, is what pickles: only its frame tells."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in ("pickle", "copyreg"):
        frame = frame.f_back
    return frame is not None and "cloudpickle" in str(frame.f_globals.get("__name__"))
