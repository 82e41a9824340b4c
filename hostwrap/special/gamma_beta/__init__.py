"""Gamma, polygamma and beta functions, their quotients, and combinatorics."""
