"""A progress bar over the elements of a batch, for host functions that take long. tqdm is an optional extra."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from hostwrap._errors import SignatureError

Bar = Callable[[Iterable, int], AbstractContextManager[Iterable]]


def no_bar(elements: Iterable, total: int) -> AbstractContextManager[Iterable]:
    """Nothing is shown."""
    return contextlib.nullcontext(elements)


def bar_of(name: str, progress: bool | str, looped: bool) -> Bar:
    """`bar(elements, total)`: a context in which to run through the elements; it closes the bar, also on an error."""
    if not progress:
        return no_bar
    if not isinstance(progress, bool | str):
        raise SignatureError(f"{name}: progress={progress!r} must be True, False or a label.")
    if not looped:
        raise SignatureError(
            f"{name}: progress= counts the calls of a loop on the host, and there is one only with "
            "vmap_method='sequential'."
        )
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ImportError as error:
        raise ImportError(f"{name}: progress= needs tqdm; pip install 'hostwrap[progress]'.") from error
    return functools.partial(_tqdm, tqdm, name if progress is True else progress)


def _tqdm(tqdm: Any, label: str, elements: Iterable, total: int) -> AbstractContextManager[Iterable]:
    return tqdm(elements, total=total, desc=label)
