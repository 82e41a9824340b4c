"""`make fuzz`: bad and odd input, drawn by hypothesis.

    python -m tests.fuzz 600

What is asked of each case: the result that NumPy or SciPy gives, the same under jit as without, or an error that says
what was wrong. Never a crash, a hang, an exception from inside hostwrap, or another value.
"""
