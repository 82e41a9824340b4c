"""Parabolic cylinder functions, differentiated in their order."""
