"""The catalogue: the entries of `hostwrap.special`, a file per family. No numerics here, only rules."""
