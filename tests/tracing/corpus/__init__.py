"""Functions that others wrote in NumPy and SciPy, differentiated without a rule.

    python -m tests.tracing.corpus [--only TEXT ...] [--accept]

A row is a function and numbers to call it with. Its derivatives are compared with differences of the function itself.
What comes of each row stands in outcomes.csv: by tracing, by tape, or refused and why. Wrong is none.
"""
