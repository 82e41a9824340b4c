"""The methods that attach a derivative rule which runs on the host, in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from hostwrap._errors import RuleError
from hostwrap._rules.define import Definable
from hostwrap._rules.host import Host
from hostwrap._rules.hostside import Excluded, HostRule, Owner, check_method, host_rule
from hostwrap._rules.jacobian import Jacobian
from hostwrap._rules.linear import Linear


class DefinableOnHost(Definable):
    """A function that a rule on the host can be attached to."""

    _spec: Any

    def defhost(
        self,
        *,
        jvp: Callable | None = None,
        vjp: Callable | None = None,
        hvp: Callable | None = None,
        vmap_method: str | None = None,
        **excluded: Any,
    ) -> Self:
        """Give derivatives as NumPy functions, without a Jacobian: what a solver or a simulator has.

        `jvp(primals, tangents)` returns the tangent of the answer; the tangent of an argument that nobody
        differentiates is None. `vjp(primals, cotangent)` returns a tuple with a cotangent for each argument (None for
        one that is not needed), without conjugation, as jax.vjp does. `hvp(primals, tangents, cotangent)` returns the
        derivative of that tuple along the tangents: the Hessian of `sum(cotangent * f)` times the tangents.

        Each gets NumPy arrays (pytrees, where the arguments are), without the batch axes unless `vmap_method` says
        otherwise, and statics by keyword. A rule that has a parameter `ans` gets the answer, one that has `needed`
        a tuple of flags: in which arguments somebody differentiates.

        Args:
            jvp: forward mode. vjp: reverse mode. One of them is enough; the other mode is then MissingDerivative.
            hvp: second derivatives in all modes.
            vmap_method: what the rules see of batch axes; by default what the function sees.
            excluded: `x=hw.unknown("why")` for an argument without a derivative, `n=hw.discrete`.
        """
        if jvp is None and vjp is None:
            raise RuleError(f"{self.__name__}: defhost wants jvp=, vjp= or both.")
        check_method(self.__name__, vmap_method)
        given = {"jvp": jvp, "vjp": vjp, "hvp": hvp}
        rules = {
            k: self._host_rule(f"the {k} rule", v, _CALLED[k]) for k, v in given.items() if v is not None
        }
        self._attach(Host(self._owner(vmap_method), rules, Excluded(self.__name__, self._names, excluded)))
        return self

    def defjacobian(
        self,
        rule: Callable,
        *,
        hessian: Callable | None = None,
        vmap_method: str | None = None,
        **excluded: Any,
    ) -> Callable:
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
        self._attach(self._jacobian("the Jacobian", rule, hessian, vmap_method, excluded, with_value=False))
        return rule

    def defvalue_and_grad(
        self,
        rule: Callable,
        *,
        hessian: Callable | None = None,
        vmap_method: str | None = None,
        **excluded: Any,
    ) -> Callable:
        """Give value and derivatives in one call: `rule(*args)` returns `(value, gradients)`.

        The gradients are Jacobians as in `defjacobian`. jax.value_and_grad, jax.jvp and jax.jacobian then call the
        host once; the value alone is computed by the function itself.

        Args:
            rule, hessian, vmap_method, excluded: as in `defjacobian`.
        """
        what = "the value_and_grad rule"
        self._attach(self._jacobian(what, rule, hessian, vmap_method, excluded, with_value=True))
        return rule

    def _deflinear(self, what: str, transpose: Any) -> None:
        rule = self._host_rule(what, transpose, ("cotangent",))
        self._attach(Linear(self._owner(None), rule, conjugated=what == "the adjoint"))

    def _jacobian(
        self, what: str, rule: Any, hessian: Any, vmap_method: str | None, excluded: dict, with_value: bool
    ) -> Jacobian:
        check_method(self.__name__, vmap_method)
        second = None if hessian is None else self._host_rule("the hessian", hessian, self._names)
        first = self._host_rule(what, rule, self._names)
        outside = Excluded(self.__name__, self._names, excluded)
        return Jacobian(self._owner(vmap_method), first, second, outside, with_value)

    def _host_rule(self, what: str, rule: Any, positional: Sequence[str]) -> HostRule:
        return host_rule(self.__name__, what, rule, positional, self._statics)

    def _owner(self, vmap_method: str | None) -> Owner:
        spec = self._spec
        own = spec.vmap_method
        return Owner(self.__name__, self._names, spec.declare, spec.hosted, own, vmap_method or own)


_CALLED = {
    "jvp": ("primals", "tangents"),
    "vjp": ("primals", "cotangent"),
    "hvp": ("primals", "tangents", "cotangent"),
}
