"""What the site is made of: pages from entries and docstrings, formulas, pictures."""
