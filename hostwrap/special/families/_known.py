"""A rule's last step."""

from hostwrap.special._math import isnan, where


def known(y, derivative):
    """The derivative, but NaN where the function is: a rule that leaves an argument out does not see its NaN."""
    return where(isnan(y), y, derivative)
