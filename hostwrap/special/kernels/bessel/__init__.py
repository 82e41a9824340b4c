"""Orders of the Bessel, Hankel and Airy functions."""
