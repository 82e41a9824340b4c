"""Arguments as a key: a digest of their content. No JAX here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from hostwrap._errors import SignatureError


def digest_of(function: str, arguments: Mapping[str, Any]) -> bytes:
    """Equal for equal types, shapes and bytes, and for no others (as far as BLAKE2b tells)."""
    digest = hashlib.blake2b(digest_size=32)
    for name, value in arguments.items():
        _feed(digest, function, name, value)
    return digest.digest()


def _feed(digest: Any, function: str, name: str, value: Any) -> None:
    """The content of an argument, with what tells it from others: type, shape, length."""
    if (
        isinstance(value, np.ndarray | np.generic)
        and value.dtype.kind in "biufcSUV"
        and not value.dtype.hasobject
    ):
        array = np.asarray(value)
        digest.update(repr(("array", array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    elif isinstance(value, tuple | list):
        digest.update(repr((type(value).__name__, len(value))).encode())
        for i, part in enumerate(value):
            _feed(digest, function, f"{name}[{i}]", part)
    elif isinstance(value, Mapping):
        digest.update(repr(("mapping", len(value))).encode())
        for key, part in value.items():
            _feed(digest, function, f"{name}'s key", key)
            _feed(digest, function, f"{name}[{key!r}]", part)
    elif value is None or isinstance(value, bool | int | float | complex | str | bytes):
        text = repr(value).encode()
        digest.update(repr((type(value).__name__, len(text))).encode() + text)
    else:
        raise SignatureError(
            f"{function}: `{name}` is a {type(value).__name__}, whose content cannot be compared; pass NumPy arrays, "
            "numbers, strings, or tuples, lists and mappings of them (of a sparse matrix its data, indices and indptr)."
        )
