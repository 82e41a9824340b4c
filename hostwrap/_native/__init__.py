"""The native lane's library: XLA itself calls C loops of NumPy's ufuncs, or Python functions by key.

Optional: it is compiled when hostwrap is installed. A function, or a rule with all its derivatives, is recorded as a
list of loops (`_tape`, `_loops`) and registered as a program (`_assembly`); what is not made of loops alone is a
Python function, found by its key (`_calls`). What XLA compiles holds keys, never an address.
"""

from hostwrap import _lanes
from hostwrap._native import _library

_problem = _library.problem()
if _problem:
    _lanes.close("native", _problem)
