"""Mathieu functions and their derivatives in the parameter and the argument."""
