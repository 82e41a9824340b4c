"""The incomplete beta function, its inverses, and the distributions that are made of it."""
