"""The methods that attach a derivative rule to a wrapped function: one kind, once, before the first call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self

from hostwrap._elementwise.partials import Unknown
from hostwrap._errors import RuleError
from hostwrap._rules.base import NoRule, Rule, check_arity
from hostwrap._rules.implicit import Implicit
from hostwrap._rules.jvp import Jvp
from hostwrap._rules.partials import Partials
from hostwrap._rules.vjp import Vjp


class Definable:
    """A function that a derivative rule can be attached to."""

    __name__: str
    _names: tuple[str, ...]
    _statics: tuple[str, ...]
    _signature: inspect.Signature
    _spec: Any
    _rule: Rule = NoRule()
    _used = False
    _kind: str | None = None

    def defpartials(self, *in_order: Any, **partials: Any) -> Self:
        """Give partial derivatives: `f.defpartials(x=lambda ans, x, y: ..., y=hw.unknown("why"))`.

        Without names they are those of the first, the second, ... argument.

        A partial takes the answer and all arguments (statics by keyword). Of an elementwise function it is the
        plain derivative, which hostwrap multiplies, sums and un-broadcasts, forward and reverse, to any order; of
        a function with core axes it is the Jacobian, shaped as the result followed by the argument. Arguments
        without one raise MissingDerivative when asked. For several results a partial is a tuple.
        """
        unknown_names = sorted(set(partials) - set(self._names))
        if unknown_names:
            raise RuleError(
                f"{self.__name__}: partials given for {unknown_names}; the arguments are {list(self._names)}."
            )
        if any(p.kind is p.VAR_POSITIONAL for p in self._signature.parameters.values()):
            raise RuleError(
                f"{self.__name__}{self._signature}: partials belong to named arguments; use defjvp."
            )
        partials = self._named(in_order, partials)
        for name, rule in partials.items():
            if not isinstance(rule, Unknown):
                self._check_arity(f"the partial with respect to `{name}`", rule, ("ans", *self._names))
        self._attach(Partials(self._names, partials))
        return self

    def _named(self, in_order: Sequence[Any], partials: dict[str, Any]) -> dict[str, Any]:
        named = dict(zip(self._names, in_order, strict=False))
        if len(in_order) > len(self._names) or named.keys() & partials:
            raise RuleError(
                f"{self.__name__}: {len(in_order)} partials in order and {sorted(partials)} by name; the arguments are "
                f"{list(self._names)}, and each takes one."
            )
        return {**named, **partials}

    def defjvp(self, rule: Callable) -> Callable:
        """Give a forward rule, as for jax.custom_jvp: `rule(primals, tangents) -> (answer, tangent)`.

        The tangent of an argument that nobody differentiates is None. Statics come by keyword. Reverse mode
        works if the rule is linear in the tangents for JAX (no host call on a tangent).
        """
        self._check_arity("the jvp rule", rule, ("primals", "tangents"))
        self._attach(Jvp(rule))
        return rule

    def defvjp(self, fwd: Callable, bwd: Callable) -> None:
        """Give a reverse rule, as for jax.custom_vjp: `fwd(*args) -> (answer, residuals)` and
        `bwd(residuals, cotangent) -> a tuple of cotangents`, None (or `unknown(why)`) for an argument without one.
        Statics come by keyword. Forward mode is not possible with such a rule.
        """
        self._check_arity("fwd", fwd, self._names)
        self._check_arity("bwd", bwd, ("residuals", "cotangent"))
        self._attach(Vjp(fwd, bwd))

    def defimplicit(
        self,
        residual: Callable,
        *,
        solve: Callable | None = None,
        transpose_solve: Callable | None = None,
        symmetric: bool = False,
        rtol: float = 1e-3,
        atol: float = 1e-11,
    ) -> Callable:
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
        self._check_arity("the residual", residual, ("answer", *self._names))
        rule = Implicit(residual, solve, transpose_solve, symmetric, rtol, atol, self._spec.on_error)
        rule.check_options(self.__name__)
        self._attach(rule)
        return residual

    def _attach(self, rule: Any) -> None:
        if not isinstance(self._rule, NoRule):
            raise RuleError(f"{self.__name__} has a derivative rule already; attach one kind, once.")
        if self._used:
            raise RuleError(
                f"{self.__name__} was called before its rule was attached, and compiled programs may hold it "
                "without one; attach the rule right after the definition."
            )
        if self._kind == "debug":
            raise RuleError(
                f"{self.__name__}: a debug function returns nothing; there is nothing to differentiate."
            )
        if self._kind and not rule.effectful:
            raise RuleError(
                f"{self.__name__} has side effects, and this kind of rule is for pure functions; use defpartials, "
                "defjvp or defvjp."
            )
        self._rule = rule

    def _check_arity(self, what: str, rule: Callable, positional: Sequence[str]) -> None:
        check_arity(self.__name__, what, rule, positional, self._statics)
