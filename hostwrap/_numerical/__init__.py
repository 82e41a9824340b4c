"""Numerical derivatives, on the host, with an estimate of their error."""
