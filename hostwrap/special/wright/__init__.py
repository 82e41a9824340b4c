"""Wright's generalized Bessel function: derivatives in its orders, and those of its logarithm."""
