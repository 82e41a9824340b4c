"""A host function as XLA's threads run it: in its own floating-point environment, with errors of ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import HostwrapError, MissingDerivative, host_failure
from hostwrap._host import fenv
from hostwrap._lanes.primitive import Host, guarded

_last_error: list[HostwrapError] = []


def last_error() -> HostwrapError | None:
    """The last error of a host function inside a compiled program, or None.

    XLA turns exceptions into text. This is the exception itself: `last_error().__cause__` is what the host
    function raised, with its traceback.
    """
    return _last_error[-1] if _last_error else None


def runner(
    host: Host, bound: Callable[[Sequence[np.ndarray]], list], outs: Sequence[Any]
) -> Callable[..., list]:
    def careful(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        for array in arrays:  # the runtime hands over private copies, but flags them read-only
            if array.flags.owndata:
                array.flags.writeable = True
        with np.errstate(all="ignore"):
            return guarded(host, bound, arrays)

    call = bound if host.trusted else careful

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        try:
            return fenv.call(call, arrays)
        except BaseException as error:
            failure = error
            if not isinstance(failure, HostwrapError):
                failure = host_failure(host.name, error, host.argnames, arrays)
            _last_error[:] = [failure]
            # a derivative that a rule turns out not to have is no number, whatever else may be one
            lenient = host.on_error == "nan" and not isinstance(error, MissingDerivative)
            if lenient and isinstance(error, Exception):
                return [np.full(o.shape, np.nan if o.dtype.kind in "fc" else 0, o.dtype) for o in outs]
            raise failure from failure.__cause__

    return run
