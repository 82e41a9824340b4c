"""The native lane's library: XLA itself calls C loops of NumPy's ufuncs, or Python functions by key.

Optional: it is compiled when hostwrap is installed. A function, or a rule with all its derivatives, is recorded as a
list of loops (`tape`, `loops`) and registered as a `program`; what is not made of loops alone is a Python function,
found by its key (`calls`). What XLA compiles holds keys, never an address.
"""
