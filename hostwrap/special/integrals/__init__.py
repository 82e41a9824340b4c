"""Exponential, trigonometric, Fresnel and Bessel integrals."""
