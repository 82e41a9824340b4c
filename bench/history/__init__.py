"""What `make history` measures at each commit, with asv: a few calls of all parts, so that a step shows where it is."""
