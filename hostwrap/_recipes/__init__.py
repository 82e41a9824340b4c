"""The longer functions of the modules named after SciPy's, and what these modules share."""
