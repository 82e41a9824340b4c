"""A progress bar for a function that the host calls in a loop."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterable

from hostwrap._errors import SignatureError

Bar = Callable[[Iterable, int], contextlib.AbstractContextManager[Iterable]]
no_bar: Bar = lambda elements, total: contextlib.nullcontext(elements)


def bar_of(name: str, progress: bool | str, looped: bool) -> Bar:
    """A context, `bar(elements, total)`, in which to run through the elements; tqdm, which shows a bar, is an extra."""
    if not progress:
        return no_bar
    if not isinstance(progress, bool | str):
        raise SignatureError(f"{name}: progress={progress!r} must be True, False or a label.")
    if not looped:
        why = "counts the calls of a loop on the host, and there is one only with vmap_method='sequential'."
        raise SignatureError(f"{name}: progress= {why}")
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ImportError as error:
        raise ImportError(f"{name}: progress= needs tqdm; pip install tqdm.") from error
    label = name if progress is True else progress
    return lambda elements, total: tqdm(elements, total=total, desc=label)
