"""`numpy.matrix` of traced or recorded numbers, such as sums of SciPy's sparse matrices. It always has two axes.

NumPy cannot make a matrix of a stand-in. So this class has the rules of `numpy.matrix`: `*` is the matrix product, sums
along an axis and rows keep two axes, and results are matrices again. It refuses everything else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.values import Held, raw

_WAY_OUT = (
    "numpy.matrix is not followed here: use np.asarray(m), or sparse arrays such as scipy.sparse.csr_array"
)


def refuse(what: str) -> Any:
    raise Untraceable(f"{what} of a numpy.matrix", _WAY_OUT)


def is_matrix_class(kind: Any) -> bool:
    """Whether it is `numpy.matrix`, or a copy of that class."""
    return isinstance(kind, type) and issubclass(kind, np.ndarray) and kind.__name__ == "matrix"


def as_matrix(x: Any) -> Matrix:
    """The matrix of a stand-in."""
    x = x.A if isinstance(x, Matrix) else x
    if len(x.shape) > 2:
        raise ValueError("shape too large to be a matrix.")
    return Matrix(x if len(x.shape) == 2 else x.reshape((1, -1)))


class Matrix(Held):
    """Replaces a `numpy.matrix`: `A` is the array, a stand-in with two axes."""

    __array_priority__ = 1e7  # the operators of arrays leave it to this one
    stands_for = np.matrix
    mask = None

    def __init__(self, array: Any) -> None:
        self.A = array

    value = property(lambda self: self.A.value)
    A1 = property(lambda self: self.A.reshape(-1))
    T = property(lambda self: Matrix(self.A.T))
    H = property(lambda self: Matrix(self.A.conj().T))
    I = property(lambda self: _inverse(self))
    shape = property(lambda self: self.A.shape)
    size = property(lambda self: self.A.size)
    dtype = property(lambda self: self.A.dtype)
    ndim = 2

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        plain = key.A if isinstance(key, Matrix) else key
        found = self.A[plain]
        if not np.ndim(found):
            return found
        if np.ndim(found) > 2:
            return refuse("more than two axes")
        column = isinstance(key, tuple) and len(key) > 1 and np.ndim(key[1]) == 0 and key[1] is not None
        column = column and not isinstance(key[1], slice) and key[1] is not Ellipsis
        if np.ndim(found) == 1:
            found = found.reshape((-1, 1) if column else (1, -1))
        return Matrix(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.A[key] = _array(value)

    # ---- methods

    def _folded(name: str) -> Callable:  # type: ignore[misc]
        def fold(self: Matrix, axis: Any = None, dtype: Any = None, out: Any = None, **more: Any) -> Any:
            if axis is None:
                found = getattr(self.A, name)(**more)
            elif axis == ():
                found = Matrix(self.A.copy())
            else:
                found = Matrix(getattr(self.A, name)(axis=axis, keepdims=True, **more))
            if dtype is not None:
                found = found.astype(dtype)
            if out is None:
                return found
            out[...] = _array(found)
            return out

        return fold

    sum, mean, std, var, max, min, prod = map(_folded, ("sum", "mean", "std", "var", "max", "min", "prod"))

    def reshape(self, *shape: Any, **options: Any) -> Matrix:
        return as_matrix(self.A.reshape(*shape, **options))

    def ravel(self, order: str = "C") -> Matrix:
        return as_matrix(self.A.ravel(order))

    flatten = ravel

    def transpose(self, *axes: Any) -> Matrix:
        return Matrix(self.A.transpose(*axes))

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        dtype = raw(dtype if dtype is not None else type)
        return self if is_matrix_class(dtype) else self.A.view(dtype)

    def squeeze(self, axis: Any = None) -> Matrix:
        return as_matrix(self.A.squeeze(axis))

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Matrix:
        return Matrix(self.A.astype(dtype))

    def copy(self, *_: Any) -> Matrix:
        return Matrix(self.A.copy())

    def dot(self, other: Any) -> Any:
        return self @ other

    def item(self, *where: Any) -> Any:
        return self.A.item(*where)

    def tolist(self) -> Any:
        return self.A.tolist()

    def getA(self) -> Any:
        return self.A

    def getA1(self) -> Any:
        return self.A1

    # ---- operators

    def _product(self, left: Any, right: Any) -> Any:
        return as_matrix(_array(left) @ _array(right))

    def __matmul__(self, other: Any) -> Any:
        return NotImplemented if hasattr(other, "tocoo") else self._product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return NotImplemented if hasattr(other, "tocoo") else self._product(other, self)

    def __mul__(self, other: Any) -> Any:
        if hasattr(other, "tocoo"):
            return NotImplemented
        return self._product(self, _two_axes(other)) if np.ndim(_array(other)) else Matrix(self.A * other)

    def __rmul__(self, other: Any) -> Any:
        if hasattr(other, "tocoo"):
            return NotImplemented
        return self._product(_two_axes(other), self) if np.ndim(_array(other)) else Matrix(other * self.A)

    def _elementwise(name: str) -> tuple[Callable, Callable]:  # type: ignore[misc]
        perform = getattr(operator, name)

        def forward(self: Matrix, other: Any) -> Any:
            return NotImplemented if hasattr(other, "tocoo") else as_matrix(perform(self.A, _array(other)))

        def backward(self: Matrix, other: Any) -> Any:
            return NotImplemented if hasattr(other, "tocoo") else as_matrix(perform(_array(other), self.A))

        return forward, backward

    __add__, __radd__ = _elementwise("add")
    __sub__, __rsub__ = _elementwise("sub")
    __truediv__, __rtruediv__ = _elementwise("truediv")

    def __neg__(self) -> Matrix:
        return Matrix(-self.A)

    def __abs__(self) -> Matrix:
        return Matrix(abs(self.A))

    def __pow__(self, n: Any) -> Matrix:
        return Matrix(np.linalg.matrix_power(self.A, operator.index(n)))

    def _refused(name: str) -> Callable:  # type: ignore[misc]
        return lambda self, *_: refuse(name)

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(_refused, ["a comparison"] * 6)  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        return float(self.A.reshape(-1)[0]) if self.size == 1 else refuse("float()")

    def __array__(self, *_: Any, **__: Any) -> Any:
        return refuse("the numbers, which C code asks for,")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.matrix, name):
            raise AttributeError(f"'numpy.matrix' object has no attribute {name!r}")
        return refuse(f".{name}")

    # ---- the protocols of NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **options: Any) -> Any:
        """Refuse `array * matrix`: it is a matrix product, which cannot be told from an elementwise one here."""
        if method != "__call__" or ufunc in (np.multiply, np.power):
            return refuse(f"numpy.{ufunc.__name__}")
        return of_function(ufunc, args, options)

    def __array_function__(self, function: Callable, types: Any, args: tuple, options: dict) -> Any:
        return of_function(function, args, options)


def _inverse(x: Matrix) -> Matrix:
    return Matrix((np.linalg.inv if x.shape[0] == x.shape[1] else np.linalg.pinv)(x.A))


def _array(x: Any) -> Any:
    return x.A if isinstance(x, Matrix) else x


def _two_axes(x: Any) -> Any:
    """An operand of `*` as NumPy makes a matrix of it."""
    x = _array(x)
    x = np.asarray(x) if isinstance(x, list | tuple) else x
    return x if np.ndim(x) == 2 else x.reshape((1, -1))


def holds_matrix(args: Any) -> bool:
    return any(type(x) is Matrix for x in args)


_METHODS = frozenset(
    ("sum", "mean", "std", "var", "max", "amax", "min", "amin", "prod", "squeeze", "transpose", "copy")
)


_AGAIN = frozenset(("inv", "pinv", "solve", "cholesky"))  # of a matrix they make one
_OF_LINALG = frozenset(f for f in (*_AGAIN, "det", "norm", "eigvals", "eigvalsh", "matrix_rank"))


def of_function(function: Any, args: tuple, options: dict) -> Any:
    """A NumPy function of a matrix."""
    name, first = getattr(function, "__name__", ""), args[0]
    if name in _OF_LINALG and not options:
        found = function(*map(_array, args))
        return as_matrix(found) if type(args[-1]) is Matrix and name in _AGAIN else found
    if isinstance(function, np.ufunc):
        return as_matrix(function(*map(_array, args))) if not options else refuse(f"numpy.{name}")
    if type(first) is not Matrix:
        return refuse(f"numpy.{name}")
    if name in ("asanyarray", "atleast_2d"):
        return first
    if name == "isscalar":
        return False
    if name in ("asarray", "ascontiguousarray", "array", "asarray_chkfinite"):
        return _plain(first, name == "array", *args[1:], **options)
    if name == "ravel":
        return first.A.ravel(*args[1:], **options)
    if name in ("shape", "ndim", "size") and len(args) == 1:
        return getattr(first, name)
    if name in _METHODS:
        return getattr(first, name.removeprefix("a"))(*args[1:], **options)
    return refuse(f"numpy.{name}")


def _plain(x: Matrix, copied: bool, dtype: Any = None, copy: Any = None, **_: Any) -> Any:
    if dtype is not None and np.dtype(dtype) != x.dtype:
        return x.A.astype(dtype)
    return x.A.copy() if copied and copy in (None, True) else x.A
