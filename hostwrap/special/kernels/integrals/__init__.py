"""Integrands: what the derivatives of exponential, trigonometric and Bessel integrals are made of."""
