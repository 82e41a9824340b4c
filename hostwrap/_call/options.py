"""The options of `wrap` and `linear`, and their checks. `wrap` explains each option."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypedDict

import jax
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._host.function import LOOPED, VMAP_METHODS, Bar, HostOptions

_KNOWN = {
    "vmap_method": (None, *VMAP_METHODS), "on_error": ("raise", "nan"), "derivatives": ("auto", "unchecked", "rules"),
}  # fmt: skip
VmapMethod = Literal["broadcast_all", "sequential", "sequential_unrolled", "expand_dims", "legacy_vectorized"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options(HostOptions):
    """The options of a wrapped function. `Spec.of` chooses what suits it for `vmap_method` and `widen` of None."""

    signature: str | None = None
    out: Any = None
    static: str | Sequence[str] = ()
    vmap_method: str | None = None  # type: ignore[assignment]
    dtype: Any = None
    widen: bool | None = None  # type: ignore[assignment]
    ordered: bool = False
    progress: bool | str = False
    numerical: bool | Mapping[str, Any] = False
    derivatives: str | Mapping[str, Any] = "auto"

    @property
    def kind(self) -> str | None:
        """The kind of side effect: io, ordered io, debug; None for a pure function."""
        return "ordered io" if self.ordered else self.effect

    def on_host(self, **instead: Any) -> HostOptions:
        """Those that act on the host. One thread at a time calls a function with side effects."""
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(HostOptions)}
        return HostOptions(**own | {"thread_safe": self.thread_safe and self.kind is None} | instead)

    def bar(self, name: str) -> dict[str, Bar]:
        """The bar that shows the progress of a loop on the host, if one is asked for; by tqdm, which is an extra."""
        if not self.progress:
            return {}
        if not isinstance(self.progress, bool | str):
            raise SignatureError(f"{name}: progress={self.progress!r} must be True, False or a label.")
        if (self.vmap_method or LOOPED[0]) not in LOOPED:
            why = (
                "counts the calls of a loop on the host, and there is one only with vmap_method='sequential'."
            )
            raise SignatureError(f"{name}: progress= {why}")
        try:
            tqdm = importlib.import_module("tqdm").tqdm
        except ImportError as error:
            raise ImportError(f"{name}: progress= needs tqdm; pip install tqdm.") from error
        label = name if self.progress is True else self.progress
        return {"bar": lambda elements, total: tqdm(elements, total=total, desc=label)}

    def check(self, name: str) -> None:
        """Raise for invalid values, and for options that contradict each other."""
        if self.out is not None and (self.signature is not None or self.dtype is not None):
            raise SignatureError(
                f"{name}: out= declares shapes and dtypes; give no signature or dtype with it."
            )
        for option, known in _KNOWN.items():
            value = getattr(self, option)
            if value not in known and not (option == "derivatives" and isinstance(value, Mapping)):
                words = ", ".join(filter(None, known))
                raise SignatureError(f"{name}: {option}={value!r} must be one of {words}.")
        for option in ("widen", "thread_safe", "copy", "allow_jax", "ordered"):
            value = getattr(self, option)
            if not isinstance(value, bool | np.bool_) and not (option == "widen" and value is None):
                raise SignatureError(f"{name}: {option}={value!r} must be True or False.")
        if not isinstance(self.static, Collection) or not all(isinstance(n, str) for n in self.static):
            raise SignatureError(f"{name}: static={self.static!r} must name arguments, as in static=('n',).")
        for one in self.dtype if isinstance(self.dtype, tuple | list) else [self.dtype]:
            try:
                jax.numpy.dtype(one)
            except TypeError:
                raise SignatureError(
                    f"{name}: dtype={one!r} is no dtype; write float, complex, int or bool (in the arguments' "
                    "precision), or a dtype such as numpy.float64; a tuple of them for several results."
                ) from None
        if self.effect not in (None, "io", "debug"):
            words = "must be one of io, debug; leave it out for a pure function"
            raise SignatureError(f"{name}: effect={self.effect!r} {words}.")
        if self.ordered and self.effect != "io":
            raise SignatureError(f"{name}: ordered=True is for effect='io'.")


class OptionsDict(TypedDict, total=False):
    """`Options` for type checkers and editors, which cannot derive this from a dataclass; a test compares the two."""

    signature: str | None
    out: Any
    static: str | Sequence[str]
    vmap_method: VmapMethod | None
    dtype: Any
    widen: bool | None
    thread_safe: bool
    copy: bool
    allow_jax: bool
    on_error: Literal["raise", "nan"]
    effect: Literal["io", "debug"] | None
    ordered: bool
    progress: bool | str
    numerical: bool | Mapping[str, Any]
    derivatives: Literal["auto", "unchecked", "rules"] | Mapping[str, Any]


def refuse_unknown(options: Mapping[str, Any]) -> None:
    """Raise for an unknown option; the error lists the known ones."""
    known = OptionsDict.__annotations__
    if unknown := ", ".join(sorted(set(options) - set(known))):
        raise SignatureError(f"wrap: there is no option {unknown}; the options are {', '.join(known)}.")


def spelled_out(function: Callable) -> inspect.Signature:
    """The signature of a decorator with `**options`, with all options by name."""
    written = inspect.signature(function)
    own = [p for p in written.parameters.values() if p.kind is not p.VAR_KEYWORD]
    fields = {f.name: f for f in dataclasses.fields(Options) if f.name not in written.parameters}
    named = [fields[n] for n in OptionsDict.__annotations__ if n in fields]
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(f.name, kind, default=f.default, annotation=f.type) for f in named]
    return written.replace(parameters=[*own, *more])
