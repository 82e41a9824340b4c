"""One call of a wrapped function: its arguments, shapes and types, and what goes to the host."""
