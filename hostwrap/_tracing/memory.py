"""The memory of a stand-in: an array that its views write through to, and that JAX may hold, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.values import Held, cast, is_traced


class Memory(Held):
    """An array; with `base` a view of another one, which `part` makes."""

    _value: Any
    base: Any
    _part: Callable[[Any], Any] | None
    frozen: bool
    half: str | None
    _lent: bool  # whether JAX may hold the memory
    _of: Any  # the array of the base from which the value was made

    @property
    def value(self) -> Any:
        """A NumPy array, or a JAX array. JAX may hold it: a write copies it first."""
        self._root()._lent = True
        return self._now()

    def _now(self) -> Any:
        """The same, for callers that do not keep it."""
        if self.base is not None and (whole := self.base._now()) is not self._of:
            self._value, self._of = self._part(whole), whole  # type: ignore[misc]
        return self._value

    def _root(self) -> Any:
        """The memory that this is a view of."""
        root = self
        while root.base is not None:
            root = root.base
        return root

    def own(self: Any) -> np.ndarray:
        """A NumPy array to write to, which shares no memory with JAX."""
        root = self._root()
        if root._lent:
            root._value, root._lent = root._value.copy(order="K"), False
        value = self._now()
        if value.size and not np.may_share_memory(value, root._value):
            raise Untraceable("a view of an array of another order is written to", "Write to the array")
        return value

    def _numbers(self: Any) -> np.ndarray:
        """For each element, its index in the flat array of which this is a view."""
        if self.base is None or self.half is not None:
            return np.arange(self.size).reshape(self.shape)
        return self._part(self.base._numbers())  # type: ignore[misc]

    def view_by(self: Any, part: Callable) -> Any:
        """A part, or all of it in another shape, as a view; a copy where NumPy makes a copy."""
        value = part(self._now())
        if isinstance(value, np.ndarray):
            shares = np.may_share_memory(value, self._now())
        else:
            numbers = self._numbers()
            shares = np.may_share_memory(part(numbers), numbers)
        same = type(self)
        return same(value, base=self, part=part, frozen=self.frozen) if shares else same(value)

    def set(self: Any, value: Any) -> None:
        """Assign all elements, also in the array of which this is a view."""
        if self.frozen:
            raise Untraceable(
                "an array is written to that the function did not make", "Write to a copy of it"
            )
        if not is_traced(value) and not is_traced(self._now()):
            self.own()[...] = value
            return
        value, root = jnp.broadcast_to(cast(value, self.dtype), self.shape), self
        while root.base is not None and root.half is None:
            root = root.base
        if root is not self:
            flat = jnp.ravel(jnp.asarray(root.value)).at[self._numbers()].set(value.astype(root.dtype))
            value = flat.reshape(root.shape)
        if root.half is None:
            root._value = value
        else:  # real or imaginary parts
            other = (jnp.imag if root.half == "real" else jnp.real)(root.base.value)  # type: ignore[union-attr]
            root.base.set(jax.lax.complex(*((value, other) if root.half == "real" else (other, value))))  # type: ignore[union-attr]
