"""Argument checks for functions that are composed of others; entries of the catalogue have the same checks."""

import functools
import inspect

import jax.numpy as jnp

from hostwrap._call.dtypes import check_number
from hostwrap._errors import more_than_numbers


def of_numbers(function):
    """Raise for a value from which JAX would silently drop something: a mask, or a unit."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*args, **kwargs):
        for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
            if more_than_numbers(value):
                check_number(function.__name__, name, value)
        return function(*args, **kwargs)

    return checked


def inexact(x):
    """Convert integers to the default float."""
    return jnp.asarray(x, jnp.result_type(x, float))
