"""`scipy.signal.windows`: windows, differentiable in their parameters, by SciPy's own code.

>>> import jax
>>> import hostwrap as hw
>>> print(jax.grad(lambda beta: hw.signal.windows.kaiser(8, beta)[2])(3.0).round(6))
-0.079169
"""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import elsewhere

if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, ())
