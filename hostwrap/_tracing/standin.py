"""Stand-ins for NumPy arrays: the user's code runs on them, and JAX records its operations.

The value of a `Stand` is a NumPy array as long as it is constant, and a JAX array once it is traced. So NumPy computes
all that does not depend on the arguments, once, and code may read it. A stand-in behaves like an array: code can assign
to it, its views write through to it, and a NumPy scalar is immutable.

The shape of a selection by a traced mask, `x[x > 0]`, is not known. Its stand-in keeps the shape of x, and the mask.
Places outside of the mask hold a number from inside, so that no NaN arises where the user's code computes nothing.
"""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.memory import Memory
from hostwrap._tracing.two_axes import Matrix, as_matrix, is_matrix_class
from hostwrap._tracing.values import (
    LOOKED,
    cast,
    has_traced,
    is_traced,
    raw,
    refuse_masked,
    views_of,
)


class Stand(Memory, NDArrayOperatorsMixin):
    """Stands for an array, or with `scalar` for a NumPy scalar.

    An argument without axes is `given`: `E = M; E -= 1` does not change M, as on the host (`HostFunction._once`).
    """

    __array_priority__ = 1e6

    def __init__(
        self, value: Any, scalar: bool = False, base: Stand | None = None, part: Callable | None = None,
        frozen: bool = False, mask: Any = None, given: bool = False, half: str | None = None,
    ) -> None:  # fmt: skip
        self._value, self.scalar, self.mask, self.given = value, scalar, mask, given
        self.base, self._part, self.frozen, self.half = base, part, frozen, half
        self._lent, self._of = False, None

    # ---- parts

    def __setitem__(self, key: Any, value: Any) -> None:
        mask = key.value if isinstance(key, Stand) and is_traced(key.value) and key.dtype == bool else None
        if mask is not None:
            if isinstance(value, Stand) and value.mask is not None:
                if value.mask is not mask:
                    raise Untraceable("numbers selected by one mask are assigned by another", LOOKED)
            elif np.ndim(raw(value)) and np.size(raw(value)) > 1:
                raise Untraceable("an array is assigned to places that depend on numbers", LOOKED)
            mask = mask.reshape(mask.shape + (1,) * (self.ndim - mask.ndim))
            value = stacked(value)
            value = value.value if isinstance(value, Stand) else raw(value)
            self.set(jnp.where(mask, cast(value, self.dtype), self.value))
            return
        refuse_masked(value)
        key, value = raw(key), raw(stacked(value))
        if (
            self.base is None
            and (is_traced(self.value) or is_traced(value) or is_traced(key))
            and not self.frozen
        ):
            self._value = jnp.asarray(self.value).at[key].set(cast(value, self.dtype))
        elif is_traced(key):
            self.set(jnp.asarray(self.value).at[key].set(cast(value, self.dtype)))
        else:
            self._view(key).set(value) if _is_basic(key) else self.set(
                _replaced(self.value, key, value, self.dtype)
            )

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Stand) and key.dtype == bool and is_traced(key.value):
            mask = key.value
            if self.mask is not None or key.shape != self.value.shape:
                raise Untraceable("a mask that depends on numbers selects rows of an array", LOOKED)
            inside = jnp.ravel(jnp.asarray(self.value))[jnp.argmax(jnp.ravel(mask))]
            return Stand(jnp.where(mask, self.value, inside), mask=mask)
        refuse_masked(self)
        key = raw(key)
        if is_traced(now := self._now()) and not has_traced(key) and not is_traced(key):
            np.broadcast_to(np.False_, now.shape)[key]  # raises IndexError, where JAX takes the last element
        if _is_basic(key):
            part = operator.itemgetter(key)
            value = part(self._now())
            if not isinstance(value, np.ndarray | jax.Array):
                return value  # a scalar
            whole = key is Ellipsis or (isinstance(key, tuple) and any(k is Ellipsis for k in key))
            return Stand(value, scalar=True) if value.ndim == 0 and not whole else self.view_by(part)
        value = self.value if not is_traced(key) else jnp.asarray(self.value)
        return box(value[key])

    def _view(self, key: Any) -> Stand:
        """The part at an index, as an array also where it is one number."""
        key = key if isinstance(key, tuple) else (key,)
        return self.view_by(operator.itemgetter(key if any(k is Ellipsis for k in key) else (*key, ...)))

    def __iter__(self) -> Iterator:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        refuse_masked(self)
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    __contains__ = lambda self, x: bool((self == x).any())

    # ---- the protocols of NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if (other := next((x for x in args if type(x) is Matrix), None)) is not None:
            return other.__array_ufunc__(ufunc, method, *args, **kwargs)
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return CALL[0](function, args, kwargs)

    def __array_function__(self, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
        return CALL[0](function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if is_traced(self.value):
            if dtype is None and is_called_by_name("__array__"):
                return self  # type: ignore[return-value]
            raise Untraceable("compiled code wants the numbers of an array that is traced", LOOKED)
        return np.array(self.value, dtype) if copy else np.asarray(self.value, dtype)

    @property
    def stands_for(self) -> type:
        """The class that `isinstance` sees."""
        return self.dtype.type if self.scalar else np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        refuse_masked(self)
        return tuple(self.value.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        """Set the shape in place. The array becomes a view of its old self; refused if it has views."""
        if views_of(self, "base"):
            raise Untraceable("`a.shape = ...` of an array that has views", "Use a.reshape(...)")
        whole = Stand(
            self._now(), base=self.base, part=self._part, frozen=self.frozen, mask=self.mask, half=self.half
        )
        whole._lent = self._lent
        self.base, self._part, self.half = whole, lambda z: z.reshape(raw(shape)), None
        self._value = self._part(whole.value)

    dtype = property(lambda self: np.dtype(self.value.dtype))
    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: int(np.prod(self.shape, dtype=int)))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    strides = property(lambda self: np.empty(self.shape, self.dtype).strides)
    flags = property(lambda self: np.empty(self.shape, self.dtype).flags)
    T = property(lambda self: self.view_by(lambda a: a.T))
    mT = property(lambda self: self.view_by(lambda a: a.swapaxes(-1, -2)))
    device, __array_namespace__ = "cpu", None  # SciPy writes into what has a namespace

    # ---- refusals, and what asks for numbers

    def _number(self, what: str) -> Any:
        if is_traced(self.value):
            raise Untraceable(f"{what} of a number that depends on the arguments", LOOKED)
        return self.value

    def __bool__(self) -> bool:
        return bool(self._number("a branch, or bool(),"))

    def __int__(self) -> int:
        return int(self._number("int()"))

    def __float__(self) -> float:
        return float(self._number("float()"))

    def __complex__(self) -> complex:
        return complex(self._number("complex()"))

    def __index__(self) -> int:
        return operator.index(self._number("an index, a length, or range()"))

    def __hash__(self) -> int:
        if not self.scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self._number("hash()").item())

    def __format__(self, spec: str) -> str:
        return format(
            "traced" if is_traced(self.value) else self.value, "" if is_traced(self.value) else spec
        )

    def __repr__(self) -> str:
        return f"array({format(self)})"

    def __round__(self, digits: int = 0) -> Any:
        return np.round(self, digits or 0)

    # ---- methods

    def item(self, *where: Any) -> Any:
        flat = self.reshape(-1)
        return flat[where[0] if where else 0] if len(where) < 2 else self[where]

    def tolist(self) -> Any:
        if not is_traced(self.value):
            return self.value.tolist()
        return [x.tolist() if x.ndim else x for x in self] if self.ndim else self

    def astype(
        self, dtype: Any, order: Any = "K", casting: Any = None, subok: bool = True, copy: bool = True
    ) -> Any:
        value, dtype = self.value, np.dtype(raw(dtype))
        if dtype == self.dtype and not copy:
            return self
        new = value.astype(dtype) if not is_traced(value) else cast(value, dtype)
        return Stand(new, scalar=self.scalar, mask=self.mask)

    def copy(self, order: Any = None) -> Stand:
        value = self.value
        return Stand(value if is_traced(value) else np.array(value), scalar=self.scalar, mask=self.mask)

    __copy__ = lambda self: self.copy()
    __deepcopy__ = copy

    fill = lambda self, value: self.__setitem__(..., value)

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        dtype = raw(dtype if dtype is not None else type)
        if is_matrix_class(dtype):
            return as_matrix(self.view_by(lambda a: a[...]))
        if dtype not in (None, np.ndarray) and np.dtype(dtype) != self.dtype:
            raise Untraceable("the bits of numbers are read as another type")
        return self.view_by(lambda a: a[...])

    def reshape(self, *shape: Any, order: str = "C", copy: Any = None) -> Stand:
        shape = raw(shape[0] if len(shape) == 1 else shape)
        shape = (
            tuple(map(operator.index, shape)) if isinstance(shape, tuple | list) else operator.index(shape)
        )
        return self.view_by(lambda a: a.reshape(shape, order=order))

    def ravel(self, order: str = "C") -> Stand:
        refuse_masked(self)
        return self.view_by(lambda a: a.reshape(-1, order="C" if order in "KA" else order))

    def flatten(self, order: str = "C") -> Stand:
        return self.ravel(order).copy()

    flat = property(
        lambda self: self.ravel(), lambda self, value: self.__setitem__(..., np.reshape(value, self.shape))
    )

    def transpose(self, *axes: Any) -> Stand:
        order: Any = axes[0] if len(axes) == 1 else axes or None
        return self.view_by(lambda a: a.transpose(order))

    def swapaxes(self, a: int, b: int) -> Stand:
        return self.view_by(lambda x: x.swapaxes(a, b))

    def squeeze(self, axis: Any = None) -> Stand:
        return self.view_by(lambda a: a.squeeze(axis))

    def sort(self, axis: int = -1, kind: Any = None) -> None:
        self[...] = np.sort(self, axis=axis)

    def partition(self, kth: Any, axis: int = -1, **_: Any) -> None:
        self[...] = np.partition(self, kth, axis)

    def _half(self, name: str) -> Stand:
        """The real or imaginary parts, as a view."""
        part = lambda z: getattr(z, name)
        if self.scalar or self.mask is not None:
            return Stand(part(self.value), scalar=self.scalar, mask=self.mask)
        return Stand(part(self.value), base=self, part=part, frozen=self.frozen, half=name)

    real = property(
        lambda self: self._half("real") if self.dtype.kind == "c" else self,
        lambda self, value: self.real.__setitem__(..., value),
    )
    imag = property(
        lambda self: self._half("imag") if self.dtype.kind == "c" else np.zeros(self.shape, self.dtype),
        lambda self, value: self.imag.__setitem__(..., value),
    )

    def __getattr__(self, name: str) -> Any:
        known = hasattr(np.ndarray, name)  # `ptp` is a method before NumPy 2
        if not known or name not in METHODS:
            if name.startswith("_") or not known:
                raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
            raise Untraceable(f"the method .{name} of an array has no twin in JAX")
        function = getattr(np, name)
        return lambda *args, **kwargs: CALL[0](function, (self, *args), kwargs)


Stand.__name__ = "traced array"  # in errors of C code, which name the class of what they got
METHODS = {
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "choose", "clip", "compress", "conj", "conjugate",
    "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ptp", "put", "repeat", "resize",
    "round", "searchsorted", "std", "sum", "take", "trace", "var",
}  # fmt: skip
for _name in (
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor",
):  # fmt: skip

    def _in_place(self: Stand, other: Any, _name: str = _name) -> Any:
        if self.scalar or self.given or self.mask is not None:  # a new object, as for numbers
            return getattr(operator, {"and": "and_", "or": "or_"}.get(_name[1:], _name[1:]))(self, other)
        return getattr(NDArrayOperatorsMixin, f"__{_name}__")(self, other)

    setattr(Stand, f"__{_name}__", _in_place)

CALL: list[Any] = []  # `calls` adds the function that NumPy's protocols call


# ---- make stand-ins


def box(x: Any) -> Any:
    """Replace the arrays in it by stand-ins; a JAX value without axes becomes a scalar."""
    if isinstance(x, np.ndarray):
        return Stand(x) if x.dtype.kind not in "OV" else x  # arrays of objects and of records
    if isinstance(x, jax.Array):
        return Stand(x, scalar=x.ndim == 0)
    if type(x) in (list, tuple):
        return type(x)(map(box, x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(box, x))
    return type(x)({key: box(value) for key, value in x.items()}) if isinstance(x, dict) else x


def is_called_by_name(name: str) -> bool:
    """Whether Python code says `x.name()` two frames up; C code, such as `np.asarray(x)`, has no frame."""
    frame = sys._getframe(2)
    before = [
        i
        for i in dis.get_instructions(frame.f_code)
        if i.offset < frame.f_lasti and i.opname not in _OF_CALLS
    ]
    return bool(before) and before[-1].opname in ("LOAD_ATTR", "LOAD_METHOD") and before[-1].argval == name


_OF_CALLS = ("CACHE", "CALL", "PRECALL", "PUSH_NULL")


def stacked(x: Any) -> Any:
    """The array that NumPy makes of a list, if something in it is traced."""
    if type(x) not in (list, tuple) or not has_traced(x):
        return x
    parts = [stacked(e) if has_traced(e) or type(e) not in (list, tuple) else np.asarray(raw(e)) for e in x]
    values = [jnp.asarray(raw(e)) for e in parts]
    shapes = {v.shape for v in values}
    if len(shapes) > 1:
        raise ValueError(f"setting an array element with a sequence: parts have the shapes {sorted(shapes)}")
    dtype = np.result_type(*(e.dtype if hasattr(e, "dtype") else type(e) for e in parts))
    return Stand(jnp.stack([cast(v, dtype) for v in values]))


def _is_basic(key: Any) -> bool:
    """Whether this index gives a view in NumPy."""
    parts = key if isinstance(key, tuple) else (key,)
    plain = (int, np.integer, slice, type(None), type(...))
    return all(isinstance(k, plain) and not isinstance(k, bool) for k in parts)


def _replaced(array: Any, key: Any, value: Any, dtype: Any) -> Any:
    if is_traced(array) or is_traced(value):
        return jnp.asarray(array).at[key].set(cast(value, dtype))
    copy = np.array(array)
    copy[key] = value
    return copy
