"""Functions with side effects: io, ordered io, debug."""
