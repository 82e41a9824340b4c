"""What the modules with names of SciPy share, and their longer parts."""
