"""Functions that are made of others look at their arguments themselves, as an entry does."""

import functools
import inspect

import jax.numpy as jnp

from hostwrap._call.dtypes import check_number
from hostwrap._errors import more_than_numbers


def of_numbers(function):
    """Refuse what JAX would turn into numbers by leaving something out: a mask, a unit."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*args, **kwargs):
        for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
            if more_than_numbers(value):
                check_number(function.__name__, name, value)
        return function(*args, **kwargs)

    return checked


def inexact(x):
    """Integers as the default float."""
    return jnp.asarray(x, jnp.result_type(x, float))
