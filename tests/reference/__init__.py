"""Reference values of the catalogue: where to look (`points`), what is true there (`oracle`), what we give (`ours`).

`python -m tests.reference` makes the tables in `data/`, `python -m tests.reference --ratchet` makes `accuracy.csv`.
Nothing here knows the name of a function; all of it walks over the entries.
"""
