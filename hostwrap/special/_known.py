"""A rule's last step."""

from hostwrap.special._math import iscomplexobj, isinf, isnan, nan, where

NO_PHASE = 1e16


def known(y, derivative):
    """The derivative, but NaN where the function is: a rule that leaves an argument out does not see its NaN."""
    return where(isnan(y), y, derivative)


def all_known(y, derivatives):
    """The same for each of several results."""
    return tuple(known(value, derivative) for value, derivative in zip(y, derivatives, strict=True))


def with_phase(z, slope):
    """The derivative of a Bessel function, but NaN for real z beyond 1e16: SciPy's values have no phase there.

    Above 1e18 they are the same for all orders of one kind, and a recurrence would be 0. NaN is a factor, so that
    further derivatives are NaN too.
    """
    return slope if iscomplexobj(z) else slope * where((abs(z) > NO_PHASE) & ~isinf(z), nan, 1.0)
