"""What several of the modules named after SciPy's use; what one alone uses lies in its folder."""
