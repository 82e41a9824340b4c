"""Roots of definitions: what an inverse function is, to the working precision."""


def root(mp, function, guess):
    """The zero of a function next to a guess that is right to about double precision, by the secant method."""
    with mp.extraprec(20):
        here = mp.mpf(guess)
        before = here + mp.ldexp(here if here else 1, -44)
        value, value_before = function(here), function(before)
        for _ in range(40):
            if value in (0, value_before):
                return +here
            step = value * (here - before) / (value - value_before)
            here, before, value_before = here - step, here, value
            if abs(step) <= abs(here) * mp.ldexp(
                1, -int(0.65 * mp.prec)
            ):  # the next error is this one's 1.6th power
                return +here
            value = function(here)
    raise mp.NoConvergence(f"no root next to {guess}")
