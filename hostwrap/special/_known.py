"""NaN in derivatives where the function itself is NaN."""

from hostwrap.special._math import iscomplexobj, isinf, isnan, nan, where

NO_PHASE = 1e16


def known(y, derivative):
    """The derivative, but NaN where the function is NaN: a rule that does not use an argument misses its NaN."""
    return where(isnan(y), y, derivative)


def all_known(y, derivatives):
    """`known` for each of several results."""
    return tuple(known(value, derivative) for value, derivative in zip(y, derivatives, strict=True))


def with_phase(z, slope):
    """The derivative of a Bessel function, but NaN for real z beyond 1e16: SciPy's values have no phase there.

    Above 1e18 SciPy's values are equal for all orders of one kind, so a recurrence would give 0. The NaN enters as a
    factor, so that further derivatives are NaN, too.
    """
    return slope if iscomplexobj(z) else slope * where((abs(z) > NO_PHASE) & ~isinf(z), nan, 1.0)
