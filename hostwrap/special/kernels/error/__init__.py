"""The error function and its relatives."""
