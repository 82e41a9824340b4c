"""Noncentral chi-square, F and t distributions: derivatives in every parameter, and the roots of their inverses."""
