"""Initial value problems of complex numbers, as systems of real ones: the real parts, then the imaginary ones.

The right-hand side need not be holomorphic. SciPy solves the complex problem itself, because its estimates of errors
are those of complex numbers; the equations of derivatives are real.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def joined(z: Any) -> Any:
    """The complex numbers of a row of such parts, or of columns of them."""
    n = len(z) // 2
    return z[:n] + 1j * z[n:]


def parts(y: Any) -> Any:
    """The other way."""
    xp = jnp if isinstance(y, jax.Array) else np
    return xp.concatenate([xp.real(y), xp.imag(y)])


def by_scipy(whole: Callable) -> Callable:
    """`Integrator.whole` of the parts: the answer is that of SciPy for the complex numbers."""

    def integrate(f: Callable, start: Any, times: Any, derivatives: bool) -> Any:
        if derivatives:
            return whole(f, start, times, derivatives)
        return parts(whole(lambda t, y: joined(f(t, parts(y))), joined(start), times, derivatives))

    return integrate
