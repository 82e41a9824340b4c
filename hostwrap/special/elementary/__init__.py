"""Functions that are made of elementary ones: logistic, Box-Cox, information, Lambert's W."""
