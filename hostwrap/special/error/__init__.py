"""The error function and its relatives; the normal distribution."""
