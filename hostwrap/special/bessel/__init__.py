"""Bessel, Hankel, Kelvin and Airy functions, spherical and Riccati ones: derivatives in order and argument."""
