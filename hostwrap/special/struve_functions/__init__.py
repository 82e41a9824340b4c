"""Struve functions H and L: mixed derivatives in order and argument."""
