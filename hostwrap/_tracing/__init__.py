"""Derivatives of a function without a rule: the user's own code is run on stand-ins for arrays."""
