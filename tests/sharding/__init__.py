"""Host calls on eight forced CPU devices: construct x transformation x kind of function, each on its own.

`python -m tests.sharding FILE` runs the cases in a process with eight devices and writes what it found as JSON.
"""
