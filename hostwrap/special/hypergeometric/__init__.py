"""Hypergeometric functions, differentiated in their parameters."""
